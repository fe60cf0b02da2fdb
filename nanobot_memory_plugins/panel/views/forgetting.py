"""Forgetting for good: words, or what was chosen elsewhere, after a look at the lines that go."""

from dataclasses import dataclass
from typing import Any

from rich.text import Text
from textual import on
from textual.widgets import Input

from nanobot_memory_plugins.core.erasure.matching import is_short
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.host.eraser import Eraser
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.panel.views.base import Cells, View, field
from nanobot_memory_plugins.redaction.script.messages import tr


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of what a plan found: its number, 0 where only their count is known, and its text."""

    trace: Trace
    number: int
    text: str


class ForgettingView(View):
    """What forgetting something for good removes, and doing it."""

    name_of_view = "Forgetting"
    columns = (("Where", 28), ("Line", 6), ("Text", 0))
    field_text = "Words to forget for good, then enter"

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._erasure: Erasure | None = None
        self._is_done = False

    def plan_of(self, erasure: Erasure) -> None:
        """Show the plan of an erasure next."""
        self._erasure, self._is_done, self.seen = erasure, False, None
        with self.field.prevent(Input.Changed):
            self.field.value = " ".join(erasure.words)

    def focus_list(self) -> None:
        """Begin in the field, or in the plan where there is one."""
        self.table.focus() if self._erasure is not None else self.field.focus()

    def do_ask(self) -> None:
        """Ask for other words."""
        self.field.focus()

    def do_plain(self) -> None:
        """Go to the plan."""
        self.table.focus()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        words = self.field.value.strip()
        if is_short(words):
            self.warn(tr("It is too short to be forgotten by its words."))
            return
        self.plan_of(Erasure(words=(words,)))
        self.table.focus()
        self.run_worker(self.refresh_view())

    async def load(self) -> None:
        """Look for what goes."""
        host, erasure = self.memory.host, None if self._is_done else self._erasure
        self._show(await host.eraser.plan(erasure) if host is not None and erasure is not None else None)

    def _show(self, plan: ErasurePlan | None) -> None:
        lines = list[_Line]()
        for trace in plan.traces if plan is not None else ():
            held = [(held_line.line, held_line.text) for held_line in trace.lines] or [(0, f"× {trace.count}")]
            lines += [_Line(trace, number, text) for number, text in held]
        self.fill(lines, self._cells)
        goes = sum(line.trace.removed for line in lines)
        summary = tr("{n} lines would go, {m} stay. f forgets them for good.", n=goes, m=len(lines) - goes)
        self.line.update(Text(f" {summary}" if plan is not None else "", "bold"))

    def _cells(self, line: _Line) -> Cells:
        style = "" if line.trace.removed else "dim"
        return [Text(text, style) for text in (line.trace.where, str(line.number or ""), line.text)]

    async def detail(self, row: _Line) -> Text:
        """Return a line whole, and why it stays."""
        text = Text().append(f"{row.trace.where}\n\n", "bold cyan").append(f"{row.text}\n\n")
        field(text, tr("Stays"), "" if row.trace.removed else tr(row.trace.why), "yellow")
        return text

    def nothing(self) -> str:
        """Return what this is for."""
        if self._erasure is not None and not self._is_done:
            return tr("Nothing that is kept here holds these words.")
        return tr("What is forgotten here goes from every file of the memory, and cannot be brought back.")

    def do_forget(self) -> None:
        """Forget it, when that is meant."""
        host, erasure, goes = self.memory.host, self._erasure, [line for line in self.rows if line.trace.removed]
        if host is None or erasure is None or not goes:
            return
        lines = [
            tr("{where}, line {n}: {held}", where=line.trace.where, n=line.number, held=line.text)
            if line.number
            else f"{line.trace.where}{tr(': ')}{line.text}"
            for line in goes
        ]
        question = tr("Forget this for good? It cannot be undone.")
        self.panel.ask(question, lines, lambda: self.run_worker(self._forget(host.eraser, erasure), exclusive=True))

    async def _forget(self, eraser: Eraser, erasure: Erasure) -> None:
        try:
            plan = await eraser.erase(erasure)
        except Exception as error:
            self.panel.complain(error)
            return
        self.panel.say(
            tr("Forgotten but for what could not be removed yet.") if plan.waits else tr("Forgotten for good.")
        )
        self._is_done, self.field.value = True, ""
        self._show(None)
