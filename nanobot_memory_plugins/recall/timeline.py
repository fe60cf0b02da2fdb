"""The conversations of a period, each of one session and day, in the order of time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, tzinfo

from nanobot_memory_plugins.core import Hit, Origin, Query, Store
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.recall.deduplicate import one_line
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Limits of the search for the newest memories of a period, tried until there are enough conversations.
_SEARCH_LIMITS = (2_000, 6_000, 20_000)
_TRANSCRIPT = frozenset({"transcript"})
_NOTES = frozenset({"summary", "note"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a session on one day, and the notes about it, both in the order of time."""

    day: date
    session: str
    said: tuple[Hit, ...] = ()
    notes: tuple[Hit, ...] = ()

    @property
    def message_count(self) -> int:
        """The number of its messages: a long one may be several memories."""
        return len({(hit.path, hit.line) for hit in self.said})

    @property
    def count(self) -> Sentence:
        """The number of its messages, or of its notes when it has no messages, in words."""
        if not self.message_count and self.notes:  # for example a day of imported notes
            count = len(self.notes)
            return Sentence("1 note") if count == 1 else Sentence("{count} notes", count=count)
        return (
            Sentence("1 message") if self.message_count == 1 else Sentence("{count} messages", count=self.message_count)
        )

    @property
    def best_hit(self) -> Hit:
        """The hit that says best what it was about: its first note, else the user's first statement."""
        if self.notes:
            return self.notes[0]
        statements = (hit for hit in self.said if hit.origin is Origin.USER and not ends_in_question_mark(hit.text))
        return next(statements, self.said[0])

    @property
    def about(self) -> str:
        """What it was about as one line: the tl;dr or text of `best_hit`."""
        return one_line(self.best_hit.tldr or self.best_hit.text)


def group_conversations(hits: Iterable[Hit], zone: tzinfo | None) -> list[Conversation]:
    """Group hits into conversations, the oldest first."""
    groups: dict[tuple[date, str], tuple[list[Hit], list[Hit]]] = {}
    for hit in hits:
        if hit.time is not None:
            place = (hit.time.astimezone(zone).date(), hit.scope.session)
            groups.setdefault(place, ([], []))[hit.source not in _TRANSCRIPT].append(hit)
    last: dict[str, tuple[date, str]] = {}
    for place in sorted(groups):
        messages, notes = groups[place]
        if messages:
            last[place[1]] = place
        elif place[1] in last:  # the summary of a session may be written after midnight
            groups[last[place[1]]][1].extend(notes)
            del groups[place]
    conversations = [
        Conversation(*place, said=tuple(sorted(messages, key=_timestamp)), notes=tuple(sorted(notes, key=_timestamp)))
        for place, (messages, notes) in groups.items()
    ]
    return sorted(conversations, key=lambda one: (one.day, _timestamp((*one.said, *one.notes)[0])))


def _timestamp(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else 0.0


async def timeline(
    store: Store, query: Query, is_listed: Callable[[Hit], bool] = lambda hit: True
) -> tuple[list[Conversation], bool]:
    """Return the last ``query.limit`` conversations of its period, the oldest first, and whether there are more.

    Raises what the store raises.
    """
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    for limit in _SEARCH_LIMITS:
        period_query = replace(query, text="", sources=_TRANSCRIPT | _NOTES, limit=limit)
        hits = (await store.search(period_query)).hits
        groups = group_conversations(filter(is_listed, hits), zone)
        # The oldest of them may have begun before the oldest listed hit.
        if len(groups) > query.limit or len(hits) < limit:
            break
    return groups[-query.limit :], len(groups) > query.limit or len(hits) == limit
