"""What is stored, month by month, and what is recalled most."""

from dataclasses import dataclass
from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core.cli import told_size
from nanobot_memory_plugins.core.host import (
    Recalls,
    Stored,
    line_of,
    recalls_of_records,
    stored_messages,
    stored_notes,
    stored_recalls,
)
from nanobot_memory_plugins.panel.views.base import View, field
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

# Memories that are named as recalled most, and what of a text.
_MOST, _TEXT = 10, 80


@dataclass(frozen=True, slots=True)
class Month:
    """What was new in a month."""

    name: str
    messages: int
    notes: int
    entries: int


class StatsView(View):
    """The counts."""

    name_of_view = "Stats"

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._messages, self._notes, self._recalls = Stored(), Stored(), Recalls()
        self._most: list[tuple[int, str]] = []

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[Month](
            (
                Column(t("New in"), 8),
                Column(t("Messages"), 10, right=True),
                Column(t("Notes"), 8, right=True),
                Column(t("Memories"), 10, right=True),
            ),
            lambda one: (one.name, f"{one.messages:,}", f"{one.notes:,}", f"{one.entries:,}"),
            key=lambda one: one.name,
            empty=t("Nothing was said yet."),
        )

    def version(self) -> str:
        """Return a text that changes with what is counted."""
        reader, access = self.memory.reader, self.memory.entries
        return f"{reader.sessions_version()} {reader.notes_version()} {access.version() if access is not None else ''}"

    async def load(self) -> None:
        """Count."""
        months = await self.memory.run(self._count)
        self.list.set_rows(months)
        totals = self._messages.count, self._notes.count, sum(one.entries for one in months)
        said, noted, kept = (f"{count:,}" for count in totals)
        self.line.update(Text(" " + self.words("{n} messages, {m} notes, {k} memories", n=said, m=noted, k=kept)))

    def _count(self) -> list[Month]:
        paths, access = self.memory.paths, self.memory.entries
        self._messages, self._notes = stored_messages(paths), stored_notes(paths)
        self._recalls = stored_recalls(paths)
        entries = access.entries().entries if access is not None else ()
        texts = {one.id: one.text for one in entries}
        self._most = []
        for (file, record), times in recalls_of_records(self._recalls.times).most_common():
            text = texts.get(record) or line_of(paths, file, record)
            if text:
                self._most.append((times, " ".join(text.split())))
            if len(self._most) == _MOST:
                break
        begun = Stored()
        begun.months.update(f"{one.created_at or one.last_used:%Y-%m}" for one in entries)
        counts = (self._messages.months, self._notes.months, begun.months)
        names = sorted({name for months in counts for name in months}, reverse=True)
        return [Month(name, *(months[name] for months in counts)) for name in names]

    async def detail(self, row: Month) -> Text:
        """Return where all of it is from, and what was recalled most; it is the same for each month."""
        t, text = self.words, Text()
        for name, one in ((t("Messages"), self._messages), (t("Notes"), self._notes)):
            kinds = (*one.origins.most_common(), *one.kinds.most_common())
            field(text, name, " · ".join(f"{t(kind)} {count:,}" for kind, count in kinds))
            field(text, t("Size"), told_size(one.size))
        if self._recalls.since is None:
            return text.append("\n" + t("No turn is recorded yet."), "dim")
        turns = t("{n} turns since {day}, {m} got memories", n=f"{self._recalls.turns:,}", day=self._recalls.since,
                  m=f"{self._recalls.with_memories:,}")  # fmt: skip
        text.append(f"\n{turns}\n", "dim")
        for times, said in self._most:
            text.append(f"{times:5,}  ", "cyan").append(f"{said[:_TEXT]}{'…' if len(said) > _TEXT else ''}\n")
        return text
