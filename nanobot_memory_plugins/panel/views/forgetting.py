"""Purging words, or records that were chosen in another view, after a preview of the affected lines."""

from dataclasses import dataclass
from typing import Any

from rich.text import Text
from textual import on
from textual.widgets import Input

from nanobot_memory_plugins.core.erasure.matching import is_short
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.panel.views.base import Cells, View, field
from nanobot_memory_plugins.redaction.script.messages import tr


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that a plan affects. Its number is 0 when only the count of lines is known."""

    trace: Trace
    number: int
    text: str


class ForgettingView(View):
    """Shows what a purge would remove, and runs it."""

    name_of_view = "Forgetting"
    columns = (("Where", 28), ("Line", 6), ("Text", 0))
    field_text = "Words to forget for good, then enter"

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._erasure: Erasure | None = None

    def show_plan(self, erasure: Erasure) -> None:
        """Show the plan of an erasure next."""
        self._erasure, self.loaded_version = erasure, None
        with self.field.prevent(Input.Changed):
            self.field.value = " ".join(erasure.words)

    def focus_list(self) -> None:
        """Focus the plan if there is one, else the field."""
        self.table.focus() if self._erasure is not None else self.field.focus()

    def do_ask(self) -> None:
        """Focus the field."""
        self.app.set_focus(self.field)

    def do_plain(self) -> None:
        """Focus the plan."""
        self.table.focus()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        words = self.field.value.strip()
        if is_short(words):
            self.warn(tr("It is too short to be forgotten by its words."))
            return
        self.show_plan(Erasure(words=(words,)))
        self.table.focus()
        self.begin(self.refresh_view)

    async def load(self) -> None:
        """Make the plan of the current erasure, and show it."""
        self._show(await self.memory.eraser.plan(self._erasure) if self._erasure is not None else None)

    def _show(self, plan: ErasurePlan | None) -> None:
        lines = list[_Line]()
        for trace in plan.traces if plan is not None else ():
            numbered = [(line.line, line.text) for line in trace.lines] or [(0, f"× {trace.count}")]
            lines += [_Line(trace, number, text) for number, text in numbered]
        self.fill(lines, self._cells)
        removed = sum(line.trace.removed for line in lines)
        summary = tr("{n} lines would go, {m} stay. f forgets them for good.", n=removed, m=len(lines) - removed)
        self.line.update(Text(f" {summary}" if plan is not None else "", "bold"))

    def _cells(self, line: _Line) -> Cells:
        style = "" if line.trace.removed else "dim"
        return [Text(text, style) for text in (line.trace.where, str(line.number or ""), line.text)]

    async def detail(self, row: _Line) -> Text:
        """Return the whole line, and the reason if it stays."""
        text = Text().append(f"{row.trace.where}\n\n", "bold cyan").append(f"{row.text}\n\n")
        field(text, tr("Stays"), "" if row.trace.removed else tr(row.trace.why), "yellow")
        return text

    def empty_text(self) -> str:
        """Return what the view is for, or that nothing was found."""
        if self._erasure is not None:
            return tr("Nothing that is kept here holds these words.")
        return tr("What is forgotten here goes from every file of the memory, and cannot be brought back.")

    def do_forget(self) -> None:
        """Run the erasure after a confirmation."""
        erasure, removed = self._erasure, [line for line in self.rows if line.trace.removed]
        if erasure is not None and removed:
            lines = [f"{line.trace.where}{f':{line.number}' if line.number else ''}: {line.text}" for line in removed]
            question = tr("Forget this for good? It cannot be undone.")
            self.panel.ask(question, lines, lambda: self.begin(lambda: self._forget(erasure), "forget"))

    async def _forget(self, erasure: Erasure) -> None:
        plan = await self.memory.eraser.erase(erasure)
        self.panel.say(
            tr("Forgotten but for what could not be removed yet.") if plan.waits else tr("Forgotten for good.")
        )
        self._erasure, self.field.value = None, ""
        self._show(None)
