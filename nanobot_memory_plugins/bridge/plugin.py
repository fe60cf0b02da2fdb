"""The bridge among the plugins: it reports how it is attached, and what nanobot keeps of what is forgotten."""

from collections.abc import Iterator
from pathlib import Path

from nanobot_memory_plugins.bridge.host_version import UPGRADE, host_finding
from nanobot_memory_plugins.bridge.importing import session_files
from nanobot_memory_plugins.bridge.options import BridgeOptions
from nanobot_memory_plugins.bridge.seams import Seam
from nanobot_memory_plugins.core import Finding, Health, NanobotMemoryError, PluginContext, hookimpl
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.redaction.script.messages import Sentence

_OWN_SESSION = Sentence("nanobot's own conversation, which it goes on with; remove the file while nanobot rests")
_HINT = Sentence("Use a supported nanobot-ai: {upgrade}", upgrade=UPGRADE)


class NanobotPlugin:
    """Tells ``doctor`` which nanobot there is and which of its seams are attached, and ``purge`` of its sessions."""

    Options = BridgeOptions

    @hookimpl
    def diagnose(self, context: PluginContext) -> list[Finding]:
        """Report the host's version and its seams: those of the running bridge, else those of a probe."""
        return [host_finding(), *_seam_findings(context.workspace)]

    @hookimpl
    def on_purge(self, texts: tuple[str, ...], words: tuple[str, ...], context: PluginContext) -> list[Trace]:
        """Name the sessions of nanobot's own that hold what is forgotten: they are not ours."""
        wanted = Wanted(texts, words=words)
        return [one for path in session_files(context.workspace) for one in _held(path, wanted)] if wanted else []


def _held(path: Path, wanted: Wanted) -> Iterator[Trace]:
    try:
        lines = read_regular(path).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    if count := sum(bool(wanted.count(line)) for line in lines):
        yield Trace(str(path), count, removed=False, why=_OWN_SESSION)


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
