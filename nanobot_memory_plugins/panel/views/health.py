"""Index, level and findings as they are just now."""

from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core import Finding, Level, StoreStatus
from nanobot_memory_plugins.core.cli.doctor_command import HEALTH_COLOURS
from nanobot_memory_plugins.panel.views.base import Cells, View, field
from nanobot_memory_plugins.redaction.script.messages import tr

_LEVELS = {
    Level.HYBRID: "words and meaning",
    Level.NUMPY: "words and meaning, without sqlite-vec",
    Level.FULL_TEXT: "words only",
    Level.MARKDOWN: "the files are read for each search",
}
# Findings take longer than a second to gather: they are looked at when the view is shown, and on demand.
_FINDINGS_SECONDS = 30.0


class HealthView(View):
    """The state of the memory."""

    name_of_view = "Health"
    columns = (("Health", 9), ("Subject", 22), ("State", 0))

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._examined: float | None = None

    def version(self) -> str:
        """Return a text that always changes: the numbers are of this second."""
        return str(self.memory.clock.monotonic())

    def do_again(self) -> None:
        """Look again at once."""
        self._examined = None
        self.run_worker(self.refresh_view(force=True), group="examine", exclusive=True)

    async def load(self) -> None:
        """Read the numbers, and now and then the findings."""
        store = self.memory.store
        self.line.update(self._line(store.status() if store is not None else None))
        now = self.memory.clock.monotonic()
        if self._examined is None or now - self._examined >= _FINDINGS_SECONDS:
            self._examined = now
            found = await self.memory.findings()
            order = list(HEALTH_COLOURS)
            rows = sorted(found, key=lambda finding: order.index(finding.health))
            self.fill(rows, self._cells, lambda finding: f"{finding.subject} {finding.state}")

    def _cells(self, finding: Finding) -> Cells:
        return [Text(tr(finding.health.value), HEALTH_COLOURS[finding.health]), tr(finding.subject), tr(finding.state)]

    def _line(self, status: StoreStatus | None) -> Text:
        if status is None:
            return Text(tr(" There is no index: install nanobot-memory-storage, or switch it on."), "yellow")
        level = tr("Level {n}: {what}", n=int(status.level), what=tr(_LEVELS[status.level]))
        line = Text().append(f" {level}\n", "bold green" if status.level <= Level.NUMPY else "bold yellow")
        counts = tr(
            "{documents} passages, {vectors} vectors, {files} files",
            documents=f"{status.documents:,}",
            vectors=f"{status.vectors:,}",
            files=f"{status.files:,}",
        )
        queue = tr(
            "Queue: {bytes} bytes to index, {vectors} vectors",
            bytes=f"{status.pending_bytes:,}",
            vectors=f"{status.pending_vectors:,}",
        )
        return line.append(f" {counts}\n {queue} · {tr('Model')} {status.model or tr('none')}")

    async def detail(self, row: Finding) -> Text:
        """Return a finding whole."""
        text = Text()
        text.append(f"{tr(row.subject)}\n", "bold").append(f"{tr(row.state)}\n", HEALTH_COLOURS[row.health])
        field(text, tr("What helps"), tr(row.hint), "bold")
        return text

    def nothing(self) -> str:
        """Return what to show until something is found."""
        return tr("Looking …")
