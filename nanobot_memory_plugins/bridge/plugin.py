"""The bridge among the plugins: it has no memory hooks of its own, it reports how it is attached."""

from pathlib import Path

from nanobot_memory_plugins.bridge.host_version import UPGRADE, host_finding
from nanobot_memory_plugins.bridge.options import BridgeOptions
from nanobot_memory_plugins.bridge.seams import Seam
from nanobot_memory_plugins.core import Finding, Health, NanobotMemoryError, PluginContext, Sentence, hookimpl

_HINT = Sentence("Use a supported nanobot-ai: {upgrade}", upgrade=UPGRADE)


class NanobotPlugin:
    """Tells ``nanobot-memory doctor`` which nanobot there is and which of its seams are attached."""

    Options = BridgeOptions

    @hookimpl
    def diagnose(self, context: PluginContext) -> list[Finding]:
        """Report the host's version and its seams: those of the running bridge, else those of a probe."""
        return [host_finding(), *_seam_findings(context.workspace)]


def _seam_findings(workspace: Path) -> list[Finding]:
    try:
        from nanobot_memory_plugins.bridge.attach import bridge_for
        from nanobot_memory_plugins.bridge.probing import probe_seams

        running = bridge_for(workspace)
        return [finding_of(seam) for seam in (running.seams.all() if running is not None else probe_seams())]
    except NanobotMemoryError as error:
        return [Finding("nanobot seams", error.cause, Health.BAD, hint=error.hint or _HINT)]
    except ImportError as error:
        state = Sentence("none can be attached: this nanobot has no {name}", name=error.name)
        return [Finding("nanobot seams", state, Health.BAD, hint=_HINT)]


def finding_of(seam: Seam) -> Finding:
    """Return a seam as the doctor shows it."""
    subject = Sentence("nanobot seam: {name}", name=Sentence(seam.name))
    if seam.attached:
        return Finding(subject, Sentence("attached ({detail})", detail=seam.detail))
    if seam.detail.startswith("not possible"):
        told = Sentence("{detail}; {degraded}", detail=Sentence(seam.detail), degraded=Sentence(seam.degraded))
        return Finding(subject, told, Health.INFO)
    return Finding(
        subject,
        Sentence("not attached: {detail}; {degraded}", detail=seam.detail, degraded=Sentence(seam.degraded)),
        Health.DEGRADED,
        hint=_HINT,
    )
