"""A text as its letters and digits alone, without case, width, accents, space and marks: how forgotten words are known.

Each letter knows its place in the text, so that what is found among the letters can be taken out of the text.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from nanobot_memory_plugins.core.erasure.sentences import Sentences
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# What stands for a stretch of text that was taken out.
GAP = "[…]"

_NOT_TELLING = LazyPattern(r"[\W_]+")
_RUN = LazyPattern(r"[^\W_]+")
# Writing without spaces: a word may begin and end at every character.
_WIDE = LazyPattern("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
# What a Latin letter says, and what a character of writing without spaces says.
_NARROW_SAYS, _WIDE_SAYS = 2, 5
# What a text must say to be known by its letters: that of 20 Latin ones, or 8 Chinese. A shorter one could be guessed.
_TELLING = 40


def plain(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return _NOT_TELLING.sub("", simplified(unicodedata.normalize("NFKD", text)).casefold())


def is_telling(letters: str) -> bool:
    """Return whether some folded letters say so much that nobody guesses them from their fingerprint."""
    return telling_end(letters, 0) > 0


def telling_end(letters: str, start: int) -> int:
    """Return before which letter what begins at ``start`` is telling; 0 where it never is."""
    if letters.isascii():
        end = start + _TELLING // _NARROW_SAYS
        return end if end <= len(letters) else 0
    said = 0
    for index in range(start, len(letters)):
        said += _WIDE_SAYS if _WIDE.match(letters[index]) else _NARROW_SAYS
        if said >= _TELLING:
            return index + 1
    return 0


class Letters:
    """The folded letters of one text, and where each of them stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        letters: list[str] = []
        places: list[int] = []
        for run in _RUN.finditer(text):
            word = run[0]
            if word.isascii():
                letters.append(word.lower())
                places += range(run.start(), run.end())
                continue
            for place, character in enumerate(word, run.start()):
                kept = plain(character)
                letters.append(kept)
                places += [place] * len(kept)
        self.plain = "".join(letters)
        self._places = places

    def __len__(self) -> int:
        return len(self.plain)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the text the letters from ``start`` to ``end`` stand."""
        return self._places[start], self._places[end - 1] + 1

    def between(self, begin: int, end: int) -> tuple[int, int]:
        """Return which letters stand in the text from ``begin`` to ``end``."""
        return bisect_left(self._places, begin), bisect_left(self._places, end)

    @cached_property
    def starts(self) -> list[int]:
        """The letters at which a word begins; in writing without spaces all do."""
        text, places = self.text, self._places
        found, last = [], -1
        for index, place in enumerate(places):
            if place == last:
                continue
            last = place
            if place == 0 or not _is_one_word(text[place - 1], text[place]):
                found.append(index)
        return found

    @cached_property
    def ends(self) -> frozenset[int]:
        """The letters before which a word ends, the end of the text included."""
        text, places = self.text, self._places
        found = {len(places)} if places else set()
        for index in range(1, len(places)):
            place = places[index - 1]
            if place != places[index] and not _is_one_word(text[place], text[place + 1]):
                found.add(index)
        return frozenset(found)

    def find(self, words: str) -> list[tuple[int, int]]:
        """Return where some folded words stand as whole words."""
        found = []
        at = self.plain.find(words) if words else -1
        while at >= 0:
            end = at + len(words)
            if end in self.ends and at in self._start_set:
                found.append((at, end))
            at = self.plain.find(words, at + 1)
        return found

    @cached_property
    def _start_set(self) -> frozenset[int]:
        return frozenset(self.starts)

    def sentences(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the text the sentences stand that hold the letters from ``start`` to ``end``."""
        return self._sentences.around(*self.span(start, end))

    @cached_property
    def _sentences(self) -> Sentences:
        return Sentences(self.text, is_escaped=False)


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with a gap in the place of each stretch; stretches that touch become one."""
    pieces: list[str] = []
    position = 0
    for begin, end in joined(spans):
        pieces += [text[position:begin], GAP]
        position = end
    return "".join([*pieces, text[position:]])


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return stretches in their order, those that overlap as one."""
    result: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((begin, end))
    return result


def _is_one_word(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not _WIDE.match(left) and not _WIDE.match(right)
