"""Days as people write them: a model that reads "7 May 2023" answers with it."""

import calendar
from datetime import date

from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern

_CHINESE = LazyPattern("[\u4e00-\u9fff]")


def is_chinese(text: str) -> bool:
    """Return whether dates beside a text are written in Chinese."""
    return not text.isascii() and _CHINESE.search(text) is not None


def day_in_words(day: date, *, chinese: bool) -> str:
    """Return "7 May 2023" or "2023年5月7日"."""
    if chinese:
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"
