"""The day notes."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core.files import NoteEntry
from nanobot_memory_plugins.panel.reading import MOST_NOTE_BYTES, DayNotes
from nanobot_memory_plugins.panel.views.forgetting import Forgettable, ForgettingView
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList


class NotesView(ForgettingView):
    """The notes of each day."""

    name_of_view = "Notes"

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[DayNotes](
            (Column(t("Day"), 10), Column(t("Notes"), 5, right=True), Column(t("First"), 0)),
            lambda notes: (notes.day, str(notes.entries), notes.first),
            key=lambda notes: notes.day,
            empty=t("There are no notes yet."),
        )

    def version(self) -> str:
        """Return a text that changes with the notes."""
        return self.memory.reader.notes_version()

    async def load(self) -> None:
        """Read the days."""
        days = await self.memory.run(self.memory.reader.day_notes)
        self.list.set_rows(days)
        total = sum(day.entries for day in days)
        self.line.update(Text(" " + self.words("{days} days, {n} notes", days=len(days), n=total)))

    async def forgettable(self, row: DayNotes) -> Sequence[Forgettable]:
        """Return a day's notes that this program wrote."""
        parts = await self.memory.run(lambda: self.memory.reader.note_parts(row))
        return [
            Forgettable(f"{part.time.astimezone():%H:%M}", tuple(filter(None, (part.tldr, part.details.strip()))))
            for part in parts
            if isinstance(part, NoteEntry) and part.id
        ]

    async def detail(self, row: DayNotes) -> Text:
        """Return a day's notes."""
        parts = await self.memory.run(lambda: self.memory.reader.note_parts(row))
        text = Text()
        text.append(f"{row.path}\n\n", "dim cyan")
        for part in parts:
            if isinstance(part, NoteEntry):
                text.append(f"{part.time.astimezone():%H:%M} ", "cyan").append(f"{part.tldr}", "bold")
                text.append(f"  :{part.line}\n", "dim")
                about = " · ".join((self.words(part.type.value), self.words(part.origin.value), *part.tags))
                text.append(f"      {about}\n", "dim")
                if part.details.strip():
                    text.append(f"{part.details.strip()}\n")
                text.append("\n")
            elif part.text.strip():
                text.append(f"{part.text.strip()}\n\n")
        if row.size > MOST_NOTE_BYTES:
            text.append(self.words("The file is longer; only its beginning is shown."), "yellow")
        return text
