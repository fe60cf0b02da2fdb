"""One search for the words of all lists in a text, so that costly patterns are tried only near those words.

A text contains far fewer different runs of three characters than there are words, and few words begin with each run.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Self, TypeVar

_Item = TypeVar("_Item")
_RUN = 3
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
# The words of all lists, each with its last characters, by their first characters.
_by_run: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {(): {}}


class LowercaseText(str):
    """A text in lower case, of the same length, with the ``words`` of all lists that occur in it."""

    __slots__ = ("words",)

    words: frozenset[str]

    def __new__(cls, text: str) -> Self:
        """Convert ``text`` to lower case and search it."""
        lower = text.lower()
        if len(lower) != len(text):  # a few letters become two, which would shift positions
            lower = text.translate(_ASCII_LOWER)
        made = super().__new__(cls, lower)
        runs = set(zip(lower, lower[1:], lower[2:], strict=False))
        found = [word for word in _by_run[()] if word in lower]
        for run in _by_run.keys() & runs:
            found += [word for word, end in _by_run[run].items() if end in runs and word in lower]
        made.words = frozenset(found)
        return made

    def contains_any(self, index: "KeywordIndex") -> bool:
        """Return whether a word of the list occurs in the text."""
        return not index.words.isdisjoint(self.words)


def _register(words: frozenset[str]) -> None:
    global _by_run  # replaced as a whole, since other threads may be reading it
    by_run = dict(_by_run)
    for word in words:
        if word != word.lower():
            raise ValueError(f"the word {word!r} must be in lower case")
        run = (*word[:_RUN],) if len(word) >= _RUN else ()
        by_run[run] = by_run.get(run, {}) | {word: (*word[-_RUN:],)}
    _by_run = by_run


def words(text: str) -> frozenset[str]:
    """Return the words of ``text``, separated by white space: long lists are easier to read this way."""
    return frozenset(text.split())


class KeywordIndex:
    """A list of lower-case words that can be found in a text."""

    __slots__ = ("words",)

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)
        _register(self.words)

    def __or__(self, other: "KeywordIndex") -> "KeywordIndex":
        return KeywordIndex(self.words | other.words)

    def find(self, lower: LowercaseText) -> Iterator[tuple[int, int, str]]:
        """Yield the start and end of each word in the text, and the word, in order.

        The longest word at a place counts: "passcode" does not contain the word "pass".
        """
        places = sorted((at, -len(word), word) for word in self.words & lower.words for at in places_of(word, lower))
        done = 0
        for at, size, word in places:
            if at >= done:
                done = at - size
                yield at, done, word


class CueIndex(Generic[_Item]):
    """Items with lower-case cue words; an item is only worth trying if one of its cues occurs in the text."""

    __slots__ = ("_by_word", "_words")

    def __init__(self, items: Iterable[tuple[Iterable[str], _Item]]) -> None:
        self._by_word: dict[str, dict[int, _Item]] = {}
        for number, (cues, item) in enumerate(items):
            for cue in cues:
                self._by_word.setdefault(cue, {})[number] = item
        self._words = frozenset(self._by_word)
        _register(self._words)

    def find(self, lower: LowercaseText) -> Iterable[tuple[_Item, list[str]]]:
        """Return the items of which a cue occurs in the text, in the given order, each with those cues."""
        found: dict[int, tuple[_Item, list[str]]] = {}
        for word in self._words & lower.words:
            for number, item in self._by_word[word].items():
                found.setdefault(number, (item, []))[1].append(word)
        return [found[number] for number in sorted(found)]


def places_of(word: str, text: str) -> Iterator[int]:
    """Yield every position of ``word`` in ``text``."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def is_near(places: Sequence[int], start: int, end: int) -> bool:
    """Return whether one of the sorted ``places`` is in ``start`` (included) to ``end`` (excluded)."""
    nearest = bisect_left(places, start)
    return nearest < len(places) and places[nearest] < end


def matches_near(
    shape: re.Pattern[str], text: str, places: Sequence[int], reach: tuple[int, int, int]
) -> Iterator[re.Match[str]]:
    """Yield the matches of ``shape`` near one of the sorted ``places``; text far from all of them is skipped.

    ``reach`` is how far after a place a match may begin, how far before a place it may end, and its greatest length.
    """
    after, before, longest = reach
    at = 0
    while match := shape.search(text, at):
        start, at = match.span()
        nearest = bisect_left(places, start - after)
        if nearest == len(places):
            return
        if places[nearest] < at + before:
            yield match
        else:
            at = max(at, places[nearest] - before - longest)
