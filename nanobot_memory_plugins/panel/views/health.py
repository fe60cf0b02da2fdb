"""Queue, levels and health, as they are just now."""

from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from nanobot_memory_plugins.core import Finding, Health, Level, StoreStatus
from nanobot_memory_plugins.panel.views.base import View, field
from nanobot_memory_plugins.panel.widgets.bars import BarKey
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

_COLOURS = {Health.GOOD: "green", Health.INFO: "cyan", Health.DEGRADED: "yellow", Health.BAD: "red"}
_LEVELS = {
    Level.HYBRID: "words and meaning",
    Level.NUMPY: "words and meaning, without sqlite-vec",
    Level.FULL_TEXT: "words only",
    Level.MARKDOWN: "the files are read for each search",
}
# Findings take longer than a second to gather: they are looked at when the view is shown, and on demand.
_FINDINGS_SECONDS = 30.0


class HealthView(View):
    """Queue, levels and health."""

    name_of_view = "Health"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("r", "examine", show=False)]

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._examined: float | None = None

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[Finding](
            (Column(t("Health"), 8), Column(t("Subject"), 22), Column(t("State"), 0)),
            lambda one: (Text(t(one.health.value), _COLOURS[one.health]), t(one.subject), t(one.state)),
            key=lambda one: f"{one.subject} {one.state}",
            empty=t("Looking …"),
        )

    def key_list(self) -> list[BarKey]:
        """Return the keys."""
        return [BarKey("r", "examine", self.words("Look again"))]

    def version(self) -> str:
        """Return a text that always changes: the numbers are of this second."""
        return str(self.memory.clock.monotonic())

    def action_examine(self) -> None:
        """Gather the findings again."""
        self._examined = None
        self.run_worker(self.refresh_view(force=True), group="examine", exclusive=True)

    async def load(self) -> None:
        """Read the numbers, and now and then the findings."""
        waiting = await self.memory.run(self.memory.waiting_bytes)
        self.line.update(self._line(self.memory.status(), waiting))
        now = self.memory.clock.monotonic()
        if self._examined is None or now - self._examined >= _FINDINGS_SECONDS:
            self._examined = now
            found = await self.memory.findings()
            order = {Health.BAD: 0, Health.DEGRADED: 1, Health.INFO: 2, Health.GOOD: 3}
            self.list.set_rows(sorted(found, key=lambda one: order[one.health]))

    def _line(self, status: StoreStatus | None, waiting: int) -> Text:
        t = self.words
        if status is None:
            return Text(t(" There is no index: install nanobot-memory-storage, or switch it on."), "yellow")
        line = Text()
        level = t("Level {n}: {what}", n=int(status.level), what=t(_LEVELS[status.level]))
        line.append(f" {level}\n", "bold green" if status.level <= Level.NUMPY else "bold yellow")
        counts = t(
            "{documents} passages, {vectors} vectors, {files} files",
            documents=f"{status.documents:,}",
            vectors=f"{status.vectors:,}",
            files=f"{status.files:,}",
        )
        line.append(f" {counts}\n")
        queue = t(
            "Queue: {bytes} bytes to index, {vectors} vectors, {spilled} bytes in spill files",
            bytes=f"{status.pending_bytes:,}",
            vectors=f"{status.pending_vectors:,}",
            spilled=f"{waiting:,}",
        )
        is_idle = not (status.pending_bytes or status.pending_vectors or waiting)
        line.append(f" {queue}\n", "dim" if is_idle else "yellow")
        where = t("indexed here") if status.indexing_here else t("indexed by another process")
        line.append(f" {t('Model')} {status.model or t('none')} · {where}", "dim")
        return line

    async def detail(self, row: Finding) -> Text:
        """Return a finding whole."""
        text = Text()
        t = self.words
        text.append(f"{t(row.subject)}\n\n", "bold").append(f"{t(row.state)}\n\n", _COLOURS[row.health])
        field(text, t("What helps"), t(row.hint), "bold")
        return text
