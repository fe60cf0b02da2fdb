"""Spans of days, and the arithmetic of the calendar that they need."""

import calendar
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, timedelta

MONDAY, SATURDAY = 0, 5

# Half of the window that "N units ago" stands for, in days: nobody counts weeks and months to the day.
_SLACK = {"day": 0, "week": 3, "month": 15, "year": 182}
_DAYS_A_WEEK = 7
_MONTHS_A_YEAR = 12
# A leap day comes again after 8 years at the latest (1896 to 1904).
_LEAP_DAY_YEARS = 9


@dataclass(frozen=True, slots=True)
class DaySpan:
    """The days from ``start`` to ``end``, both included."""

    start: date
    end: date


def single(day: date) -> DaySpan:
    """Return the span of one day."""
    return DaySpan(day, day)


def days_back(today: date, furthest: int, nearest: int) -> DaySpan:
    """Return the span from ``furthest`` to ``nearest`` days before today."""
    return DaySpan(today - timedelta(days=furthest), today - timedelta(days=nearest))


def week_of(today: date, back: int = 0) -> DaySpan:
    """Return Monday to Sunday of the week that lies ``back`` weeks before today's."""
    monday = today - timedelta(days=today.weekday() + back * _DAYS_A_WEEK)
    return DaySpan(monday, monday + timedelta(days=6))


def weekday_of(today: date, weekday: int, back: int = 0) -> DaySpan:
    """Return one day of a week, Monday being 0."""
    return single(week_of(today, back).start + timedelta(days=weekday))


def weekend_of(today: date, back: int = 0) -> DaySpan:
    """Return Saturday and Sunday of a week."""
    saturday = week_of(today, back).start + timedelta(days=SATURDAY)
    return DaySpan(saturday, saturday + timedelta(days=1))


def latest_weekend(today: date) -> DaySpan:
    """Return the weekend that is, or the last that was."""
    return weekend_of(today, 0 if today.weekday() >= SATURDAY else 1)


def latest_weekday(today: date, weekday: int, *, before_today: bool) -> DaySpan:
    """Return the most recent such day: before today, or today as well."""
    back = (today.weekday() - weekday) % _DAYS_A_WEEK
    return single(today - timedelta(days=back or (_DAYS_A_WEEK if before_today else 0)))


def month_of(year: int, month: int) -> DaySpan:
    """Return a whole month."""
    return DaySpan(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def year_of(year: int) -> DaySpan:
    """Return a whole year."""
    return DaySpan(date(year, 1, 1), date(year, 12, 31))


def months_back(today: date, months: int) -> date:
    """Return the day so many months before, or the last of its month where that is shorter."""
    index = today.year * _MONTHS_A_YEAR + today.month - 1 - months
    year, month = divmod(index, _MONTHS_A_YEAR)
    last = calendar.monthrange(year, month + 1)[1] if MINYEAR <= year <= MAXYEAR else 0
    return date(year, month + 1, min(today.day, last))


def latest_month(today: date, month: int, *, before_this: bool = False) -> DaySpan:
    """Return the most recent such month: this one as well, or only those that are over."""
    still_ahead = month > today.month or (before_this and month == today.month)
    return month_of(today.year - still_ahead, month)


def day_of_month(year: int, month: int, day: int) -> DaySpan | None:
    """Return one date, or None when there is no such day."""
    try:
        return single(date(year, month, day))
    except ValueError:
        return None


def latest_date(today: date, month: int, day: int) -> DaySpan | None:
    """Return the most recent such day of a year that is not still to come."""
    for year in range(today.year, today.year - _LEAP_DAY_YEARS, -1):
        span = day_of_month(year, month, day)
        if span is not None and span.start <= today:
            return span
    return None


def ago(today: date, unit: str, fewest: int, most: int) -> DaySpan:
    """Return the window that "so many units ago" stands for: a unit wide, and wider for a vague count."""
    slack = timedelta(days=_SLACK[unit])
    start, end = _back(today, unit, most) - slack, _back(today, unit, fewest) + slack
    return DaySpan(start, min(end, today))


def rolling(today: date, unit: str, count: int) -> DaySpan:
    """Return the last so many units, up to today."""
    return DaySpan(_back(today, unit, count), today)


def _back(today: date, unit: str, count: int) -> date:
    if unit in ("month", "year"):
        return months_back(today, count * (_MONTHS_A_YEAR if unit == "year" else 1))
    return today - timedelta(days=count * (_DAYS_A_WEEK if unit == "week" else 1))
