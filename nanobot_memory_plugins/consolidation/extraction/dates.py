"""The day of a candidate, and until when it holds: what the model has resolved, or else what the words say."""

import re
from collections.abc import Sequence
from datetime import date, datetime

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.model.entry import Category
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.consolidation.model.plan_days import (
    begins_on_a_day,
    day_meant,
    end_of,
    goes_on,
    takes_time,
    with_days,
)
from nanobot_memory_plugins.core.text import (
    SHORT_MONTH,
    SHORT_WEEKDAY,
    LazyPattern,
    days_ahead,
    names_standing_term,
    phrases_of,
)

# Words that speak of time at all: without one of them near a quote, a day is the model's invention.
_OF_TIME = LazyPattern(
    r"\d|[一二两三四五六七八九十]|[天日周月年明后今晚早]|星期|礼拜|节"
    rf"|\b(?:{SHORT_WEEKDAY}|{SHORT_MONTH})"
    r"|\b(?:one|two|three|four|five|six|seven|ten|tomorrow|to(?:day|night)|days?|weeks?|weekend|month|year|christmas"
    r"|easter)\b",
    re.IGNORECASE,
)
# A reminder is due on another day than what it is for.
_BEFOREHAND = LazyPattern(r"\b(?:before|ahead|earlier|advance|remind\w*)\b|提前|前一?天|之前|提醒", re.IGNORECASE)


def with_its_day(candidate: Candidate, said_on: date) -> Candidate:
    """Return a candidate with the days that it names relatively; what the model has resolved stays as it is."""
    resolved = day_meant(candidate.expires_at, said_on)
    is_task = candidate.category is Category.TODO
    content = with_days(candidate.content, said_on, is_task=is_task, resolved=resolved)
    return candidate if content == candidate.content else candidate.model_copy(update={"content": content})


def expiry_of(
    candidate: Candidate, quote: str, said_at: datetime, *, around: Sequence[str] = (), trusts_model: bool = True
) -> datetime | None:
    """Return until when something holds: the day that the model has resolved, or where there is none the quoted one.

    ``around`` are the messages beside the quote: a day that nothing of all that speaks of is an invention. Only a task
    ends on a day that the model does not name as its end. ``trusts_model``: its calendar counts before the words.
    """
    if said_at.tzinfo is None:
        return None
    said_on = said_at.date()
    is_task = candidate.category is Category.TODO
    resolved = day_meant(candidate.expires_at, said_on)
    if resolved is not None and not _supports(resolved, candidate.content, quote, around, said_on):
        resolved = None
    if not is_task and (resolved is None or goes_on(candidate.content)):
        return None
    own = _own_day(candidate.content, quote, said_on) if is_task and not begins_on_a_day(candidate.content) else None
    day = (resolved or own) if trusts_model else (own or resolved)
    return end_of(day, said_at.tzinfo) if day is not None else None


def _supports(day: date, content: str, quote: str, around: Sequence[str], said_on: date) -> bool:
    """Return whether what was said may mean a day: it speaks of time, and names no other day alone."""
    named = (*days_ahead(quote, said_on), *days_ahead(content, said_on))
    if not named:
        return not names_standing_term(quote) and any(map(_OF_TIME.search, (quote, *around)))
    if any(one.may_be(day) for one in named) or (takes_time(content) and any(one.day < day for one in named)):
        return True
    return _BEFOREHAND.search(f"{quote} {content}") is not None


def _own_day(content: str, quote: str, said_on: date) -> date | None:
    """Return the day that a task names itself, or else the one of the part of its quote that it is about."""
    if (day := day_meant(content, said_on)) is not None:
        return day
    terms = wording(content).terms
    parts = [(len(terms.keys() & wording(part).terms.keys()), part) for part in phrases_of(quote)]
    dated = [(shared, day) for shared, part in parts if (day := day_meant(part, said_on)) is not None]
    return max(dated, key=lambda one: one[0])[1] if dated else day_meant(quote, said_on)
