"""Until when a todo holds: dates as a model or a person writes them, seen from the day on which they were said."""

import re
import unicodedata
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, tzinfo

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.model.entry import Category
from nanobot_memory_plugins.core import language_of
from nanobot_memory_plugins.core.text import CHINESE_WEEKDAYS, ENGLISH_NUMBERS, MONTH_NUMBERS, WEEKDAYS, chinese_number
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_LONGEST = 500
# Farther ahead than this it is no date of a todo.
_FARTHEST = timedelta(days=3_660)

_ISO = re.compile(r"(?<!\d)(20\d\d)[-/.年](\d{1,2})[-/.月](\d{1,2})日?")
_MONTH_DAY = re.compile(r"(?<!\d)(1[0-2]|0?[1-9])月(3[01]|[12]\d|0?[1-9])[日号]")
_MONTH_NAME = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_ENGLISH_DAY = re.compile(
    rf"\b{_MONTH_NAME}\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (20\d\d))?"
    rf"|\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH_NAME}\b(?:,? (20\d\d))?"
)
_DAYS = {name[:3]: number for number, name in enumerate(WEEKDAYS)}
_WEEKDAY = re.compile(r"\b(next |this |coming )?(mon|tues|wednes|thurs|fri|satur|sun)day\b")
_ZH_WEEKDAY = re.compile(r"(下下|下个?|这个?|本)?(?:周|星期|礼拜)([一二三四五六日天])")
_IN = re.compile(r"\b(?:in|within) (\d{1,3}|a|one|two|three|four|five|six|seven) (day|week|month)s?\b")
_ZH_IN = re.compile(r"(\d{1,3}|[一二两三四五六七八九十])个?(天|日|周|星期|礼拜|月)(?:之?后|以?内|内)")
_AHEAD = (
    (re.compile(r"大后天"), 3),
    (re.compile(r"\bday after tomorrow\b|后天"), 2),
    (re.compile(r"\btomorrow\b|明天|明日|明早|明晚"), 1),
    (re.compile(r"\b(?:today|tonight)\b|今天|今日|今晚"), 0),
)
_NEXT_WEEK = re.compile(r"\bnext week\b|下个?(?:周|星期|礼拜)(?![一二三四五六日天])")
_THIS_WEEK = re.compile(r"\b(?:this week|end of the week)\b|(?:这|本)个?(?:周|星期|礼拜)(?![一二三四五六日天])|周末")
_NEXT_MONTH = re.compile(r"\bnext month\b|下个?月")
_THIS_MONTH = re.compile(r"\b(?:this month|end of the month)\b|(?:这|本)个?月|月底|月末")


_CLEARLY_AHEAD = re.compile(r"\b(?:tomorrow|tonight|next)\b|明[天日早晚]|后天|下下?个?(?:周|星期|礼拜|月)")
_HABIT_OR_PAST = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|yearly|usually|always|often|regularly|weekends|(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)days"
    r"|(?:times|once|twice) an? (?:day|week|month|year)|last|ago|yesterday|since|past)\b|每|天天|周末|通常|一般"
    r"|经常|平时|总是|逢|一[天周月]\w{0,2}次|上个?(?:周|星期|礼拜|月)|昨|前天|去年|以来",
)


def day_meant(text: str, said_on: date) -> date | None:
    """Return the last day that ``text`` speaks of, not before ``said_on``, or None when it names none.

    "Next week" is its Sunday. A date without a year is the next one to come. Never raises.
    """
    plain = _plain(text)
    try:
        day = _absolute(plain, said_on) or _relative(plain, said_on)
    except (ValueError, OverflowError):
        return None
    return day if day is not None and said_on <= day <= said_on + _FARTHEST else None


def names_a_day_relatively(text: str) -> bool:
    """Say whether a text names a day that another day would read differently: "tomorrow", 下周三."""
    plain = _plain(text)
    try:
        return _ISO.search(plain) is None and _relative(plain, date(2026, 1, 1)) is not None
    except (ValueError, OverflowError):
        return False


def is_habit_or_past(text: str) -> bool:
    """Say whether a text tells of what happens again and again, or has happened: no day to come is meant."""
    return _HABIT_OR_PAST.search(_plain(text)) is not None


def with_its_day(candidate: Candidate, quote: str, said_on: date) -> Candidate:
    """Return a candidate with the day that it names relatively; what the model has resolved stays as it is."""
    content = candidate.content
    if _ISO.search(_plain(content)) or not names_a_day_relatively(content) or is_habit_or_past(f"{quote} {content}"):
        return candidate
    # "On Monday" may be any, unless it is a task.
    if candidate.category is not Category.TODO and not _CLEARLY_AHEAD.search(_plain(content)):
        return candidate
    day = day_meant(candidate.expires_at, said_on) or day_meant(content, said_on)
    if day is None:
        return candidate
    mark = f"（{day:%Y-%m-%d}）" if language_of(content) == "zh" else f" ({day:%Y-%m-%d})"
    return candidate.model_copy(update={"content": content.rstrip(".。") + mark})


def expiry_of(candidate: Candidate, quote: str, said_at: datetime) -> datetime | None:
    """Return until when a todo holds: the day that the model has resolved, or where there is none the quoted one."""
    if candidate.category is not Category.TODO or said_at.tzinfo is None:
        return None
    said_on = said_at.date()
    day = day_meant(candidate.expires_at, said_on)
    if day is None and not is_habit_or_past(quote):
        day = day_meant(candidate.content, said_on) or day_meant(quote, said_on)
    return end_of(day, said_at.tzinfo) if day is not None else None


def end_of(day: date, zone: tzinfo) -> datetime:
    """Return the moment at which a day is over in a time zone, in UTC."""
    after = day + timedelta(days=1)
    return datetime(after.year, after.month, after.day, tzinfo=zone).astimezone(UTC)


def _plain(text: str) -> str:
    return " ".join(simplified(unicodedata.normalize("NFKC", text[:_LONGEST])).casefold().split())


def _absolute(text: str, today: date) -> date | None:
    if found := _ISO.search(text):
        return date(int(found[1]), int(found[2]), int(found[3]))
    if found := _MONTH_DAY.search(text):
        return _to_come(int(found[1]), int(found[2]), None, today)
    if found := _ENGLISH_DAY.search(text):
        month, day, year = (found[1], found[2], found[3]) if found[1] else (found[5], found[4], found[6])
        return _to_come(MONTH_NUMBERS[month], int(day), int(year) if year else None, today)
    return None


def _to_come(month: int, day: int, year: int | None, today: date) -> date:
    if year is not None:
        return date(year, month, day)
    this_year = date(today.year, month, day)
    return this_year if this_year >= today else date(today.year + 1, month, day)


def _relative(text: str, today: date) -> date | None:
    for pattern, days in _AHEAD:
        if pattern.search(text):
            return today + timedelta(days=days)
    if found := _IN.search(text) or _ZH_IN.search(text):
        return _after(found[1], found[2], today)
    monday = today - timedelta(days=today.weekday())
    if found := _ZH_WEEKDAY.search(text):
        weeks = 2 if found[1] == "下下" else 1 if (found[1] or "").startswith("下") else 0
        day = monday + timedelta(days=CHINESE_WEEKDAYS[found[2]] + 7 * weeks)
        return day if day >= today else day + timedelta(days=7)
    if found := _WEEKDAY.search(text):
        wanted = _DAYS[found[2][:3]]
        if found[1] == "next ":
            return monday + timedelta(days=7 + wanted)
        return today + timedelta(days=(wanted - today.weekday()) % 7)
    if _NEXT_WEEK.search(text):
        return monday + timedelta(days=13)
    if _THIS_WEEK.search(text):
        return monday + timedelta(days=6)
    if _NEXT_MONTH.search(text):
        first = today.replace(day=1) + timedelta(days=32)
        return _last_of_month(first)
    return _last_of_month(today) if _THIS_MONTH.search(text) else None


def _after(count: str, unit: str, today: date) -> date:
    number = 1 if count == "a" else ENGLISH_NUMBERS.get(count) or chinese_number(count)
    days = 30 if unit in ("month", "月") else 7 if unit in ("week", "周", "星期", "礼拜") else 1
    return today + timedelta(days=number * days)


def _last_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])
