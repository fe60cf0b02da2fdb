"""A text by its letters alone, with the place of each: case, width, accents, space and marks do not count.

A text that was written into JSON, perhaps into JSON within JSON, is read a second time with its escapes as what they
stand for.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from nanobot_memory_plugins.core.erasure.letters import plain
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern

_ESCAPE = LazyPattern(
    r"(?<!\\)\\++(?:u[0-9a-fA-F]{4}(?:\\+u[0-9a-fA-F]{4})*|x[0-9a-fA-F]{2}|[nrtbf])|(?:%[0-9A-Fa-f]{2})+|&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-z]{2,6});"
)
_HEX = LazyPattern(r"(?<!\\)\\++[ux]([0-9a-fA-F]+)")
# Invisible marks and accents belong to the letter before them.
_GLUED = frozenset({"Mn", "Me", "Cf"})
_WIDE = LazyPattern("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class LetterReading:
    """The letters of a text, one after the other, and for each where in the text it begins and ends.

    ``is_escaped`` says that escapes were read as what they stand for.
    """

    letters: str
    starts: list[int]
    ends: list[int]
    is_escaped: bool = False

    def begins_word(self, at: int) -> bool:
        """Return whether a word may begin with a letter; writing without spaces has no such borders."""
        return at == 0 or not self._is_one_word(at - 1)

    def ends_word(self, at: int) -> bool:
        """Return whether a word may end with a letter."""
        return at == len(self.letters) - 1 or not self._is_one_word(at)

    def breaks(self, begin: int, end: int) -> tuple[int, ...]:
        """Return after how many of the letters from ``begin`` to before ``end`` something stands between two."""
        return tuple(
            at + 1 - begin
            for at in range(begin, end - 1)
            if self.ends[at] < self.starts[at + 1] and not is_wide(self.letters[at])
        )

    def _is_one_word(self, at: int) -> bool:
        left, right = self.letters[at], self.letters[at + 1]
        return self.ends[at] >= self.starts[at + 1] and not (is_wide(left) or is_wide(right))


_plain = lru_cache(maxsize=16_384)(plain)  # of single characters, as a rule


def is_wide(character: str) -> bool:
    """Return whether a character belongs to a writing without spaces."""
    return _WIDE.match(character) is not None


def plain_forms(text: str) -> tuple[str, ...]:
    """Return the letters of a text, and those that its escapes stand for where these are others."""
    first = plain(text)
    if not _ESCAPE.search(text):
        return (first,)
    second = plain(unescaped(text))
    return (first,) if second == first else (first, second)


def unescaped(text: str) -> str:
    """Return a text with escapes as what they stand for, however often they were escaped themselves."""
    return _ESCAPE.sub(lambda match: _meaning(match[0]), text)


def reading_of(text: str, *, is_escaped: bool = False) -> LetterReading:
    """Return the letters of a text with their places; ``is_escaped``, of what its escapes stand for."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for piece, start, end in _pieces(text) if is_escaped else _characters(text, 0, len(text)):
        kept = _plain(piece)
        if kept:
            letters.append(kept)
            starts += [start] * len(kept)
            ends += [end] * len(kept)
        elif ends and len(piece) == 1 and ends[-1] == start and unicodedata.category(piece) in _GLUED:
            ends[-1] = end
    return LetterReading("".join(letters), starts, ends, is_escaped)


def _characters(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for place in range(start, end):
        yield text[place], place, place + 1


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    at = 0
    for match in _ESCAPE.finditer(text):
        yield from _characters(text, at, match.start())
        for character in _meaning(match[0]):
            yield character, match.start(), match.end()
        at = match.end()
    yield from _characters(text, at, len(text))


def _meaning(escape: str) -> str:
    """Return what an escape stands for; a mark that is no letter, as space."""
    if escape.startswith("%"):
        return unquote(escape, errors="replace")
    codes = _HEX.findall(escape)
    if codes:
        units = b"".join(int(code, 16).to_bytes(2, "little") for code in codes)
        return units.decode("utf-16-le", "replace")
    return " "
