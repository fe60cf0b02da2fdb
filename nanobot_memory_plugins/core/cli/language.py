"""The language of the command line: what ``--lang``, the configuration and the locale say, and its catalogue.

A language is a file, ``catalogues/<language>.po``. English is in the code.
"""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Final

from nanobot_memory_plugins.core.config.json_file import configuration_files, read_json, value_at
from nanobot_memory_plugins.core.config.languages import ENGLISH, language_named, languages, read_catalogue
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence, Translate, use_translation

LANGUAGE_OPTION: Final = "--lang"
_spoken = ENGLISH

# In the order in which programs look at them.
_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
# Where the configuration may hold the plugins' options.
_PLACES = (("channels", "memoryPlugins"), ("memoryPlugins",))


@cache
def catalogue(language: str) -> Translate:
    """Return what translates an English text, and leaves it as it is without a translation."""
    translations = read_catalogue(language)
    return lambda text: translations.get(text) or text


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Let everything that people read be said in a language inside the block."""
    global _spoken
    before, _spoken = _spoken, language
    try:
        with use_translation(catalogue(language)):
            yield
    finally:
        _spoken = before


def current_language() -> str:
    """Return the language in which the command line speaks just now."""
    return _spoken


def chosen_language(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> tuple[str, list[str]]:
    """Return the language for a command, and its arguments without ``--lang``.

    ``--lang`` goes before the configuration's ``core.language``, and that before the locale; a locale without a
    catalogue is English. Raises `InputError` for a ``--lang`` without one.
    """
    requested, remaining = _asked_for(arguments)
    if requested is not None:
        if (language := language_named(requested)) is None:
            raise InputError(
                Sentence("There is no catalogue for the language {wanted}.", wanted=requested or "''"),
                hint=Sentence("Known are {known}.", known=", ".join(languages())),
            )
        return language, remaining
    return language_named(_configured(remaining, environment)) or language_of(environment), remaining


def language_of(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language that the locale asks for, or English."""
    locale = next((environment[name] for name in _LOCALE_VARIABLES if environment.get(name)), "")
    return language_named(locale) or ENGLISH


def _asked_for(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the language that the arguments ask for, wherever they do, and the others."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(LANGUAGE_OPTION, dest="language", nargs="?", const="")
    given, remaining = parser.parse_known_args(arguments)
    return given.language, remaining


def _configured(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return ``core.language`` of the configuration that a command would read, or nothing."""
    named = [value for option, value in pairwise(arguments) if option in ("--config", "-c")]
    for file in configuration_files(named[-1] if named else None, environment):
        content = read_json(file)[0]
        for place in _PLACES:
            if isinstance(found := value_at(content, *place, "core", "language"), str):
                return found
    return ""
