"""Finding the words that an erasure names, and the sentences that contain them.

Words are matched literally, after `folded_text` has removed differences of case, width, accents and white space, and
between simplified and traditional Chinese characters.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nanobot_memory_plugins.core.text.folding import FoldedText
from nanobot_memory_plugins.core.text.sentences import sentence_spans, span_around
from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

GAP = "[…]"
"""What replaces a stretch of text that was taken out."""

# Writing without spaces: a word may begin and end at every character.
_WIDE = lazy_re("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
# Marks above letters, and characters that show nothing.
_UNSEEN = frozenset({"Mn", "Me", "Cf"})
# Characters below which the text of an entry is not looked for elsewhere: it occurs in too many others.
_LEAST_NARROW, _LEAST_WIDE = 8, 4
# What of a line of a note is no text, besides bullets: the heading's time, the name of a field.
_PREFIX = lazy_re(r"#{1,3} \d{4}-\d\d-\d\d \d\d:\d\d[ \t]*|[a-z;]+:[ \t]*")


@dataclass(frozen=True, slots=True)
class Stretch:
    """The sentences of a text, from ``start`` to before ``end``, that hold the words, which begin at ``at``."""

    start: int
    end: int
    at: int


class ErasureMatcher:
    """Finds what is to be forgotten: ``words`` that somebody named, and ``texts`` of entries that are long enough."""

    def __init__(self, texts: Iterable[str] = (), *, words: Iterable[str] = ()) -> None:
        telling = (
            text
            for text in map(folded_text, texts)
            if len(text) >= (_LEAST_WIDE if _WIDE.match(text[:1]) else _LEAST_NARROW)
        )
        phrases = [*map(folded_text, words), *telling]
        self._phrases = tuple(dict.fromkeys(one for one in phrases if any(map(str.isalnum, one))))

    def __bool__(self) -> bool:
        return bool(self._phrases)

    def count(self, text: str) -> int:
        """Return how many stretches of a text carry the words."""
        return len(self.stretches(text))

    def stretches(self, text: str) -> list[Stretch]:
        """Return the sentences of a text that carry the words, in their order."""
        plain = folded_text(text)
        if not any(words in plain for words in self._phrases):
            return []
        folded, sentences = FoldedText.of(text, _folded), list(sentence_spans(text))
        found = []
        for start, end in (place for words in self._phrases for place in folded.find(words)):
            if _is_word(text, start, end - 1):
                first, last = span_around(sentences, start, end)
                found.append(Stretch(_behind_prefix(text, first, start), last, start))
        return _joined(found)


def folded_text(text: str) -> str:
    """Return a text as it is compared."""
    return "".join(text.lower().split()) if text.isascii() else "".join(map(_folded, text))


def is_short(text: str) -> bool:
    """Return whether words are too short to be looked for without being asked to: they occur in too much."""
    letters = folded_text(text)
    return len(letters) < (2 if _WIDE.match(letters[:1]) else 3)


def cut_out(text: str, stretches: Sequence[Stretch]) -> str:
    """Return a text with a gap in place of each stretch."""
    for one in reversed(stretches):
        text = text[: one.start] + GAP + text[one.end :]
    return text


@lru_cache(maxsize=16_384)
def _folded(character: str) -> str:
    parts = unicodedata.normalize("NFKD", character)
    seen = "".join(one for one in parts if unicodedata.category(one) not in _UNSEEN)
    return simplified("".join(seen.casefold().split()))


def _is_word(text: str, first: int, last: int) -> bool:
    return not (
        _go_together(text[first - 1 : first], text[first]) or _go_together(text[last], text[last + 1 : last + 2])
    )


def _go_together(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not (_WIDE.match(left) or _WIDE.match(right))


def _behind_prefix(text: str, begin: int, at: int) -> int:
    """Return where a sentence that holds what is ``at`` a place begins, without what its line says before the text."""
    prefix = _PREFIX.match(text, text.rfind("\n", 0, begin) + 1)
    return prefix.end() if prefix is not None and begin < prefix.end() <= at else begin


def _joined(found: Iterable[Stretch]) -> list[Stretch]:
    """Return stretches in their order, those that touch as one."""
    joined: list[Stretch] = []
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        if joined and one.start <= joined[-1].end:
            last = joined.pop()
            one = Stretch(last.start, max(last.end, one.end), min(last.at, one.at))
        joined.append(one)
    return joined
