"""What was talked about, conversation by conversation, the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core import Hit, Query, Scope
from nanobot_memory_plugins.core.host import Conversation, conversations_of_files
from nanobot_memory_plugins.panel.views.forgetting import Forgettable, ForgettingView, parts_of
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

# Conversations that are listed, messages of one that are shown, and what of a message and of a line.
_MOST, _MESSAGES, _CHARACTERS, _LINE = 300, 100, 2_000, 300


@dataclass(frozen=True, slots=True)
class Talk:
    """A row: a conversation, and in a line what it was about."""

    one: Conversation
    about: str


class TimelineView(ForgettingView):
    """The conversations by day."""

    name_of_view = "Timeline"

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[Talk](
            (
                Column(t("Day"), 10),
                Column(t("Session"), 20, from_width=70),
                Column(t("Messages"), 8, right=True),
                Column(t("Text"), 0),
            ),
            lambda row: (f"{row.one.day:%Y-%m-%d}", row.one.session, f"{row.one.messages:,}", row.about),
            key=lambda row: f"{row.one.day} {row.one.session}",
            empty=t("Nothing was said yet."),
        )

    def version(self) -> str:
        """Return a text that changes with transcripts and notes."""
        reader = self.memory.reader
        return f"{reader.sessions_version()} {reader.notes_version()}"

    async def load(self) -> None:
        """Read the newest conversations."""
        rows, more = await self.memory.run(self._newest)
        self.list.set_rows(rows)
        said = self.words("{n} conversations", n=f"{len(rows):,}")
        self.line.update(Text(f" {said}{' …' if more else ''}"))

    def _newest(self) -> tuple[list[Talk], bool]:
        listed, more = self._listed(self._query(), whole=False)
        return [Talk(one, _words(one.telling)) for one in reversed(listed)], more

    async def detail(self, row: Talk) -> Text:
        """Return what was noted of a conversation, and what was said in it."""
        talk, whole = row.one, await self._whole(row.one)
        text = Text()
        text.append(f"{talk.day:%Y-%m-%d} ", "bold cyan").append(f"{talk.session}\n\n", "dim")
        for hit in talk.noted:
            text.append(f"{_cut(hit.tldr or hit.text)}\n", "bold")
        text.append("\n" if talk.noted else "")
        for hit in whole.said[:_MESSAGES]:
            text.append(f"{_time(hit)} " if hit.time else "", "dim")
            text.append(f"{_who(hit) or self.words(hit.origin.value)}\n", "bold").append(f"{_cut(hit.text)}\n\n")
        left = whole.messages - min(len(whole.said), _MESSAGES)
        if left > 0:
            text.append(self.words("and {n} more messages", n=f"{left:,}"), "dim")
        return text

    async def _whole(self, talk: Conversation) -> Conversation:
        """Return a conversation with all that was said in it."""
        begin = datetime.combine(talk.day, time.min).astimezone()
        # Midnight of the next day: a day may have twenty-five hours.
        end = datetime.combine(talk.day + timedelta(days=1), time.min).astimezone() - timedelta(microseconds=1)
        query = replace(self._query(), since=begin, until=end, scope=Scope(session=talk.session))
        found, _ = await self.memory.run(lambda: self._listed(query, whole=True))
        return next((one for one in found if (one.day, one.session) == (talk.day, talk.session)), talk)

    async def forgettable(self, row: Talk) -> Sequence[Forgettable]:
        """Return what was noted of a conversation, and the messages of it, each as one however many memories it is."""
        whole = await self._whole(row.one)
        messages: dict[tuple[str, int], list[Hit]] = {}
        for hit in (*row.one.noted, *whole.said[:_MESSAGES]):
            messages.setdefault((hit.path, hit.line), []).append(hit)
        return [
            Forgettable(
                " ".join(filter(None, (_time(hits[0]), _who(hits[0]) or self.words(hits[0].origin.value)))),
                tuple(part for hit in hits for part in parts_of(hit)),
            )
            for hits in messages.values()
        ]

    def _query(self) -> Query:
        return Query("", limit=_MOST, asked_at=datetime.now(UTC).astimezone())

    def _listed(self, query: Query, *, whole: bool) -> tuple[list[Conversation], bool]:
        return conversations_of_files(self.memory.paths, query, self.memory.shown, whole=whole)


def _words(hit: Hit) -> str:
    return " ".join((hit.tldr or hit.text)[:_LINE].split())


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS].rstrip()}…"


def _time(hit: Hit) -> str:
    return f"{hit.time.astimezone():%H:%M}" if hit.time else ""


def _who(hit: Hit) -> str:
    return hit.speaker if hit.speaker != hit.origin.value else ""
