"""Finding texts that are to be forgotten, and the sentences that carry them, whatever case and spacing they have."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

# What stands for a sentence that was taken out.
GAP = "[…]"

_NOT_TELLING = re.compile(r"[\W_]+")
_WIDE = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SENTENCE_END = re.compile(r"[。！？!?；\n]+|[.;](?=\s|\Z)")
# What of a line of a note is no text: the heading's time, the name of a field, a bullet.
_PREFIX = re.compile(r"#{1,3} \d{4}-\d\d-\d\d \d\d:\d\d[ \t]*|[a-z;]+:[ \t]*|[-*][ \t]+")
# Letters below which a text is found only where it is the whole sentence: it stands in too many others.
_LEAST_LATIN, _LEAST_WIDE = 8, 4


class Wanted:
    """The texts that are to be forgotten. Letters and numbers count; case, width, accents, space and marks do not."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._plain = tuple(sorted({plain for text in texts if (plain := _plain(text))}, key=len, reverse=True))

    def __bool__(self) -> bool:
        return bool(self._plain)

    def count(self, text: str) -> int:
        """Return how many stretches of ``text`` carry one of the texts."""
        return len(self.spans(text))

    def without(self, text: str) -> tuple[str, int]:
        """Return ``text`` with a gap in place of each sentence that carries one of the texts, and how many there were.

        The name of a field, the time of a heading and a bullet stay.
        """
        spans = self.spans(text)
        for start, end in reversed(spans):
            text = text[:start] + GAP + text[end:]
        return text, len(spans)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the stretches of ``text`` that carry one of the texts, as sentences."""
        quick = _plain(text)
        if not any(one in quick for one in self._plain):
            return []
        letters, places = _letters(text)
        spans = []
        for one in self._plain:
            at = letters.find(one)
            while at >= 0:
                span = _sentences(text, places[at], places[at + len(one) - 1] + 1)
                if _stands_alone(text, places[at], places[at + len(one) - 1] + 1) and (
                    _is_telling(one) or _plain(text[span[0] : span[1]]) == one
                ):
                    spans.append(span)
                at = letters.find(one, at + 1)
        return list(_joined(sorted(spans)))


def _plain(text: str) -> str:
    return _NOT_TELLING.sub("", unicodedata.normalize("NFKD", text).casefold())


def _letters(text: str) -> tuple[str, list[int]]:
    """Return what `_plain` makes of a text, and for each of its characters the place in the text."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        kept = _plain(character)
        letters.append(kept)
        places += [place] * len(kept)
    return "".join(letters), places


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether a stretch begins and ends where words do; writing without spaces has no such borders."""
    before, first = text[start - 1 : start], text[start]
    last, after = text[end - 1], text[end : end + 1]
    return not (_is_one_word(before, first) or _is_one_word(last, after))


def _is_one_word(left: str, right: str) -> bool:
    return bool(left and right) and all(one.isalnum() and not _WIDE.match(one) for one in (left, right))


def _is_telling(plain: str) -> bool:
    return len(plain) >= (_LEAST_WIDE if _WIDE.match(plain) else _LEAST_LATIN)


def _sentences(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the sentences in which a stretch stands, from their first letter to their full stop."""
    begin = 0
    for mark in _SENTENCE_END.finditer(text, 0, start):
        begin = mark.end()
    while begin < start and text[begin].isspace():
        begin += 1
    prefix = _PREFIX.match(text, begin) if begin == 0 or text[begin - 1] == "\n" else None
    if prefix is not None and prefix.end() <= start:
        begin = prefix.end()
    closing = _SENTENCE_END.search(text, end)
    if closing is None:
        return begin, len(text.rstrip()) if len(text.rstrip()) > end else end
    return begin, closing.start() if closing[0].startswith("\n") else closing.start() + len(closing[0].rstrip("\n"))


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    current: tuple[int, int] | None = None
    for span in spans:
        if current is not None and span[0] <= current[1]:
            current = (current[0], max(current[1], span[1]))
            continue
        if current is not None:
            yield current
        current = span
    if current is not None:
        yield current
