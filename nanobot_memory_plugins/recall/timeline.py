"""What was said in a period: its conversations in the order of time, a line or two of each before more of one."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, time, tzinfo

from nanobot_memory_plugins.core import Hit, Origin, Query, Store
from nanobot_memory_plugins.core.host import Conversation, hits_of, in_conversations
from nanobot_memory_plugins.core.text.days import DaySpan
from nanobot_memory_plugins.core.text.period_questions import PeriodQuestion, Speaker
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark

# Memories of a period that are looked at: the newest ones.
_MOST_SAID, _MOST_NOTED = 400, 60
# The same for a timeline: as many as are needed for its lines.
_MOST_LISTED = (2_000, 6_000, 20_000)
# From so many conversations on, what was noted of them stands for what was said.
_MANY = 5
_TRANSCRIPT = frozenset({"transcript"})
_NOTED = frozenset({"summary", "note"})


def within(query: Query, span: DaySpan, zone: tzinfo | None) -> Query:
    """Return a query for the days of a span, in a time zone."""
    since = datetime.combine(span.start, time.min, tzinfo=zone)
    return replace(query, since=since, until=datetime.combine(span.end, time.max, tzinfo=zone))


async def said_in(
    store: Store, asked: PeriodQuestion, query: Query, zone: tzinfo | None
) -> tuple[list[Hit], list[Hit]]:
    """Return what was said and what was noted in a period, the newest first. Raises what the store raises."""
    by = Origin.ASSISTANT if asked.speaker is Speaker.ASSISTANT else Origin.USER
    listed = within(replace(query, text="", explain=False), asked.span, zone)
    said = replace(listed, sources=_TRANSCRIPT, origins=frozenset({by}), limit=_MOST_SAID)
    noted = replace(listed, sources=_NOTED, limit=_MOST_NOTED)
    wants_notes = asked.speaker is Speaker.ANYBODY
    return list((await hits_of(store, said)).hits), list((await hits_of(store, noted)).hits) if wants_notes else []


async def timeline(
    store: Store, query: Query, shown: Callable[[Sequence[Hit]], Awaitable[Sequence[Hit]]]
) -> tuple[list[Conversation], bool]:
    """Return the last ``query.limit`` conversations of its period, the oldest first, and whether there are more.

    ``shown`` takes out what may not be shown. Raises what the store raises.
    """
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    for most in _MOST_LISTED:
        listed = replace(query, text="", sources=_TRANSCRIPT | _NOTED, limit=most)
        hits = (await hits_of(store, listed)).hits
        found = in_conversations(await shown(hits), zone)
        # The oldest of them may have begun before what was listed.
        if len(found) > query.limit or len(hits) < most:
            break
    return found[-query.limit :], len(found) > query.limit or len(hits) == most


def most_telling(listed: Sequence[Conversation]) -> list[Hit]:
    """Return what is said of conversations, first one line of each, then a second, and so on."""
    many = len(listed) >= _MANY
    columns = [[*(one.noted[:1] if many or not one.said else ()), *_ranked(one.said)] for one in listed]
    columns.sort(key=len, reverse=True)  # where not all fit, those in which more was said
    deepest = max(map(len, columns), default=0)
    return [column[row] for row in range(deepest) for column in columns if row < len(column)]


def _ranked(said: Sequence[Hit]) -> list[Hit]:
    """Return what tells something before what asks."""
    return sorted(said, key=lambda hit: ends_in_question_mark(hit.text))
