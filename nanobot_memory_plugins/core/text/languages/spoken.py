"""The languages that there are, and those of a text. A file that cannot be used costs its own language alone."""

from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from nanobot_memory_plugins.core.errors import ConfigurationError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.languages.rules import LanguageRules
from nanobot_memory_plugins.core.text.languages.tables import common_words, shortened_words, tables_of

_Read = TypeVar("_Read")
_FOLDER = Path(__file__).parent
# By so much of a text its language is told.
_LOOKED_THROUGH = 2_000


class _File:
    """The file of a language: its common words, and its rules once a text holds one of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tables: dict[str, Any] = _unless_broken(lambda: tables_of(path)) or {}
        self.common = common_words(self._tables)
        self.shortened = shortened_words(self._tables)

    @cached_property
    def rules(self) -> LanguageRules | None:
        """Its rules, or None where they cannot be used, which is logged."""
        from nanobot_memory_plugins.core.text.languages.rule_file import rules_of  # pydantic

        return _unless_broken(lambda: rules_of(self._path, self._tables)) if self._tables else None


def _unless_broken(read: Callable[[], _Read]) -> _Read | None:
    try:
        return read()
    except ConfigurationError as error:
        logger.warning("{}", error)
        return None


@cache
def files_in(folder: Path = _FOLDER) -> tuple[_File, ...]:
    """Return the files of languages in a folder, by name."""
    return tuple(map(_File, sorted(folder.glob("*.toml"))))


@cache
def all_shortened(folder: Path = _FOLDER) -> frozenset[str]:
    """Return the words that a full stop may shorten in any language: what is cheap to ask before `languages_of`."""
    return frozenset[str]().union(*(one.shortened for one in files_in(folder)))


def all_languages(folder: Path = _FOLDER) -> tuple[LanguageRules, ...]:
    """Return the rules of all languages that can be used."""
    return tuple(one.rules for one in files_in(folder) if one.rules is not None)


def languages_of(text: str, folder: Path = _FOLDER) -> tuple[LanguageRules, ...]:
    """Return the languages by whose rules a text is read beside those of English and Chinese: none as a rule."""
    words = text[:_LOOKED_THROUGH].lower().split()
    found: tuple[LanguageRules, ...] = ()
    for one in files_in(folder):  # every text is asked for: no more than a look into a set
        if not one.common.isdisjoint(words) and one.rules is not None:
            found += (one.rules,)
    return found
