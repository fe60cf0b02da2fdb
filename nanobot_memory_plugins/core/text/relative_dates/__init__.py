"""The days that a text speaks of: "last Friday", "two weeks ago", "上周五", "三天前", "5月2号".

English and Chinese, simplified and traditional, and the languages of `core.text.languages`. Dates that name their year
count as well, so that "in March 2024" is not taken for the March just gone.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice

from nanobot_memory_plugins.core.text.relative_dates import chinese, english
from nanobot_memory_plugins.core.text.relative_dates.calendar import DaySpan, day_of_month, month_of
from nanobot_memory_plugins.core.text.relative_dates.further import further_phrases
from nanobot_memory_plugins.core.text.relative_dates.phrases import dated_phrases
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

__all__ = ["DaySpan", "dated_phrases", "relative_spans"]

# What of a long text is read: as much as the search reads of a long query, from both its ends.
_HEAD = 512
_TAIL = 256
_MOST_SPANS = 8
_NUMERIC = re.compile(r"(?<![\d.])((?:19|20)\d\d)([-/.])(0?[1-9]|1[0-2])(?:\2(0?[1-9]|[12]\d|3[01]))?(?![\d.]?\d)")
_CHINESE = re.compile("[天日周期拜月年前刚今昨]")


def relative_spans(text: str, now: datetime) -> tuple[DaySpan, ...]:
    """Return the spans of days that ``text`` speaks of, seen from ``now``, in its own time zone.

    In the text's order, without repetitions, at most 8. Weeks start on Monday. A vague count gives a wide span ("a
    few days ago"); a date without a year is the most recent one that is not still to come. What lies ahead ("next
    week") gives none. Of a long text the first 512 and the last 256 characters are read. Never raises.
    """
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    text = " ".join(text.lower().split())
    found = sorted(_found(text, now.date()), key=lambda one: one[0])
    return tuple(dict.fromkeys(span for _, span in found))[:_MOST_SPANS]


def _found(text: str, today: date) -> Iterator[tuple[int, DaySpan]]:
    """Yield each span with its place in the text."""
    for match in _NUMERIC.finditer(text):
        year, separator, month, day = match.groups()
        # A year and a month with a full stop between them are rather a version number.
        if day:
            span = day_of_month(int(year), int(month), int(day))
        else:
            span = month_of(int(year), int(month)) if separator != "." else None
        if span is not None:
            yield match.start(), span
    phrases = islice(english.RULES.found(text, today), _MOST_SPANS)
    yield from ((one.start, one.span) for one in phrases)
    for further in further_phrases(text, today)[:_MOST_SPANS]:
        if further.found.span.start <= today:
            yield further.found.start, further.found.span
    plain = simplified(text)
    if not text.isascii() and _CHINESE.search(plain):
        phrases = islice(chinese.RULES.found(plain, today), _MOST_SPANS)
        yield from ((one.start, one.span) for one in phrases)
