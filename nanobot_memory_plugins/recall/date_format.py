"""Days as people write them: a model that reads "2023-05-07" answers with it, and works out "last Friday" wrongly."""

import calendar
from collections.abc import Iterable
from datetime import date, timedelta

from nanobot_memory_plugins.core import DatedPhrase
from nanobot_memory_plugins.core.text import LazyPattern

_CHINESE = LazyPattern("[\u4e00-\u9fff]")
_MONTHS_A_YEAR = 12


def is_chinese(text: str) -> bool:
    """Return whether dates beside a text are written in Chinese."""
    return not text.isascii() and _CHINESE.search(text) is not None


def day_in_words(day: date, *, chinese: bool) -> str:
    """Return "7 May 2023" or "2023年5月7日"."""
    if chinese:
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"


def days_in_words(first: date, last: date, *, chinese: bool) -> str:
    """Return a span of days, as short as it can be said: a day, a month, a year, or from day to day.

    A span of more than ten days that is neither a month nor a year stands for a guess, and is named by its middle.
    """
    if first == last:
        return day_in_words(first, chinese=chinese)
    next_day = last + timedelta(days=1)
    if first.day == next_day.day == 1:
        months = (next_day.year - first.year) * _MONTHS_A_YEAR + next_day.month - first.month
        if months == 1:
            return _month(first, chinese=chinese)
        if months == _MONTHS_A_YEAR and first.month == 1:
            return f"{first.year}年" if chinese else str(first.year)
    days = (last - first).days
    if days > 10:
        middle = first + timedelta(days=days // 2)
        about = _month(middle, chinese=chinese) if days < 100 else f"{middle.year}年" if chinese else str(middle.year)
        return f"{about}前后" if chinese else f"around {about}"
    if chinese:
        return f"{day_in_words(first, chinese=True)}至{last.month}月{last.day}日"
    if first.month == last.month:
        return f"{first.day} to {day_in_words(last, chinese=False)}"
    return f"{first.day} {calendar.month_name[first.month]} to {day_in_words(last, chinese=False)}"


def with_days(text: str, phrases: Iterable[DatedPhrase]) -> str:
    """Return a text with the days in brackets behind each phrase that stands for them, at its first place."""
    chinese = is_chinese(text)
    for one in phrases:
        start = text.lower().find(one.phrase) if len(text.lower()) == len(text) else text.find(one.phrase)
        if start >= 0:
            end = start + len(one.phrase)
            text = f"{text[:end]} ({days_in_words(one.first, one.last, chinese=chinese)}){text[end:]}"
    return text


def _month(day: date, *, chinese: bool) -> str:
    return f"{day.year}年{day.month}月" if chinese else f"{calendar.month_name[day.month]} {day.year}"
