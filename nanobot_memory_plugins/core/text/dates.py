"""Dates in running text, brought to one form, so that "May 8", "5月8日" and "2023-05-08" meet.

The terms follow ISO 8601: ``2023-05-08`` a day, ``2023-05`` a month of a year, ``--05-08`` a day of any year and
``--05`` a month of any year.
"""

import re
from collections.abc import Iterator

from nanobot_memory_plugins.core.text.calendar import AMBIGUOUS_MONTHS, MONTH_NAME, MONTH_NUMBERS, chinese_number

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:19|20)\d\d"
_CHINESE_NUMBER = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"

_NUMERIC = re.compile(rf"(?<!\d)(?P<y>{_YEAR})[-/.](?P<m>0?[1-9]|1[0-2])(?:[-/.](?P<d>{_DAY}))?(?!\d)", re.ASCII)
_CHINESE = re.compile(
    rf"(?:(?P<y>{_YEAR})\s?年\s?)?(?<!\d)(?P<m>{_CHINESE_NUMBER})\s?月(?!份?[以之]?[内前后])"
    rf"(?:\s?(?P<d>{_CHINESE_NUMBER})\s?[日号])?"
)
_ENGLISH = re.compile(
    rf"\b(?:(?P<d1>{_DAY})(?:st|nd|rd|th)?(?:\s+of)?\s+)?(?P<m>{MONTH_NAME})\b\.?"
    rf"(?:\s+(?P<d2>{_DAY})(?:st|nd|rd|th)?\b(?![:.]\d))?(?:,?\s+(?P<y>{_YEAR})\b)?",
    re.IGNORECASE | re.ASCII,
)


def date_terms(text: str) -> Iterator[str]:
    """Yield the terms of every date in ``text``, from the most to the least exact of each. Chinese is simplified."""
    for match in _NUMERIC.finditer(text):
        yield from _terms(match["y"], int(match["m"]), match["d"])
    if "月" in text:
        for match in _CHINESE.finditer(text):
            day = match["d"]
            yield from _terms(match["y"], chinese_number(match["m"]), str(chinese_number(day)) if day else None)
    for match in _ENGLISH.finditer(text):
        name, day, year = match["m"], match["d1"] or match["d2"], match["y"]
        # Alone these count as months only with a capital letter.
        if name.lower() in AMBIGUOUS_MONTHS and not (day or year or name[0].isupper()):
            continue
        yield from _terms(year, MONTH_NUMBERS[name.lower()], day)


def _terms(year: str | None, month: int, day: str | None) -> Iterator[str]:
    """Yield the terms of one date; an impossible one has none."""
    number = int(day) if day else 0
    if not 1 <= month <= 12 or number > 31:
        return
    if year and number:
        yield f"{year}-{month:02}-{number:02}"
    if year:
        yield f"{year}-{month:02}"
    if number:
        yield f"--{month:02}-{number:02}"
    yield f"--{month:02}"
