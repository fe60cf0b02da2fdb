"""What phrases of days to come mean in the calendar, in English and Chinese."""

import re
from datetime import date, timedelta

from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEKDAYS, MONTH_NUMBERS, WEEKDAYS
from nanobot_memory_plugins.core.text.numbers import ENGLISH_NUMBERS, chinese_number
from nanobot_memory_plugins.core.text.relative_dates.calendar import (
    DaySpan,
    day_of_month,
    month_of,
    months_back,
    single,
    week_of,
    weekday_of,
)
from nanobot_memory_plugins.core.text.relative_dates.rules import Resolve

_LEAP_DAY_YEARS = 9
_DECEMBER = 12
# The last days of the first and the second third of a month.
_TENTH, _TWENTIETH = 10, 20
_DAYS = {name[:3]: number for number, name in enumerate(WEEKDAYS)}
_DAYS_OF = {"week": 7, "fortnight": 14, "周": 7, "星期": 7, "礼拜": 7}
# How many weeks, months or years "next" and 下 go on.
_LATER = {"next": 1, "下": 1, "下下": 2, "明": 1, "后": 2, "next year": 1}
_FEASTS = {
    "new year's eve": (12, 31),
    "new years eve": (12, 31),
    "new year": (1, 1),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "valentine": (2, 14),
    "halloween": (10, 31),
    "跨年": (12, 31),
    "元旦": (1, 1),
    "国庆": (10, 1),
    "劳动节": (5, 1),
    "五一": (5, 1),
    "儿童节": (6, 1),
    "平安夜": (12, 24),
    "圣诞": (12, 25),
    "情人节": (2, 14),
}


def nothing(_match: re.Match[str], _today: date) -> None:
    """Take a phrase that names no day to come."""


def days_on(count: int) -> Resolve:
    """Return what names a day so many days ahead."""
    return lambda _match, today: single(today + timedelta(days=count))


def units_on(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve "in two weeks", 一个半月后: months by the calendar, their halves by 15 days."""
    number, unit = _number(match["n"]) + (0.5 if match.groupdict().get("more") else 0), match["unit"]
    if not number:
        return None
    if unit in ("year", "年", "month", "月"):
        months = number * (_DECEMBER if unit in ("year", "年") else 1)
        day = months_back(today, -int(months))
        return single(day + timedelta(days=15 if months % 1 else 0))
    return single(today + timedelta(days=round(number * _DAYS_OF.get(unit, 1))))


def weekday(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve "Friday", "this Friday" and "next Friday", which is that of the next week."""
    wanted = _DAYS[match["name"][:3]]
    which = match.groupdict().get("which") or ""
    if which == "next":
        return weekday_of(today, wanted, -1)
    day = today + timedelta(days=(wanted - today.weekday()) % 7)
    return single(day) if which != "this" or day <= week_of(today).end else None


def weekday_of_week(match: re.Match[str], today: date) -> DaySpan:
    """Resolve "Friday next week"."""
    return weekday_of(today, _DAYS[match["name"][:3]], -_later(match))


def weeks_from(match: re.Match[str], today: date) -> DaySpan:
    """Resolve "two weeks from Saturday", "a week from tomorrow"."""
    ahead = (_DAYS[match["name"][:3]] - today.weekday()) % 7 if match["name"] else 1
    return single(today + timedelta(days=ahead + 7 * int(_number(match["n"]))))


def chinese_weekday(match: re.Match[str], today: date) -> DaySpan:
    """Resolve 周五, 这周五, 下周五."""
    wanted = CHINESE_WEEKDAYS[match["name"]]
    span = weekday_of(today, wanted, -_later(match))
    return span if span.start >= today or match["which"] else weekday_of(today, wanted, -1)


def week(match: re.Match[str], today: date) -> DaySpan:
    """Resolve "next week", 这周末."""
    return week_of(today, -_later(match))


def day_or_month(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve "March 5", "end of March", 明年3月5日, 九月底."""
    named = match.groupdict()
    day, year = named.get("day"), named.get("year") or ""
    month = MONTH_NUMBERS.get(named["month"]) or chinese_number(named["month"])
    if not 1 <= month <= _DECEMBER:
        return None
    return _to_come(today, month, chinese_number(day) if day else None, named.get("part") or "", _year(year, today))


def feast(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve a feast that has its day in the calendar."""
    month, day = next(day for name, day in _FEASTS.items() if match["feast"].startswith(name))
    return _to_come(today, month, day, "", _year(match["year"] or "", today))


def of_this_month(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve what names a month by "this" or "next", or not at all: the 15th, 下个月15号, 月底."""
    named = match.groupdict()
    day = named.get("day")
    month = months_back(today.replace(day=1), -_later(match))
    if not day:
        return _part(month_of(month.year, month.month), named.get("part") or "")
    span = day_of_month(month.year, month.month, chinese_number(day))
    if named.get("which") or (span is not None and span.start >= today):
        return span
    month = months_back(month, -1)
    return day_of_month(month.year, month.month, chinese_number(day))


def end_of_month(match: re.Match[str], today: date) -> DaySpan:
    """Resolve "the last day of the month"."""
    month = months_back(today.replace(day=1), -_later(match))
    return single(month_of(month.year, month.month).end)


def first_of_next_month(_match: re.Match[str], today: date) -> DaySpan:
    """Resolve "the first of next month"."""
    return single(months_back(today.replace(day=1), -1))


def whole_year(match: re.Match[str], today: date) -> DaySpan:
    """Resolve "next year", 年底."""
    year = today.year + _later(match)
    return DaySpan(date(year, 1, 1), date(year, _DECEMBER, 31))


def end_of_year(match: re.Match[str], today: date) -> DaySpan:
    """Resolve "the last day of the year"."""
    return single(whole_year(match, today).end)


def _later(match: re.Match[str]) -> int:
    return _LATER.get(match.groupdict().get("which") or "", 0)


def _year(name: str, today: date) -> int | None:
    """Return the year that is named, in figures or not, or None."""
    if not name:
        return None
    return int(name) if name.isdecimal() else today.year + _LATER.get(name, 0)


def _number(text: str) -> float:
    if text.startswith("half") or text == "半":
        return 0.5
    return {"a": 1, "an": 1, "a couple of": 2}.get(text) or ENGLISH_NUMBERS.get(text) or chinese_number(text)


def _to_come(today: date, month: int, day: int | None, part: str, year: int | None) -> DaySpan | None:
    """Return a day or a part of a month: of a year, or the next to come."""
    for one in [year] if year else range(today.year, today.year + _LEAP_DAY_YEARS):
        span = day_of_month(one, month, day) if day else _part(month_of(one, month), part)
        if span is not None and (span.end >= today or year):
            return span
    return None


def _part(month: DaySpan, part: str) -> DaySpan:
    if part.startswith(("初", "上", "early", "beginning", "start")):
        return DaySpan(month.start, month.start.replace(day=_TENTH))
    if part.startswith(("中", "mid")):
        return DaySpan(month.start, month.start.replace(day=_TWENTIETH))
    return month
