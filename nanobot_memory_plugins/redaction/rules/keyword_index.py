"""Which words of all lists stand in a text, found in one look: there alone the dearer patterns are tried.

A text has far fewer runs of three characters than there are words, and most words share none of theirs with it.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Generic, TypeVar

_Item = TypeVar("_Item")
_Run = tuple[str, str, str]

_RUN = 3
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class _KnownWords:
    """The words of all lists, by a run of three characters that each of them holds."""

    def __init__(self) -> None:
        self._by_run: dict[_Run, tuple[str, ...]] = {}
        self._runs: frozenset[_Run] = frozenset()
        self._pairs: frozenset[tuple[str, ...]] = frozenset()
        self._single: frozenset[str] = frozenset()

    def add(self, words: Iterable[str]) -> None:
        """Look for ``words``, too. Raises ``ValueError`` for one that is not in lower case: it would never be met."""
        by_run = dict(self._by_run)
        short = {*self._single, *map("".join, self._pairs)}
        for word in words:
            if word != word.lower():
                raise ValueError(f"the word {word!r} must be in lower case")
            if len(word) < _RUN:
                short.add(word)
                continue
            run = max(zip(word, word[1:], word[2:], strict=False), key=_rarity)
            if word not in by_run.get(run, ()):
                by_run[run] = (*by_run.get(run, ()), word)
        self._by_run = by_run
        self._pairs = frozenset(tuple(word) for word in short if len(word) == 2)
        self._single = frozenset(word for word in short if len(word) == 1)
        self._runs = frozenset(by_run)  # the last: other threads find by it what the others hold already

    def standing_in(self, lower: str) -> frozenset[str]:
        """Give the words that stand in ``lower``, a text in lower case."""
        met = [word for word in self._single if word in lower]
        met += map("".join, self._pairs.intersection(pairwise(lower)))
        for run in self._runs.intersection(zip(lower, lower[1:], lower[2:], strict=False)):
            met += [word for word in self._by_run[run] if word in lower]
        return frozenset(met)


def _rarity(run: _Run) -> int:
    """Give a number that grows the rarer ``run`` is in texts: letters that English likes count little."""
    return sum(2 if not char.isalpha() or not char.isascii() else char not in "etaoinsrhldcu" for char in run)


_KNOWN = _KnownWords()


class Lowered(str):
    """A text in lower case, and which of the words of all lists stand in it."""

    __slots__ = ("words",)

    words: frozenset[str]

    def __new__(cls, text: str) -> Lowered:
        """Take ``text``, of any case."""
        lower = super().__new__(cls, text.lower())
        lower.words = _KNOWN.standing_in(lower)
        return lower


class KeywordIndex:
    """A list of words, given in lower case."""

    __slots__ = ("_words",)

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        _KNOWN.add(self._words)

    def __or__(self, other: KeywordIndex) -> KeywordIndex:
        """Give a list of the words of both."""
        return KeywordIndex(self._words | other._words)

    def __contains__(self, word: str) -> bool:
        """Tell whether ``word`` is in the list."""
        return word in self._words

    def meets(self, lower: Lowered) -> bool:
        """Tell whether one of the words stands in the text."""
        return not self._words.isdisjoint(lower.words)

    def find(self, text: str, lower: Lowered) -> Iterator[tuple[int, int, str]]:
        """Give where each word begins and ends in ``text``, and the word, in order; ``lower`` is the same text.

        The longest counts where several begin: "passcode" is not the "pass" that it begins with.
        """
        met = self._words & lower.words
        if not met:
            return
        searched: str = lower
        if len(lower) != len(text):  # a few letters become two: places would shift
            searched = text.translate(_ASCII_LOWER)
        places = []
        for word in met:
            size, at = -len(word), searched.find(word)
            while at >= 0:
                places.append((at, size, word))
                at = searched.find(word, at + 1)
        places.sort()
        done = 0
        for at, size, word in places:
            if at >= done:
                done = at - size
                yield at, done, word


class ByCue(Generic[_Item]):
    """Items, each of which is only worth trying where one of its words, given in lower case, stands in the text."""

    __slots__ = ("_by_word", "_words")

    def __init__(self, items: Iterable[tuple[Iterable[str], _Item]]) -> None:
        self._by_word: dict[str, dict[int, _Item]] = {}
        for number, (cues, item) in enumerate(items):
            for cue in cues:
                self._by_word.setdefault(cue, {})[number] = item
        self._words = frozenset(self._by_word)
        _KNOWN.add(self._words)

    def met(self, lower: Lowered) -> Iterable[_Item]:
        """Give the items of which a word stands in the text, once each, in the order in which they were given."""
        words = self._words & lower.words
        if not words:
            return ()
        found: dict[int, _Item] = {}
        for word in words:
            found.update(self._by_word[word])
        return [found[number] for number in sorted(found)]


def places_of(word: str, text: str) -> Iterator[int]:
    """Give every place at which ``word`` begins in ``text``."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)
