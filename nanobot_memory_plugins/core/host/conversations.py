"""Conversations: what one session held on one day, in the time zone of whoever asks."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, tzinfo

from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.core.values import Hit, Origin
from nanobot_memory_plugins.redaction.script.messages import Sentence

_TRANSCRIPT = frozenset({"transcript"})


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


def _when(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else 0.0
