"""The positions of sentences in a text, in English and Chinese.

A full stop in "Dr. Lee", "3.5", "e.g." or "example.org", or after the number of a list item, does not end a sentence. A
line break does.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter

from nanobot_memory_plugins.redaction.lazy import lazy_re

Span = tuple[int, int]


# The end of a sentence, with the closing quotation marks and brackets after it.
_SENTENCE_END = lazy_re(
    r"\n+|(?:(?:[。！？；]|[!?;](?=[\s!?;。！？；”’\"'」』）)]|$|[\u3400-\u9fff])|…)+"
    r"|(?P<stop>(?<!\.)\.++)(?=[”’\"'」』）)]*(?:\s|$)))[”’\"'」』）)]*"
)
# Abbreviations whose full stop never ends a sentence, and those whose full stop does unless a small letter follows.
_ABBREVIATIONS = frozenset("dr mr mrs ms prof st vs e.g i.e approx cf fig vol mt rev hon gen col sgt ca resp".split())  # noqa: SIM905
_CLOSING_ABBREVIATIONS = frozenset("etc a.m p.m inc ltd co corp jr sr ave dept est".split())  # noqa: SIM905
_WORD_BEFORE = lazy_re(r"[\w.]{1,8}\Z")
_BULLET = lazy_re(r"[ \t]*(?:[-*•+#>]+|\d{1,3}[.)、])[ \t]+|[ \t]*\d{1,2}、")


def sentence_spans(text: str) -> list[Span]:
    """Return the span of each sentence, with its end mark, but without bullets and surrounding white space."""
    spans: list[Span] = []
    start = 0
    for begin, end in _marks(text):
        spans += _trim_span(text, start, begin if text[begin] == "\n" else end)
        start = end
    return spans + _trim_span(text, start, len(text))


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the position after the end mark of each sentence, at which a text may be cut."""
    return (end for _, end in _marks(text))


def span_around(spans: Sequence[Span], start: int, end: int) -> Span:
    """Extend a part of a text to whole sentences, given the ``spans`` of all sentences."""
    touched = spans[bisect_right(spans, start, key=itemgetter(1)) : bisect_left(spans, end, key=itemgetter(0))]
    return (min(start, touched[0][0]), max(end, touched[-1][1])) if touched else (start, end)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def ends_in_question_mark(text: str) -> bool:
    """Return whether a text ends in a question mark, possibly before closing quotation marks or brackets."""
    return text.rstrip(" \n\t\"'”’」』）)*_").endswith(("?", "？"))


def is_only_questions(text: str) -> bool:
    """Return whether all sentences of a text are questions, by their question marks."""
    return ends_in_question_mark(text) and all(map(ends_in_question_mark, sentences_of(text)))


def _marks(text: str) -> Iterator[Span]:
    """Yield the span of the end mark of each sentence."""
    start = 0
    for found in _SENTENCE_END.finditer(text):
        if found["stop"] is None or _ends_sentence(text, start, found):
            start = found.end()
            yield found.span()


def _trim_span(text: str, start: int, end: int) -> list[Span]:
    """Return a list with the span, without its bullet and surrounding white space, or an empty list if it is blank."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    bullet = _BULLET.match(text, start, end)
    if bullet is not None and (start == 0 or "\n" in text[max(0, start - 8) : start]):
        start = bullet.end()
    return [(start, end)] if start < end else []


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    """Return whether a full stop ends a sentence."""
    if len(stop["stop"]) > 1:
        return True
    before = _WORD_BEFORE.search(text, max(start, stop.start() - 8), stop.start())
    word = before[0] if before is not None else ""
    after = text[stop.end() : stop.end() + 2].strip()
    if word.isdigit() and len(word) <= 2 and after:  # perhaps the number of a list item
        ahead = text[max(start, stop.start() - len(word) - 4) : stop.start() - len(word)].lstrip(" \t\n-*")
        if ahead.endswith((":", "：")) and ahead[-2:-1].isdigit():
            return True
        ahead = ahead.rstrip(" \t\n-*")
        if not ahead or ahead[-1] in ":：" or "\u3400" <= after[0] <= "\u9fff":
            return False
    folded = word.casefold()
    if folded in _ABBREVIATIONS:
        return False
    if folded == "no":
        return not after.isdigit()
    if folded in _CLOSING_ABBREVIATIONS:
        return not after[:1].islower()
    return not (len(word) == 1 and word.isupper() and word != "I" and after[:1].isupper())
