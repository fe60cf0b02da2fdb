"""The days that an entry's text speaks of: each behind its phrase, and the one on which a plan is over."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from nanobot_memory_plugins.core import language_of
from nanobot_memory_plugins.core.text import Act, DayAhead, LazyPattern, days_ahead, message_reading
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_NAMES_ITS_YEAR = LazyPattern(r"(?<!\d)20\d\d")
_ISO = LazyPattern(r"(?<!\d)20\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}")
# What comes again each year, and what goes on from its day on, is not over then; what was is no plan.
_GOES_ON = LazyPattern(
    r"\b(?:birthday|anniversary|name day|born|was|were|did|had)\b|\bturn(?:s|ing)? (?:\d|\w+(?:teen|ty)\b|one\b|two\b"
    r"|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|eleven\b|twelve\b)"
    r"|\b(?:start|begin|mov|becom|join|retir|get(?:ting)? married|switch|live|work)\w*\b|\bfrom\b[^.]* on\b|\bsince\b"
    r"|满.{1,4}岁|生日|诞辰|纪念日|节日|出生|开始|入职|搬|起[^床飞]|成为|退休|结婚|改成|改用|换成",
    re.IGNORECASE,
)
# Unless it says when it ends, or how long it takes: "a 4-month stay starting in May".
_ENDS = LazyPattern(
    r"\b(?:until|till|expires?|runs? out|ends?|lasts?)\b"
    r"|(?:\d+|\bone|\btwo|\bthree|\bfour|\bsix)-(?:day|week|month|year)\b"
    r"|\bfor (?:\d+|an?|one|two|three|four|six) (?:days?|weeks?|months?|years?)\b|到期|截止|为止|结束",
    re.IGNORECASE,
)
# From then on, without an end.
_FROM_A_DAY = LazyPattern(r"\bfrom 20\d\d-\d\d-\d\d(?!\W+(?:to|until|till|through)\b)|20\d\d-\d\d-\d\d[起开]")


# A first clause that announces the plan itself, and a second one that is about what the first one names.
_ANNOUNCES = LazyPattern(
    r"\b(?:will|shall|must|should|gonna|needs?|plans?|wants?|(?:going|have|has|need|want) to|there(?:'s| is| are)"
    r"|(?:have|has|got) an?)\b|\w'll\b|要|打算|准备|计划|得|约|有",
    re.IGNORECASE,
)
_SPEAKS_OF_IT = LazyPattern(r"\W*(?:(?:and|but|so)\s+)?(?:it|that|this|which)\b|\W*(?:它|那|就|时间)", re.IGNORECASE)
# What a time of the day is said with, beside figures.
_OF_A_TIME = LazyPattern(
    r"\b(?:and|on|at|in|by|the|from|to|between|about|around|[ap]\.?m|o'?clock|noon|sharp|morning|afternoon|evening|night"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|past|quarter)\b"
    r"|[\d\W]|早上|上午|中午|下午|晚上|凌晨|傍晚|[一二两三四五六七八九十半点时分钟刻整在的]",
    re.IGNORECASE,
)


def day_meant(text: str, said_on: date) -> date | None:
    """Return the day until which ``text`` says that something has to be done, or None when it names no day to come.

    Where it names no such day it is the last one that it names. "Next week" is its Sunday.
    """
    found = days_ahead(text, said_on)
    return max((one.day for one in found if one.is_deadline), default=max((one.day for one in found), default=None))


def goes_on(text: str) -> bool:
    """Return whether what a text tells of is not over with its day: a birthday, the first day at work."""
    return _GOES_ON.search(simplified(text)) is not None and not takes_time(text)


def begins_on_a_day(text: str) -> bool:
    """Return whether a text tells from which day on something is so, and not until when."""
    return _FROM_A_DAY.search(text) is not None


def takes_time(text: str) -> bool:
    """Return whether a text tells how long something takes, or when it ends: its day is another than its first one."""
    return _ENDS.search(simplified(text)) is not None


def begins_with_what_stays(text: str, said_on: date) -> bool:
    """Return whether a text states something without a day before it tells of a plan: that is not over with its day.

    "My locker is in room three, and I swim on Wednesday" keeps the locker. What stands behind a plan belongs to it:
    "the flight leaves on Friday, the gate opens at 9".
    """
    clauses = message_reading(text).clauses
    if len(clauses) < 2 or clauses[0].act is not Act.STATES:
        return False
    first, then = (simplified(one.text) for one in clauses[:2])
    if days_ahead(first, said_on) or _ANNOUNCES.search(first) or _SPEAKS_OF_IT.match(then):
        return False
    return any(_tells_more(simplified(one.text), said_on) for one in clauses[1:])


def _tells_more(clause: str, said_on: date) -> bool:
    """Return whether a clause names a day, and what is on it."""
    days = days_ahead(clause, said_on)
    for one in reversed(days):
        clause = f"{clause[: one.start]} {clause[one.end :]}"
    return bool(days) and _OF_A_TIME.sub("", clause) != ""


def with_days(text: str, said_on: date, *, is_task: bool, resolved: date | None = None) -> str:
    """Return a text with the day behind each phrase that would be read differently later.

    ``resolved`` counts where there is one phrase, which may mean it. A text with a whole date stays as it is. "On
    Monday" may be any, 5 March that of any year, unless it is a task; "next month" has a day for one that ends with it.
    """
    if _ISO.search(text):
        return text
    phrases = [one for one in days_ahead(text, said_on) if _may_be_misread(one, text, is_task=is_task)]
    only = resolved if resolved is not None and len(phrases) == 1 and phrases[0].may_be(resolved) else None
    for one in reversed(phrases):
        text = f"{text[: one.end]}{_mark(only or one.day, text)}{text[one.end :]}"
    return text


def end_of_plan(text: str, said_at: datetime, *, is_task: bool) -> datetime | None:
    """Return when a plan is over that is told in the user's own words, or None where it has no end."""
    if said_at.tzinfo is None or goes_on(text) or begins_with_what_stays(text, said_at.date()):
        return None
    named = days_ahead(text, said_at.date())
    days = [one.day for one in named if is_task or one.is_deadline or (one.is_certain and not one.is_relative)]
    return end_of(max(days), said_at.tzinfo) if days else None


def end_of(day: date, zone: tzinfo | None) -> datetime:
    """Return the moment at which a day is over in a time zone, in UTC."""
    after = day + timedelta(days=1)
    return datetime(after.year, after.month, after.day, tzinfo=zone).astimezone(UTC)


def last_day(ends_at: datetime, zone: tzinfo | None = None) -> date:
    """Return the last day, the machine's by default, on which something holds that ends at a moment."""
    return (ends_at - timedelta(microseconds=1)).astimezone(zone).date()


def _may_be_misread(one: DayAhead, text: str, *, is_task: bool) -> bool:
    if one.is_relative:
        return (is_task or one.is_ahead) if one.first == one.day else is_task and one.is_deadline
    return is_task and not goes_on(text) and not _NAMES_ITS_YEAR.search(text[one.start : one.end])


def _mark(day: date, text: str) -> str:
    return f"（{day:%Y-%m-%d}）" if language_of(text) == "zh" else f" ({day:%Y-%m-%d})"
