"""The language of the command line, chosen by ``--lang``, the configuration or the locale.

The texts in the code are English; every other language is a file, ``catalogues/<language>.po``.
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
_current = ENGLISH

# In their order of precedence.
_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
# The paths at which a configuration may have the plugins' options.
_SECTIONS = (("channels", "memoryPlugins"), ("memoryPlugins",))


@cache
def catalogue(language: str) -> Translate:
    """Return the function that translates an English text, or returns it unchanged if it has no translation."""
    translations = read_catalogue(language)
    return lambda text: translations.get(text) or text


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Translate all messages inside the block into a language."""
    global _current
    before, _current = _current, language
    try:
        with use_translation(catalogue(language)):
            yield
    finally:
        _current = before


def current_language() -> str:
    """Return the language of messages at this moment."""
    return _current


def chosen_language(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> tuple[str, list[str]]:
    """Return the language for a command, and the arguments without ``--lang``.

    ``--lang`` takes precedence over the configuration's ``core.language``, and that over the locale; a locale without
    a catalogue means English. Raises `InputError` if ``--lang`` names a language without a catalogue.
    """
    requested, remaining = _split_language_option(arguments)
    if requested is not None:
        if (language := language_named(requested)) is None:
            raise InputError(
                Sentence("There is no catalogue for the language {wanted}.", wanted=requested or "''"),
                hint=Sentence("Known are {known}.", known=", ".join(languages())),
            )
        return language, remaining
    return language_named(_configured_language(remaining, environment)) or locale_language(environment), remaining


def locale_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the locale, or English if there is no catalogue for it."""
    locale = next((environment[name] for name in _LOCALE_VARIABLES if environment.get(name)), "")
    return language_named(locale) or ENGLISH


def _split_language_option(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the value of ``--lang``, wherever it is among the arguments, and the other arguments."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(LANGUAGE_OPTION, dest="language", nargs="?", const="")
    given, remaining = parser.parse_known_args(arguments)
    return given.language, remaining


def _configured_language(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return ``core.language`` of the configuration that the command would read, or an empty string."""
    named = [value for option, value in pairwise(arguments) if option in ("--config", "-c")]
    for file in configuration_files(named[-1] if named else None, environment):
        content = read_json(file)[0]
        for section in _SECTIONS:
            if isinstance(language := value_at(content, *section, "core", "language"), str):
                return language
    return ""
