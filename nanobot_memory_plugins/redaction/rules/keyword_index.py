"""Which words of all lists occur in a text, found in one look: only near them the costlier patterns are tried.

A text has far fewer runs of three characters than there are words, and few words begin with one of them.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Self, TypeVar

_Item = TypeVar("_Item")
_RUN = 3
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
# The words of all lists, and the characters with which they end, by those with which they begin.
_by_run: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {(): {}}


class Lowered(str):
    """A text in lower case, of the same length, and which of the words of all lists occur in it."""

    __slots__ = ("words",)

    words: frozenset[str]

    def __new__(cls, text: str) -> Self:
        """Take ``text``, of any case."""
        lower = text.lower()
        if len(lower) != len(text):  # a few letters become two: places would shift
            lower = text.translate(_ASCII_LOWER)
        made = super().__new__(cls, lower)
        runs = set(zip(lower, lower[1:], lower[2:], strict=False))
        found = [word for word in _by_run[()] if word in lower]
        for run in _by_run.keys() & runs:
            found += [word for word, end in _by_run[run].items() if end in runs and word in lower]
        made.words = frozenset(found)
        return made

    def meets(self, index: "KeywordIndex") -> bool:
        """Tell whether one of the words of a list occurs in the text."""
        return not index.words.isdisjoint(self.words)


def _know(words: frozenset[str]) -> None:
    global _by_run  # put in anew, since other threads may be looking through them
    by_run = dict(_by_run)
    for word in words:
        if word != word.lower():
            raise ValueError(f"the word {word!r} must be in lower case")
        run = (*word[:_RUN],) if len(word) >= _RUN else ()
        by_run[run] = by_run.get(run, {}) | {word: (*word[-_RUN:],)}
    _by_run = by_run


def words(text: str) -> frozenset[str]:
    """Give the words of ``text``, which white space divides: lists are read more often than they are run."""
    return frozenset(text.split())


class KeywordIndex:
    """A list of words, given in lower case."""

    __slots__ = ("words",)

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)
        _know(self.words)

    def __or__(self, other: "KeywordIndex") -> "KeywordIndex":
        return KeywordIndex(self.words | other.words)

    def find(self, lower: Lowered) -> Iterator[tuple[int, int, str]]:
        """Give where each word begins and ends in the text, and the word, in order.

        The longest counts where several begin: "passcode" is not the "pass" that it begins with.
        """
        places = sorted((at, -len(word), word) for word in self.words & lower.words for at in places_of(word, lower))
        done = 0
        for at, size, word in places:
            if at >= done:
                done = at - size
                yield at, done, word


class ByCue(Generic[_Item]):
    """Items, each of which is only worth trying where one of its words, given in lower case, occurs in the text."""

    __slots__ = ("_by_word", "_words")

    def __init__(self, items: Iterable[tuple[Iterable[str], _Item]]) -> None:
        self._by_word: dict[str, dict[int, _Item]] = {}
        for number, (cues, item) in enumerate(items):
            for cue in cues:
                self._by_word.setdefault(cue, {})[number] = item
        self._words = frozenset(self._by_word)
        _know(self._words)

    def met(self, lower: Lowered) -> Iterable[tuple[_Item, list[str]]]:
        """Give the items of which a word occurs in the text, in the order in which they were given, and those words."""
        found: dict[int, tuple[_Item, list[str]]] = {}
        for word in self._words & lower.words:
            for number, item in self._by_word[word].items():
                found.setdefault(number, (item, []))[1].append(word)
        return [found[number] for number in sorted(found)]


def places_of(word: str, text: str) -> Iterator[int]:
    """Give every place at which ``word`` begins in ``text``."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def is_near(places: Sequence[int], start: int, end: int) -> bool:
    """Tell whether one of ``places``, which are in order, is from ``start`` to before ``end``."""
    nearest = bisect_left(places, start)
    return nearest < len(places) and places[nearest] < end


def matches_near(
    shape: re.Pattern[str], text: str, places: Sequence[int], reach: tuple[int, int, int]
) -> Iterator[re.Match[str]]:
    """Give where ``shape`` matches near one of ``places``, which are in order: what lies between is not looked at.

    ``reach`` says how far behind a place a match may begin, how far before one it may end, and how long it may be.
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
