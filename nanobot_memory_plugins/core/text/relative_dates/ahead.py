"""The days that lie ahead of the one on which a text was said: "in two weeks", "end of March", 下个月15号, 九月底.

What happens again and again ("every Tuesday", 每周二, 周末), a duration that is a rule ("Acme pays within 14 days") and
what is past ("last Friday", 上周五) is no day to come.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from nanobot_memory_plugins.core.text.calendar import (
    CHINESE_WEEK,
    CHINESE_WEEKDAY,
    CHINESE_WEEKDAY_NAME,
    WEEKDAY_NAME,
)
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.relative_dates.ahead_chinese import CHINESE
from nanobot_memory_plugins.core.text.relative_dates.ahead_english import ENGLISH
from nanobot_memory_plugins.core.text.relative_dates.further import further_phrases
from nanobot_memory_plugins.core.text.relative_dates.rules import Rules
from nanobot_memory_plugins.core.text.relative_dates.standing_terms import is_standing_term, tells_of_a_kind

_LONGEST = 500
# Farther ahead than this it is no date of a plan.
_FARTHEST = timedelta(days=3_660)
_DAYS_A_WEEK = 7

# The rules whose phrases mean the same whenever they are said, those by which everybody means one day, and those that
# lie ahead whatever stands around them.
_ABSOLUTE = frozenset({"iso", "month_day", "day_month", "date", "part_of_month", "feast"})
_OF_A_MONTH = frozenset({"last_of_year", "last_of_month", "first_of_month"})
_SOON = frozenset({"tomorrow", "day_after", "after_after", "in", "from_now", "from_weekday"})
_CERTAIN = _ABSOLUTE | _OF_A_MONTH | _SOON | {"today", "day_of_next", "day_of_month"}
_AHEAD = _OF_A_MONTH | _SOON | {"week_weekday", "part_of_this", "end_of_week", "end_of_year", "month_end", "year_end"}

_CERTAIN_FURTHER = frozenset({"day", "ahead", "coming_weekday"})

# Beside these a day that may be any is one of many.
_AGAIN = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|yearly|usually|always|often|regularly"
    r"|(?:times|once|twice) an? (?:day|week|month|year))\b|每|天天|通常|一般|经常|平时|总是|逢"
    rf"|一(?:[天月]|个?{CHINESE_WEEK})\w{{0,2}}次"
)
_PART_OF_DAY = r"(?: (?:early |late )?(?:morning|noon|lunchtime|afternoon|evening|night|dusk|sunset|sundown))?"
# "Open Tuesday to Saturday", "from Friday sunset to Saturday night", 周二、周四: several bare days are a week's, or
# nobody knows which.
_DAYS_OF_A_WEEK = re.compile(
    rf"\b{WEEKDAY_NAME}{_PART_OF_DAY}(?:,| ?[-–/&]| (?:to|till|until|through|thru|and|or|n))+ ?{WEEKDAY_NAME}\b"
    rf"|{CHINESE_WEEKDAY}(?:(?:到|至|和|跟|与|及|还有|或|、|-|~){CHINESE_WEEK}?|{CHINESE_WEEK}){CHINESE_WEEKDAY_NAME}"
    rf"|{CHINESE_WEEK}(?:一三|二四|三五)"
)
_SOMETIME = re.compile(r"\b(?:some ?time|some day|at some point|one of these)\b|什么时候|找个?时间|抽空|有空|改天")
# "Learned it in two weeks" tells how long it took.
_TOOK = re.compile(
    r"(?<!is )(?<!are )(?<!be )\b(?:was|were|did|had|went|took|got|made|built|wrote|ran|lost|learnt"
    r"|(?<!get )(?<!gets )(?!need|feed|speed|inde?ed)\w{2,}ed)\b(?! to\b)[^.;,]{0,80} (?:in|within) |内.{0,6}了"
)
# A clause that tells what was: "on the 24th of May I ran ...", 3月5日交了房租.
_TOLD = re.compile(
    r"\b(?:i|we|he|she|they|it) (?:was|were|did|had|went|took|got|made|built|wrote|ran|lost|bought|sold|met|saw|came"
    r"|left|paid|told|gave|found|(?!need|feed)\w{2,}ed)\b"
)
_TOLD_ZH = re.compile("(?<!到期)(?<!开始)(?<!结束)[了过](?![不得来去年生节])")
_NOT_TOLD_ZH = re.compile("[就要快该得会别]|记得|提醒|之?前")
_BORDER = re.compile("[,.;:。]")
_BY = re.compile(r"(?:\b(?:by|until|till|before|due|deadline|latest)\b[^.,;]{0,12}|截止(?:日期)?[到至是]?|最晚|赶在)$")
_UNTIL = re.compile(r" at the latest| deadline|之?前|以前|截止|到期")


@dataclass(frozen=True, slots=True)
class DayAhead:
    """A phrase of a text that names a day to come, or those from ``first`` to ``day``.

    ``is_relative``: another day would read it differently. ``is_certain``: everybody means this one day by it.
    ``is_ahead``: it lies ahead whatever stands around it. ``is_deadline``: something has to be done by then.
    """

    start: int
    end: int
    first: date
    day: date
    is_relative: bool
    is_certain: bool
    is_ahead: bool
    is_deadline: bool

    def may_be(self, day: date) -> bool:
        """Return whether somebody may mean a day by it: "next Friday" is this week's to some."""
        if self.first <= day <= self.day:
            return True
        return not self.is_certain and self.first == self.day and abs((day - self.day).days) == _DAYS_A_WEEK


def days_ahead(text: str, said_on: date) -> tuple[DayAhead, ...]:
    """Return the days to come that ``text`` speaks of, in its order, seen from the day on which it was said.

    A date without a year is the next one to come. Of a longer text the first 500 characters are read. Never raises.
    """
    folded = fold(text[:_LONGEST])
    rules = (ENGLISH,) if folded.isascii() else (ENGLISH, CHINESE)
    found = [one for language in rules for one in _found(language, folded, said_on)]
    found += _further(folded, said_on)
    return tuple(sorted(found, key=lambda one: one.start))


def _found(rules: Rules, folded: str, said_on: date) -> Iterator[DayAhead]:
    for one in rules.found(folded, said_on):
        end, name = one.start + len(one.phrase), one.rule
        if not said_on <= one.span.end <= said_on + _FARTHEST:
            continue
        is_ahead = name in _AHEAD or one.phrase.startswith(("next", "coming", "this coming", "下"))
        beside = folded[max(0, one.start - 30) : end + 20]
        if name == "in" and (_TOOK.search(beside) or is_standing_term(folded, one.start, end)):
            continue
        if one.span.start != one.span.end and _SOMETIME.search(beside):
            continue
        if not is_ahead and (_AGAIN.search(beside) or _is_told(folded, one.start, end)):
            continue
        if not is_ahead and any(
            several.start() <= one.start < several.end() for several in _DAYS_OF_A_WEEK.finditer(folded)
        ):
            continue
        if not is_ahead and name not in _CERTAIN and tells_of_a_kind(folded, one.start, end):
            continue
        yield DayAhead(
            one.start,
            end,
            one.span.start,
            one.span.end,
            is_relative=name not in _ABSOLUTE,
            is_certain=name in _CERTAIN and one.span.start == one.span.end,
            is_ahead=is_ahead,
            is_deadline=bool(_BY.search(folded[max(0, one.start - 24) : one.start]) or _UNTIL.match(folded, end)),
        )


def _further(folded: str, said_on: date) -> Iterator[DayAhead]:
    """Yield the days to come that further languages name: those that lie ahead whatever stands around them."""
    for one in further_phrases(folded, said_on):
        span, start, end = one.found.span, one.found.start, one.found.start + len(one.found.phrase)
        if not (one.is_ahead and said_on <= span.end <= said_on + _FARTHEST):
            continue
        is_certain = span.start == span.end and one.found.rule in _CERTAIN_FURTHER
        yield DayAhead(start, end, span.start, span.end, True, is_certain, is_ahead=True, is_deadline=False)


def _is_told(folded: str, start: int, end: int) -> bool:
    """Return whether the clause around a phrase tells what has been."""
    borders = [found.end() for found in _BORDER.finditer(folded, 0, start)]
    after = _BORDER.search(folded, end)
    clause = folded[borders[-1] if borders else 0 : after.start() if after else len(folded)]
    if _TOLD.search(clause):
        return True
    return _TOLD_ZH.search(clause) is not None and not _NOT_TOLD_ZH.search(clause)
