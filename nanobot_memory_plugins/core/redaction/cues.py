"""Where words of a list stand in a text, whatever their case: there alone the dearer patterns are tried."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

_Item = TypeVar("_Item")

_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class Cues:
    """A list of words, given in lower case."""

    __slots__ = ("_literals", "_pattern")

    def __init__(self, literals: Iterable[str]) -> None:
        self._literals = frozenset(literals)
        # The longest first: "passcode" is not the "pass" that it begins with.
        self._pattern = re.compile("|".join(re.escape(one) for one in sorted(self._literals, key=len, reverse=True)))

    def __or__(self, other: Cues) -> Cues:
        """Give a list of the words of both."""
        return Cues(self._literals | other._literals)

    def meets(self, lower: str) -> bool:
        """Tell whether one of the words stands in ``lower``, a text in lower case."""
        return any(map(lower.__contains__, self._literals))

    def __contains__(self, word: str) -> bool:
        """Tell whether ``word`` is in the list."""
        return word in self._literals

    def find(self, text: str, lower: str) -> Iterator[tuple[int, int, str]]:
        """Give where each word begins and ends in ``text``, and the word; ``lower`` is the text in lower case."""
        if not self.meets(lower):
            return
        if len(lower) != len(text):  # a few letters become two: places would shift
            lower = text.translate(_ASCII_LOWER)
        for match in self._pattern.finditer(lower):
            yield *match.span(), match.group()


class ByCue(Generic[_Item]):
    """Items, each of which is only worth trying where one of its words stands in the text."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[tuple[Iterable[str], _Item]]) -> None:
        by_word: dict[str, dict[int, _Item]] = {}
        for number, (cues, item) in enumerate(items):
            for cue in cues:
                by_word.setdefault(cue, {})[number] = item
        self._items = tuple(by_word.items())

    def met(self, text: str) -> Iterable[_Item]:
        """Give the items of which a word stands in ``text``, once each, in the order in which they were given."""
        found: dict[int, _Item] = {}
        for word, items in self._items:
            if word in text:
                found.update(items)
        return [found[number] for number in sorted(found)] if found else ()
