"""What was said in a period: its conversations in the order of time, a line or two of each before more of one.

A conversation is what one session held on one day, in the time zone of whoever asks.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo
from functools import partial

from nanobot_memory_plugins.core import Hit, MemoryPaths, Origin, Query, Scope, Store
from nanobot_memory_plugins.core.files import TimedFiles
from nanobot_memory_plugins.core.host import hits_of
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.text import PeriodQuestion, Span, Speaker
from nanobot_memory_plugins.recall.usefulness import only_requests

# Memories of a period that are looked at: the newest ones.
_MOST_SAID, _MOST_NOTED = 400, 60
# The same for a timeline: as many as are needed for its lines.
_MOST_LISTED = (2_000, 6_000, 20_000)
# Messages of a day and a file that are read for its line.
_READ_FOR_A_LINE = 30
# From so many conversations on, what was noted of them stands for what was said.
_MANY = 5
_TRANSCRIPT = frozenset({"transcript"})
_NOTED = frozenset({"summary", "note"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said in a session on a day, and what was noted of it, both in the order of time.

    ``unread`` is how many messages of it were passed over.
    """

    day: date
    session: str
    said: tuple[Hit, ...] = ()
    noted: tuple[Hit, ...] = ()
    unread: int = 0

    @property
    def messages(self) -> int:
        """How many messages it has: a long one may be more than one memory."""
        return len({(hit.path, hit.line) for hit in self.said}) + self.unread

    @property
    def count(self) -> str:
        """The number of its messages, in words."""
        return "1 message" if self.messages == 1 else f"{self.messages} messages"

    @property
    def telling(self) -> Hit:
        """What says best what it was about: what was noted of it, else the first thing that its user tells in it."""
        tells = (hit for hit in self.said if hit.origin is Origin.USER and not only_requests(hit.text))
        return self.noted[0] if self.noted else next(tells, self.said[0])


def within(query: Query, span: Span, zone: tzinfo | None) -> Query:
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
        found = conversations(await shown(hits), zone)
        # The oldest of them may have begun before what was listed.
        if len(found) > query.limit or len(hits) < most:
            break
    return found[-query.limit :], len(found) > query.limit or len(hits) == most


async def timeline_of_files(
    paths: MemoryPaths, query: Query, shown: Callable[[Sequence[Hit]], Awaitable[Sequence[Hit]]], *, whole: bool
) -> tuple[list[Conversation], bool]:
    """Return the same as `timeline`, read from the files: nothing needs to be indexed.

    Without ``whole`` long conversations are told by what was said first in them, and their messages counted.
    """
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    files = await run_in_daemon_thread(lambda: TimedFiles(paths, query, zone))
    session = query.scope.session if isinstance(query.scope, Scope) else ""
    # Whose a message is cannot be seen before it is read; a session has a file of its own.
    everything = whole or query.scope != Scope(session=session)
    wanted = query.limit + 1
    while True:
        newest = partial(files.newest, wanted, of_each=None if everything else _READ_FOR_A_LINE)
        read = await run_in_daemon_thread(newest)
        if read is None:
            return [], False
        found = [one for one in conversations(await shown(read.hits), zone) if one.day >= read.first or not read.more]
        if len(found) > query.limit or not read.more:
            break
        wanted *= 4
    found = [_counted(one, read.unread) for one in found]
    return found[-query.limit :], len(found) > query.limit


def _counted(one: Conversation, unread: Mapping[tuple[date, str], int]) -> Conversation:
    return replace(one, unread=sum(unread.get((one.day, path), 0) for path in {hit.path for hit in one.said}))


def conversations(hits: Iterable[Hit], zone: tzinfo | None) -> list[Conversation]:
    """Return the conversations of some memories, the oldest first."""
    found: dict[tuple[date, str], tuple[list[Hit], list[Hit]]] = {}
    for hit in hits:
        if hit.time is not None:
            place = (hit.time.astimezone(zone).date(), hit.scope.session)
            found.setdefault(place, ([], []))[hit.source not in _TRANSCRIPT].append(hit)
    last: dict[str, tuple[date, str]] = {}
    for place in sorted(found):
        said, noted = found[place]
        if said:
            last[place[1]] = place
        elif place[1] in last:  # a summary is written when its session is over, after midnight too
            found[last[place[1]]][1].extend(noted)
            del found[place]
    made = [Conversation(*place, *(tuple(sorted(one, key=_when)) for one in kinds)) for place, kinds in found.items()]
    return sorted(made, key=lambda one: (one.day, _when((*one.said, *one.noted)[0])))


def most_telling(listed: Sequence[Conversation]) -> list[Hit]:
    """Return what is said of conversations, first one line of each, then a second, and so on."""
    many = len(listed) >= _MANY
    columns = [[*(one.noted[:1] if many or not one.said else ()), *_ranked(one.said)] for one in listed]
    columns.sort(key=len, reverse=True)  # where not all fit, those in which more was said
    deepest = max(map(len, columns), default=0)
    return [column[row] for row in range(deepest) for column in columns if row < len(column)]


def _ranked(said: Sequence[Hit]) -> list[Hit]:
    """Return what tells something before what only asks for something."""
    return sorted(said, key=lambda hit: only_requests(hit.text))


def _when(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else 0.0
