"""What was said in a period: its conversations, each of a session and a day, in the order of time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, tzinfo

from nanobot_memory_plugins.core import Hit, Origin, Query, Store
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.recall.deduplicate import one_line
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Memories of a period that are looked at, the newest: as many as are needed for its lines.
_MOST_LISTED = (2_000, 6_000, 20_000)
_TRANSCRIPT = frozenset({"transcript"})
_NOTED = frozenset({"summary", "note"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said in a session on a day, and what was noted of it, both in the order of time."""

    day: date
    session: str
    said: tuple[Hit, ...] = ()
    noted: tuple[Hit, ...] = ()

    @property
    def messages(self) -> int:
        """How many messages it has: a long one may be more than one memory."""
        return len({(hit.path, hit.line) for hit in self.said})

    @property
    def count(self) -> Sentence:
        """The number of its messages, or where nothing was said, that of its notes."""
        if not self.messages and self.noted:  # a day of notes that were imported, say
            count = len(self.noted)
            return Sentence("1 note") if count == 1 else Sentence("{count} notes", count=count)
        return Sentence("1 message") if self.messages == 1 else Sentence("{count} messages", count=self.messages)

    @property
    def telling(self) -> Hit:
        """What says best what it was about: what was noted of it, else the first thing that its user tells in it."""
        if self.noted:
            return self.noted[0]
        statements = (hit for hit in self.said if hit.origin is Origin.USER and not ends_in_question_mark(hit.text))
        return next(statements, self.said[0])

    @property
    def about(self) -> str:
        """The same as one line, the gist of a note that has one."""
        return one_line(self.telling.tldr or self.telling.text)


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
        Conversation(*place, said=tuple(sorted(said, key=_timestamp)), noted=tuple(sorted(noted, key=_timestamp)))
        for place, (said, noted) in found.items()
    ]
    return sorted(
        made, key=lambda conversation: (conversation.day, _timestamp((*conversation.said, *conversation.noted)[0]))
    )


def _timestamp(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else 0.0


async def timeline(
    store: Store, query: Query, is_listed: Callable[[Hit], bool] = lambda hit: True
) -> tuple[list[Conversation], bool]:
    """Return the last ``query.limit`` conversations of its period, the oldest first, and whether there are more.

    Raises what the store raises.
    """
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    for most in _MOST_LISTED:
        listed = replace(query, text="", sources=_TRANSCRIPT | _NOTED, limit=most)
        hits = (await store.search(listed)).hits
        found = in_conversations(filter(is_listed, hits), zone)
        # The oldest of them may have begun before what was listed.
        if len(found) > query.limit or len(hits) < most:
            break
    return found[-query.limit :], len(found) > query.limit or len(hits) == most
