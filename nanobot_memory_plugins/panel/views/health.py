"""The current findings of ``doctor``."""

from rich.text import Text

from nanobot_memory_plugins.core import Finding
from nanobot_memory_plugins.core.cli.doctor_command import HEALTH_COLOURS
from nanobot_memory_plugins.panel.views.base import Cells, View, field
from nanobot_memory_plugins.redaction.script.messages import tr

# How often findings are collected, in seconds. That takes more than a second.
_FINDINGS_SECONDS = 30.0


class HealthView(View):
    """The state of the memory."""

    name_of_view = "Health"
    columns = (("Health", 9), ("Subject", 22), ("State", 0))

    def version(self) -> str:
        """Return a text that changes every half minute."""
        return str(self.memory.clock.monotonic() // _FINDINGS_SECONDS)

    def do_again(self) -> None:
        """Collect the findings now."""
        self.begin(lambda: self.refresh_view(force=True))

    async def load(self) -> None:
        """Collect the findings, and show the worst first."""
        self.show_detail()  # says meanwhile that they are being collected
        order = list(HEALTH_COLOURS)
        found = sorted(await self.memory.findings(), key=lambda finding: order.index(finding.health))
        self.fill(found, self._cells, lambda finding: f"{finding.subject} {finding.state}")

    def _cells(self, finding: Finding) -> Cells:
        return [Text(tr(finding.health.value), HEALTH_COLOURS[finding.health]), tr(finding.subject), tr(finding.state)]

    async def detail(self, row: Finding) -> Text:
        """Return the whole finding with its hint."""
        text = Text()
        text.append(f"{tr(row.subject)}\n", "bold").append(f"{tr(row.state)}\n", HEALTH_COLOURS[row.health])
        field(text, tr("What helps"), tr(row.hint), "bold")
        return text

    def empty_text(self) -> str:
        """Return the text until findings are collected."""
        return tr("Looking …")
