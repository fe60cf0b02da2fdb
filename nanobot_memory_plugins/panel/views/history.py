"""What was done to the memories, by whom and why; each run can be taken back."""

from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from nanobot_memory_plugins.core.values import EntryRun
from nanobot_memory_plugins.panel.views.base import View
from nanobot_memory_plugins.panel.views.entry_detail import day_and_time, is_undoable, shown_run
from nanobot_memory_plugins.panel.widgets.bars import BarKey
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

_RUNS = 1_000


class HistoryView(View):
    """What was done."""

    name_of_view = "History"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("u", "undo", show=False)]

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[EntryRun](
            (
                Column(t("When"), 16),
                Column(t("Who"), 10, from_width=60),
                Column(t("Why"), 18),
                Column(t("Entries"), 7, right=True, from_width=60),
                Column(t("Text"), 0),
            ),
            self._cells,
            key=lambda run: run.id,
            dim=lambda run: run.undone,
            empty=t("Nothing has happened yet."),
        )

    def key_list(self) -> list[BarKey]:
        """Return the keys."""
        return [BarKey("u", "undo", self.words("Undo this"))]

    def version(self) -> str:
        """Return a text that changes with the entries."""
        return self.memory.entries.version() if self.memory.entries is not None else ""

    async def load(self) -> None:
        """Read the runs."""
        access = self.memory.entries
        runs = await self.memory.run(lambda: access.history(limit=_RUNS)) if access is not None else ()
        self.list.set_rows(runs)
        self.line.update(Text(" " + self.words("{n} changes, the last first", n=f"{len(runs):,}")))

    def _cells(self, run: EntryRun) -> list[Text | str]:
        first = next((one.after or one.before for one in run.changes), None)
        text = Text(first.text if first is not None else "")
        if run.undone:
            text = Text(f"({self.words('undone')}) ").append_text(text)
        t = self.words
        return [day_and_time(run.time), t(run.who), t(run.why), str(len(run.changes)), text]

    async def detail(self, row: EntryRun) -> Text:
        """Return what a run did."""
        t = self.words
        text = shown_run(row, t).append("\n")
        text.append(f"{t('Run')} {row.id}\n\n", "dim")
        for change in row.changes:
            text.append(f"{t(change.action)} ", "bold").append(f"{change.id}\n", "dim")
            before, after = change.before, change.after
            if before is not None and (after is None or after.text != before.text):
                text.append(f"- {before.text}\n", "red")
            if after is not None:
                text.append(f"{'+' if before is None or before.text != after.text else ' '} {after.text}\n", "green")
            if before is not None and after is not None and f"{before.score:.2f}" != f"{after.score:.2f}":
                text.append(f"  {t('Score')} {before.score:.2f} → {after.score:.2f}\n", "dim")
            text.append("\n")
        return text

    def action_undo(self) -> None:
        """Take the run under the cursor back."""
        run = self.list.current
        if run is None:
            return
        if not is_undoable(run):
            self.panel.say(self.words("This cannot be undone, or was undone already."), severity="warning")
            return
        self.panel.ask_undo(run)
