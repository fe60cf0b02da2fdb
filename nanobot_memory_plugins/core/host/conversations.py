"""Conversations: what one session held on one day, in the time zone of whoever asks."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, tzinfo

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.timed import TimedFiles
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.core.values import Hit, Origin, Query, Scope

_TRANSCRIPT = frozenset({"transcript"})
# Messages of a day and a file that are read for its line.
_READ_FOR_A_LINE = 10


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
        """The number of its messages, in words, or where nothing was said, that of its notes."""
        number, kind = (self.messages, "message") if self.messages or not self.noted else (len(self.noted), "note")
        return f"{number} {kind}" if number == 1 else f"{number} {kind}s"

    @property
    def telling(self) -> Hit:
        """What says best what it was about: what was noted of it, else the first thing that its user tells in it."""
        if self.noted:
            return self.noted[0]
        tells = (hit for hit in self.said if hit.origin is Origin.USER and not ends_in_question_mark(hit.text))
        return next(tells, self.said[0])


def in_conversations(hits: Iterable[Hit], zone: tzinfo | None) -> list[Conversation]:
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
    made = [
        Conversation(*place, said=tuple(sorted(said, key=_when)), noted=tuple(sorted(noted, key=_when)))
        for place, (said, noted) in found.items()
    ]
    return sorted(made, key=lambda one: (one.day, _when((*one.said, *one.noted)[0])))


def conversations_of_files(
    paths: MemoryPaths, query: Query, wanted: Callable[[Hit], bool] = lambda hit: True, *, whole: bool
) -> tuple[list[Conversation], bool]:
    """Return the last ``query.limit`` conversations of its period, the oldest first, and whether there are more.

    They are read from the files: nothing needs to be indexed. Without
    ``whole`` long ones are told by what was said first in them, and their messages counted. It blocks.
    """
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    files = TimedFiles(paths, query, zone)
    session = query.scope.session if isinstance(query.scope, Scope) else ""
    # Whose a message is cannot be seen before it is read; a session has a file of its own.
    most = _READ_FOR_A_LINE if query.scope == Scope(session=session) and not whole else None
    most_files = query.limit + 1
    while (read := files.newest(most_files, of_each=most)) is not None:
        found = [
            one for one in in_conversations(filter(wanted, read.hits), zone) if one.day >= read.first or not read.more
        ]
        if len(found) > query.limit or not read.more:
            counted = [_counted(one, read.unread) for one in found[-query.limit :]]
            return counted, len(found) > query.limit
        most_files *= 4
    return [], False


def _counted(one: Conversation, unread: Mapping[tuple[date, str], int]) -> Conversation:
    return replace(one, unread=sum(unread.get((one.day, path), 0) for path in {hit.path for hit in one.said}))


def _when(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else 0.0
