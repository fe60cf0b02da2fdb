"""Index, level and findings as they are just now, and what the language model was used for."""

from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core import Finding, Health, Level, StoreStatus
from nanobot_memory_plugins.core.cli.costs import PURPOSE_WORDS, Cost
from nanobot_memory_plugins.panel.memory import COST_DAYS
from nanobot_memory_plugins.panel.views.base import Cells, View, field

_COLOURS = {Health.BAD: "red", Health.DEGRADED: "yellow", Health.INFO: "cyan", Health.GOOD: "green"}
_LEVELS = {
    Level.HYBRID: "words and meaning",
    Level.NUMPY: "words and meaning, without sqlite-vec",
    Level.FULL_TEXT: "words only",
    Level.MARKDOWN: "the files are read for each search",
}
# Findings take longer than a second to gather: they are looked at when the view is shown, and on demand.
_FINDINGS_SECONDS = 30.0


class HealthView(View):
    """The state of the memory, and what it costs."""

    name_of_view = "Health"
    columns = (("Health", 9), ("Subject", 22), ("State", 0))

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._examined: float | None = None
        self._costs: list[Cost] = []

    def version(self) -> str:
        """Return a text that always changes: the numbers are of this second."""
        return str(self.memory.clock.monotonic())

    def do_again(self) -> None:
        """Look again at once."""
        self._examined = None
        self.run_worker(self.refresh_view(force=True), group="examine", exclusive=True)

    async def load(self) -> None:
        """Read the numbers, and now and then the findings."""
        self.line.update(self._line(self.memory.status()))
        now = self.memory.clock.monotonic()
        if self._examined is None or now - self._examined >= _FINDINGS_SECONDS:
            self._examined = now
            self._costs = await self.memory.run(self.memory.costs)
            found = await self.memory.findings()
            order = list(_COLOURS)
            rows = sorted(found, key=lambda finding: order.index(finding.health))
            self.fill(rows, self._cells, lambda finding: f"{finding.subject} {finding.state}")

    def _cells(self, finding: Finding) -> Cells:
        t = self.words
        return [Text(t(finding.health.value), _COLOURS[finding.health]), t(finding.subject), t(finding.state)]

    def _line(self, status: StoreStatus | None) -> Text:
        t = self.words
        if status is None:
            return Text(t(" There is no index: install nanobot-memory-storage, or switch it on."), "yellow")
        level = t("Level {n}: {what}", n=int(status.level), what=t(_LEVELS[status.level]))
        line = Text().append(f" {level}\n", "bold green" if status.level <= Level.NUMPY else "bold yellow")
        counts = t(
            "{documents} passages, {vectors} vectors, {files} files",
            documents=f"{status.documents:,}",
            vectors=f"{status.vectors:,}",
            files=f"{status.files:,}",
        )
        queue = t(
            "Queue: {bytes} bytes to index, {vectors} vectors",
            bytes=f"{status.pending_bytes:,}",
            vectors=f"{status.pending_vectors:,}",
        )
        return line.append(f" {counts}\n {queue} · {t('Model')} {status.model or t('none')}")

    async def detail(self, row: Finding) -> Text:
        """Return a finding whole, and the cost of the last days by purpose."""
        t, text = self.words, Text()
        text.append(f"{t(row.subject)}\n", "bold").append(f"{t(row.state)}\n", _COLOURS[row.health])
        field(text, t("What helps"), t(row.hint), "bold")
        uses, tokens = sum(cost.uses for cost in self._costs), sum(map(_tokens, self._costs))
        summary = t("{days} days: {n} uses, about {m} tokens", days=COST_DAYS, n=f"{uses:,}", m=f"{tokens:,}")
        text.append(f"\n{t('Cost')}\n", "bold").append(f"{summary}\n")
        purposes: dict[str, int] = {}
        for cost in self._costs:
            purposes[cost.purpose] = purposes.get(cost.purpose, 0) + _tokens(cost)
        for purpose, count in sorted(purposes.items(), key=lambda item: -item[1]):
            name = t(purpose) if purpose in PURPOSE_WORDS else purpose
            text.append(f"{count:>12,}  ").append(f"{name}\n", "dim")
        return text

    def nothing(self) -> str:
        """Return what to show until something is found."""
        return self.words("Looking …")


def _tokens(cost: Cost) -> int:
    return cost.prompt_tokens + cost.answer_tokens
