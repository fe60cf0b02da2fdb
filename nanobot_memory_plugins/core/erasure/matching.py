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
"""The mark that replaces a stretch of text that was cut out."""

# Scripts without spaces, in which a word may begin and end at every character.
_WIDE = lazy_re("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
# The Unicode categories that matching ignores: accents and invisible characters.
_IGNORED_CATEGORIES = frozenset({"Mn", "Me", "Cf"})
# The minimum length, in characters, of an entry's text that is searched for: shorter texts occur in too many others.
_MIN_NARROW, _MIN_WIDE = 8, 4
# The beginning of a note's line that is not part of its text: the time of a heading, or the name of a field.
_PREFIX = lazy_re(r"#{1,3} \d{4}-\d\d-\d\d \d\d:\d\d[ \t]*|[a-z;]+:[ \t]*")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Sentences of a text, from ``start`` up to ``end``, that contain the searched words, which begin at ``at``."""

    start: int
    end: int
    at: int


class ErasureMatcher:
    """Finds ``words`` that a person named, and those ``texts`` of entries that are long enough to be distinctive."""

    def __init__(self, texts: Iterable[str] = (), *, words: Iterable[str] = ()) -> None:
        distinctive = (
            text
            for text in map(folded_text, texts)
            if len(text) >= (_MIN_WIDE if _WIDE.match(text[:1]) else _MIN_NARROW)
        )
        phrases = [*map(folded_text, words), *distinctive]
        self._phrases = tuple(dict.fromkeys(one for one in phrases if any(map(str.isalnum, one))))

    def __bool__(self) -> bool:
        return bool(self._phrases)

    def count(self, text: str) -> int:
        """Return the number of stretches of a text that contain the words."""
        return len(self.stretches(text))

    def stretches(self, text: str) -> list[Stretch]:
        """Return the sentences of a text that contain the words, in their order."""
        plain = folded_text(text)
        if not any(words in plain for words in self._phrases):
            return []
        folded, sentences = FoldedText.of(text, _fold_character), list(sentence_spans(text))
        found = []
        for start, end in (span for words in self._phrases for span in folded.find(words)):
            if _is_whole_word(text, start, end - 1):
                first, last = span_around(sentences, start, end)
                found.append(Stretch(_skip_prefix(text, first, start), last, start))
        return _merge(found)


def folded_text(text: str) -> str:
    """Return the form of a text in which it is compared."""
    return "".join(text.lower().split()) if text.isascii() else "".join(map(_fold_character, text))


def is_short(text: str) -> bool:
    """Return whether words are too short to be purged: they would occur in too many texts."""
    letters = folded_text(text)
    return len(letters) < (2 if _WIDE.match(letters[:1]) else 3)


def cut_out(text: str, stretches: Sequence[Stretch]) -> str:
    """Return a text with a gap in place of each stretch."""
    for one in reversed(stretches):
        text = text[: one.start] + GAP + text[one.end :]
    return text


@lru_cache(maxsize=16_384)
def _fold_character(character: str) -> str:
    parts = unicodedata.normalize("NFKD", character)
    visible = "".join(one for one in parts if unicodedata.category(one) not in _IGNORED_CATEGORIES)
    return simplified("".join(visible.casefold().split()))


def _is_whole_word(text: str, first: int, last: int) -> bool:
    return not (
        _is_same_word(text[first - 1 : first], text[first]) or _is_same_word(text[last], text[last + 1 : last + 2])
    )


def _is_same_word(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not (_WIDE.match(left) or _WIDE.match(right))


def _skip_prefix(text: str, begin: int, at: int) -> int:
    """Return where a sentence begins after the prefix of its line, unless the words, which are ``at``, are in that."""
    prefix = _PREFIX.match(text, text.rfind("\n", 0, begin) + 1)
    return prefix.end() if prefix is not None and begin < prefix.end() <= at else begin


def _merge(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return the stretches in their order; those that touch or overlap become one."""
    merged: list[Stretch] = []
    for one in sorted(stretches, key=lambda one: (one.start, one.end)):
        if merged and one.start <= merged[-1].end:
            last = merged.pop()
            one = Stretch(last.start, max(last.end, one.end), min(last.at, one.at))
        merged.append(one)
    return merged
