"""Relative dates in English. Text is lower case, with single spaces."""

import re
from datetime import date, timedelta

from nanobot_memory_plugins.core.text.calendar import FULL_WEEKDAY, MONTH_NAME, MONTH_NUMBERS, WEEKDAYS
from nanobot_memory_plugins.core.text.numbers import ENGLISH_NUMBERS
from nanobot_memory_plugins.core.text.relative_dates.calendar import (
    DaySpan,
    ago,
    day_of_month,
    days_back,
    latest_date,
    latest_month,
    latest_weekday,
    latest_weekend,
    month_of,
    months_back,
    rolling,
    single,
    week_of,
    weekday_of,
    weekend_of,
    year_of,
)
from nanobot_memory_plugins.core.text.relative_dates.rules import Rules

# Fewest and most that a count may stand for.
_COUNTS = {
    **{word: (number, number) for word, number in ENGLISH_NUMBERS.items()},
    **dict.fromkeys(("a", "an"), (1, 1)),
    "couple": (2, 3),
    "few": (2, 5),
    "several": (3, 7),
}

_NUMBER = rf"(?:\d{{1,4}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_COUNT = rf"(?:(?P<low>{_NUMBER})(?: or |-| to ))?(?:an? )?(?P<n>{_NUMBER})(?: of)?"
_UNIT = rf"(?P<unit>minute|hour|day|night|weekend|week|fortnight|month|year|{FULL_WEEKDAY})s?"
_MONTH = rf"(?P<month>{MONTH_NAME})"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?:of )?(?P<year>(?:19|20)\d\d\b|(?:last|this|next) year))"


def _count(word: str) -> tuple[int, int]:
    return _COUNTS.get(word) or (int(word), int(word))


def _ago(match: re.Match[str], today: date) -> DaySpan | None:
    fewest, most = _count(match["n"])
    if match["low"]:
        fewest = _count(match["low"])[0]
    unit = match["unit"]
    if unit in WEEKDAYS:
        back = latest_weekday(today, WEEKDAYS.index(unit), before_today=True).start
        return DaySpan(back - timedelta(weeks=most - 1), back - timedelta(weeks=fewest - 1))
    match unit:
        case "minute":
            return single(today)
        case "hour":  # midnight may lie between
            return days_back(today, -(-most // 24), fewest // 24)
        case "night":
            unit = "day"
        case "fortnight":
            unit, fewest, most = "week", fewest * 2, most * 2
        case "weekend":
            last = 1 if today.weekday() < 6 else 0
            return DaySpan(
                weekend_of(today, most - 1 + last).start,
                weekend_of(today, fewest - 1 + last).end,
            )
    return ago(today, unit, fewest, most)


def _rolling(match: re.Match[str], today: date) -> DaySpan | None:
    most = _count(match["n"])[1] if match["n"] else 1
    unit = match["unit"]
    if unit in WEEKDAYS:
        return DaySpan(
            latest_weekday(today, WEEKDAYS.index(unit), before_today=True).start - timedelta(weeks=most - 1), today
        )
    match unit:
        case "minute":
            return single(today)
        case "hour":
            return days_back(today, -(-most // 24), 0)
        case "night":
            unit = "day"
        case "fortnight":
            unit, most = "week", most * 2
        case "weekend":
            return DaySpan(weekend_of(today, most).start, latest_weekend(today).end)
    return rolling(today, unit, most)


def _past(match: re.Match[str], today: date) -> DaySpan | None:
    unit = match["unit"]
    if unit == "weekend":
        return weekend_of(today, 1)
    if unit in WEEKDAYS:
        return latest_weekday(today, WEEKDAYS.index(unit), before_today=True)
    return rolling(today, unit, 1)


def _before_last(match: re.Match[str], today: date) -> DaySpan | None:
    match match["unit"]:
        case "week":
            return week_of(today, 2)
        case "weekend":
            return weekend_of(today, 2)
        case "month":
            before = months_back(today, 2)
            return month_of(before.year, before.month)
        case "year":
            return year_of(today.year - 2)
    return days_back(today, 2, 2)


def _last(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve "last" and "this" with a calendar unit, a day of the week or a month."""
    back, unit = match["which"] != "this", match["unit"]
    if unit in WEEKDAYS:
        number = WEEKDAYS.index(unit)
        return latest_weekday(today, number, before_today=True) if back else weekday_of(today, number)
    if unit in MONTH_NUMBERS:
        number = MONTH_NUMBERS[unit]
        return latest_month(today, number, before_this=True) if back else month_of(today.year, number)
    match unit:
        case "week":
            return week_of(today, back)
        case "weekend":
            return weekend_of(today, back)
        case "month":
            first = months_back(today, back)
            return month_of(first.year, first.month)
        case "year":
            return year_of(today.year - back)
    return days_back(today, back, back)


def _weekday_of_week(match: re.Match[str], today: date) -> DaySpan | None:
    return weekday_of(today, WEEKDAYS.index(match["unit"]), match["which"] == "last")


def _date(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve a date with or without its year, or a month with its year."""
    named = match.groupdict()
    month, day, year = MONTH_NUMBERS[match["month"]], named.get("day"), named.get("year")
    if year is None:
        return latest_date(today, month, int(day)) if day else latest_month(today, month)
    relative = {"last year": today.year - 1, "this year": today.year, "next year": 0}
    number = relative[year] if year in relative else int(year)
    if not number:
        return None
    return day_of_month(number, month, int(day)) if day else month_of(number, month)


def _other(match: re.Match[str], today: date) -> DaySpan | None:
    return days_back(today, 28, 7) if match["unit"] == "week" else days_back(today, 7, 1)


RULES = Rules(
    {
        "before_last": (r"\b(?P<unit>day|night|week|weekend|month|year) before (?:last|yesterday)\b", _before_last),
        "ago": (rf"\b{_COUNT} {_UNIT} (?:ago|back)\b", _ago),
        "half_year": (r"\bhalf a year (?:ago|back)\b", lambda _, today: ago(today, "month", 5, 7)),
        "rolling": (rf"\b(?:past|last) {_COUNT} {_UNIT}\b", _rolling),
        "within": (
            r"\b(?:in|over|within|during) the (?:past|last)(?P<n>) (?P<unit>day|week|month|year)\b",
            _rolling,
        ),
        "past": (rf"\bpast (?P<unit>day|weekend|week|month|year|{FULL_WEEKDAY})\b", _past),
        "last": (
            rf"\b(?P<which>last|previous|this) (?P<unit>morning|afternoon|evening|night|weekend|week|month|year|"
            rf"{FULL_WEEKDAY}|{_MONTH[len('(?P<month>') : -1]})\b",
            _last,
        ),
        "weekday_of_week": (rf"\b(?P<unit>{FULL_WEEKDAY})(?: of)? (?P<which>last|this) week\b", _weekday_of_week),
        "weekday": (
            rf"\bon (?P<unit>{FULL_WEEKDAY})\b",
            lambda match, today: latest_weekday(today, WEEKDAYS.index(match["unit"]), before_today=False),
        ),
        "day_month": (rf"\b{_DAY}(?: of)? {_MONTH}\b{_YEAR}?", _date),
        "month_day": (rf"\b{_MONTH}\.? (?:the )?{_DAY}\b(?![:.]\d){_YEAR}?", _date),
        "month_year": (rf"\b{_MONTH}\.?{_YEAR}", _date),
        "month": (
            r"\b(?:in|since|during|around|early|late|mid|(?:end|start|beginning|middle|month) of)[ -]"
            rf"{_MONTH}\b{_YEAR}?",
            _date,
        ),
        "year": (r"\b(?:in|during|since) (?P<year>(?:19|20)\d\d)\b", lambda match, _: year_of(int(match["year"]))),
        "weekend": (r"\bthe weekend\b", lambda _, today: latest_weekend(today)),
        "other": (r"\bthe other (?P<unit>day|night|morning|afternoon|evening|week)\b", _other),
        "today": (r"\b(?:today|tonight|just now)\b", lambda _, today: single(today)),
        "yesterday": (r"\byesterday\b", lambda _, today: days_back(today, 1, 1)),
    }
)

CERTAIN = frozenset({"before_last", "ago", "half_year", "last", "weekday_of_week", "yesterday"})
"""The rules whose phrases mean the same days to everybody: "on Friday" may lie ahead, "the other day" is any."""


def _ahead(match: re.Match[str], today: date) -> DaySpan:
    match match["unit"]:
        case "week":
            return week_of(today, -1)
        case "weekend":
            return weekend_of(today, -1)
        case "month":
            first = months_back(today, -1)
            return month_of(first.year, first.month)
    return year_of(today.year + 1)


AHEAD = Rules(
    {
        "next": (r"\bnext (?P<unit>week|weekend|month|year)\b", _ahead),
        "day_after": (r"\bday after tomorrow\b", lambda _, today: days_back(today, -2, -2)),
        "tomorrow": (r"\btomorrow\b", lambda _, today: days_back(today, -1, -1)),
    }
)
"""What lies ahead of the day on which it is said. "Next Friday" is this week's to some, and left alone."""
