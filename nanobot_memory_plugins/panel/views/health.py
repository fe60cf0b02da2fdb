"""What ``doctor`` finds, as it is just now."""

from rich.text import Text

from nanobot_memory_plugins.core import Finding
from nanobot_memory_plugins.core.cli.doctor_command import HEALTH_COLOURS
from nanobot_memory_plugins.panel.views.base import Cells, View, field
from nanobot_memory_plugins.redaction.script.messages import tr

# They take longer than a second to gather.
_FINDINGS_SECONDS = 30.0


class HealthView(View):
    """The state of the memory."""

    name_of_view = "Health"
    columns = (("Health", 9), ("Subject", 22), ("State", 0))

    def version(self) -> str:
        """Return a text that changes each half minute."""
        return str(self.memory.clock.monotonic() // _FINDINGS_SECONDS)

    def do_again(self) -> None:
        """Look again at once."""
        self.begin(lambda: self.refresh_view(force=True))

    async def load(self) -> None:
        """Read the findings, the worst first."""
        self.show_detail()  # that it is looked for, meanwhile
        order = list(HEALTH_COLOURS)
        found = sorted(await self.memory.findings(), key=lambda finding: order.index(finding.health))
        self.fill(found, self._cells, lambda finding: f"{finding.subject} {finding.state}")

    def _cells(self, finding: Finding) -> Cells:
        return [Text(tr(finding.health.value), HEALTH_COLOURS[finding.health]), tr(finding.subject), tr(finding.state)]

    async def detail(self, row: Finding) -> Text:
        """Return a finding whole."""
        text = Text()
        text.append(f"{tr(row.subject)}\n", "bold").append(f"{tr(row.state)}\n", HEALTH_COLOURS[row.health])
        field(text, tr("What helps"), tr(row.hint), "bold")
        return text

    def nothing(self) -> str:
        """Return what to show until something is found."""
        return tr("Looking …")
