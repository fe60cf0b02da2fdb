"""Finding words that are to be forgotten, and the sentences that carry them.

Words are looked for literally. What is ignored is decided by `folded` alone: case, width, accents, white space, and
whether Chinese is written in simplified or traditional characters.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nanobot_memory_plugins.core.text.sentences import sentence_marks
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

GAP = "[…]"
"""What replaces a stretch of text that was taken out."""

# Writing without spaces: a word may begin and end at every character.
_WIDE = lazy_re("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
# Marks above letters, and characters that show nothing.
_UNSEEN = frozenset({"Mn", "Me", "Cf"})
# Characters below which the text of an entry is not looked for elsewhere: it occurs in too many others.
_LEAST_NARROW, _LEAST_WIDE = 8, 4
# What of a line of a note is no text: the heading's time, the name of a field, a bullet, the number of a list.
_PREFIX = lazy_re(r"#{1,3} \d{4}-\d\d-\d\d \d\d:\d\d[ \t]*|[a-z;]+:[ \t]*|[-*][ \t]+|\d{1,3}[.)][ \t]+")


@dataclass(frozen=True, slots=True)
class Stretch:
    """The sentences of a text, from ``start`` to before ``end``, that hold the words, which begin at ``at``."""

    start: int
    end: int
    at: int


class ErasureMatcher:
    """Finds what is to be forgotten: ``words`` that somebody named, and ``texts`` of entries that are long enough."""

    def __init__(self, texts: Iterable[str] = (), *, words: Iterable[str] = ()) -> None:
        phrases = [*map(folded, words), *(text for text in map(folded, texts) if not _is_too_common(text))]
        self._phrases = tuple(dict.fromkeys(one for one in phrases if any(map(str.isalnum, one))))

    def __bool__(self) -> bool:
        return bool(self._phrases)

    def count(self, text: str) -> int:
        """Return how many stretches of a text carry the words."""
        return len(self.stretches(text))

    def stretches(self, text: str) -> list[Stretch]:
        """Return the sentences of a text that carry the words, in their order."""
        if not self._are_in(text):
            return []
        letters, places = _letters(text)
        sentences = _Sentences(text)
        found = [
            Stretch(*sentences.around(places[at], places[end - 1] + 1), places[at])
            for words in self._phrases
            for at, end in _places(letters, words)
            if _is_word(text, places[at], places[end - 1])
        ]
        return list(_joined(found))

    def _are_in(self, text: str) -> bool:
        plain = folded(text)
        return any(words in plain for words in self._phrases)


def folded(text: str) -> str:
    """Return a text as it is compared."""
    return "".join(text.lower().split()) if text.isascii() else "".join(map(_folded, text))


def is_short(text: str) -> bool:
    """Return whether words are too short to be looked for without being asked to: they occur in too much."""
    letters = folded(text)
    return len(letters) < (2 if _WIDE.match(letters[:1]) else 3)


def cut(text: str, stretches: Sequence[Stretch]) -> str:
    """Return a text with a gap in place of each stretch."""
    for one in reversed(stretches):
        text = text[: one.start] + GAP + text[one.end :]
    return text


@lru_cache(maxsize=16_384)
def _folded(character: str) -> str:
    parts = unicodedata.normalize("NFKD", character)
    seen = "".join(one for one in parts if unicodedata.category(one) not in _UNSEEN)
    return simplified("".join(seen.casefold().split()))


def _letters(text: str) -> tuple[str, list[int]]:
    """Return a text as it is compared, and the position in it of each of the characters."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        kept = _folded(character)
        letters.append(kept)
        places += [place] * len(kept)
    return "".join(letters), places


def _is_too_common(letters: str) -> bool:
    return len(letters) < (_LEAST_WIDE if _WIDE.match(letters[:1]) else _LEAST_NARROW)


def _places(letters: str, words: str) -> Iterator[tuple[int, int]]:
    at = letters.find(words)
    while at >= 0:
        yield at, at + len(words)
        at = letters.find(words, at + 1)


def _is_word(text: str, first: int, last: int) -> bool:
    """Return whether the text from one character to another is no part of a longer word."""
    return not (
        _go_together(text[first - 1 : first], text[first]) or _go_together(text[last], text[last + 1 : last + 2])
    )


def _go_together(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not (_WIDE.match(left) or _WIDE.match(right))


class _Sentences:
    """Where the sentences of one text end, found once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._marks = list(sentence_marks(text))
        self._ends = [end for _, end in self._marks]

    def around(self, start: int, end: int) -> tuple[int, int]:
        """Return the sentences around a stretch, from their first letter to their full stop."""
        text = self._text
        before = bisect_right(self._ends, start)
        begin = self._ends[before - 1] if before else 0
        while begin < start and text[begin].isspace():
            begin += 1
        prefix = _PREFIX.match(text, begin) if begin == 0 or text[begin - 1] == "\n" else None
        if prefix is not None and prefix.end() <= start:
            begin = prefix.end()
        behind = bisect_left(self._marks, (end, 0))
        if behind == len(self._marks):
            return begin, max(len(text.rstrip()), end)
        first, last = self._marks[behind]
        return begin, first if text[first] == "\n" else first + len(text[first:last].rstrip("\n"))


def _joined(found: Iterable[Stretch]) -> Iterator[Stretch]:
    """Yield stretches in their order, those that touch as one."""
    current: Stretch | None = None
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        if current is not None and one.start <= current.end:
            current = Stretch(current.start, max(current.end, one.end), min(current.at, one.at))
            continue
        if current is not None:
            yield current
        current = one
    if current is not None:
        yield current
