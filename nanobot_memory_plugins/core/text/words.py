"""Words and shapes that rules look for, each with a text in which it counts and one in which it does not."""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern

__all__ = ["LazyPattern", "Word", "Words", "any_of"]

_LATIN = re.compile("[a-z]")


class Word(NamedTuple):
    """A pattern, a text in which it decides, and one in which the same letters or characters do not."""

    pattern: str
    example: str
    counter_example: str


class Words(tuple[Word, ...]):
    """Words of one kind, English and Chinese, for folded texts (`clauses.fold`)."""

    @cached_property
    def latin(self) -> LazyPattern:
        """Any of those in English."""
        return _any_of([word.pattern for word in self if word.pattern.isascii()])

    @cached_property
    def chinese(self) -> LazyPattern:
        """Any of those in Chinese."""
        return _any_of([word.pattern for word in self if not word.pattern.isascii()])

    def search(self, text: str) -> re.Match[str] | None:
        """Return where the first of them stands in a text."""
        if text.isascii():
            return self.latin.search(text)
        return self.chinese.search(text) or (self.latin.search(text) if _LATIN.search(text) else None)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the one with which a text begins."""
        if text.isascii():
            return self.latin.match(text)
        return self.chinese.match(text) or (self.latin.match(text) if _LATIN.match(text) else None)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the one that is all of a text."""
        return (self.latin if text.isascii() else self.chinese).fullmatch(text)


def any_of(words: Iterable[Word]) -> str:
    """Return the pattern for any of some words, as a part of another; where there are none it matches nothing."""
    return "(?:" + ("|".join(f"(?:{word.pattern})" for word in words) or "(?!)") + ")"


def _any_of(patterns: list[str]) -> LazyPattern:
    return LazyPattern("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)")
