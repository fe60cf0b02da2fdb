"""The sessions: what was said, redacted, as the transcripts have it."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core.files import TranscriptRecord
from nanobot_memory_plugins.panel.reading import ShownSession
from nanobot_memory_plugins.panel.views.forgetting import Forgettable, ForgettingView
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

_MESSAGES = 100
# Of one message this much is shown.
_MOST_CHARACTERS = 4_000
_ROLES = {"user": "bold green", "assistant": "bold cyan", "tool": "bold magenta"}


class SessionsView(ForgettingView):
    """The sessions."""

    name_of_view = "Sessions"

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[ShownSession](
            (
                Column(t("Session"), 20),
                Column(t("Messages"), 8, right=True, from_width=60),
                Column(t("Last"), 16, from_width=60),
                Column(t("Text"), 0),
            ),
            lambda one: (
                one.key,
                f"{one.messages:,}",
                f"{one.last.astimezone():%Y-%m-%d %H:%M}" if one.last else "",
                one.preview,
            ),
            key=lambda one: one.path,
            empty=t("There are no sessions yet."),
        )

    @property
    def shows_end(self) -> bool:
        """What was said last counts."""
        return True

    def version(self) -> str:
        """Return a text that changes with the transcripts."""
        return self.memory.reader.sessions_version()

    async def load(self) -> None:
        """Read the sessions."""
        sessions = await self.memory.run(self.memory.reader.sessions)
        self.list.set_rows(sessions)
        total = sum(session.messages for session in sessions)
        self.line.update(Text(" " + self.words("{n} sessions, {m} messages", n=f"{len(sessions):,}", m=f"{total:,}")))

    async def forgettable(self, row: ShownSession) -> Sequence[Forgettable]:
        """Return the last messages of a session."""
        records = await self.memory.run(lambda: self.memory.reader.messages(row, _MESSAGES))
        return [Forgettable(_time(one) + self.words(one.role), (one.text,)) for one in records]

    async def detail(self, row: ShownSession) -> Text:
        """Return the last messages of a session."""
        records = await self.memory.run(lambda: self.memory.reader.messages(row, _MESSAGES))
        text = Text()
        text.append(f"{row.path}\n\n", "dim cyan")
        for record in records:
            time = _time(record)
            text.append(time, "dim").append(self.words(record.role), _ROLES.get(record.role, "bold"))
            text.append(f" {record.name}\n" if record.name else "\n", "dim")
            said = record.text.strip()
            text.append(said[:_MOST_CHARACTERS] + ("…" if len(said) > _MOST_CHARACTERS else "") + "\n\n")
        return text


def _time(record: TranscriptRecord) -> str:
    return f"{record.time.astimezone():%m-%d %H:%M} " if record.time else ""
