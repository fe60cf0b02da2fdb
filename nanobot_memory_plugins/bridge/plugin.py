"""The bridge's plugin: reports its seams to `doctor`, and nanobot's own copies of purged text to `purge`."""

import re
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.configuration import BridgeOptions
from nanobot_memory_plugins.bridge.importing import session_files
from nanobot_memory_plugins.bridge.seams import DEGRADED, Seam
from nanobot_memory_plugins.core import Finding, Health, PluginContext, PluginError, hookimpl
from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.redaction.script.messages import Sentence

HOST = "nanobot-ai"
SUPPORTED_FROM = (0, 3, 5)
UPGRADE = f"`pip install --upgrade '{HOST}>={'.'.join(map(str, SUPPORTED_FROM))}'`"
_HINT = Sentence("Use a supported nanobot-ai: {upgrade}", upgrade=UPGRADE)
_OWN_SESSION = Sentence("nanobot's own conversation, which it continues; remove the file while nanobot is not running")
# Features that no version of nanobot makes possible, and why.
_UNSUPPORTED = {
    "draft review": "not possible: nanobot-ai shows a draft before anything can look at it, and keeps it in view when"
    " it asks again",
    "tools of subagents": "not possible: subagents of nanobot-ai run with a hook of their own; what they report is"
    " remembered",
}


class NanobotPlugin:
    """Reports nanobot's version and the attached seams to ``doctor``, and nanobot's session files to ``purge``."""

    Options = BridgeOptions

    @hookimpl
    def diagnose(self, context: PluginContext) -> list[Finding]:
        """Report the host's version and the seams of the running bridge, or of a probe when no bridge runs."""
        found = host_finding()
        if found.health is Health.BAD:
            return [found]
        from nanobot_memory_plugins.bridge.connection import bridge_for

        running = bridge_for(context.workspace)
        try:
            seams = running.seams.values() if running is not None else probe_seams()
        except PluginError as error:
            return [found, Finding("nanobot seams", error.cause, Health.BAD, hint=error.hint)]
        infos = [Finding(_subject(name), Sentence(why), Health.INFO) for name, why in _UNSUPPORTED.items()]
        return [found, *map(finding_of, seams), *infos]

    @hookimpl
    def on_purge(self, texts: tuple[str, ...], words: tuple[str, ...], context: PluginContext) -> list[Trace]:
        """Report nanobot's session files that hold the purged text. nanobot owns them, so they are not changed."""
        matcher = ErasureMatcher(texts, words=words)
        files = session_files(context.workspace) if matcher else []
        return [trace for path in files for trace in _session_traces(path, matcher)]


def host_finding(installed: str | None = None) -> Finding:
    """Report whether nanobot's version is supported. ``installed`` is by default the installed version."""
    try:
        found = installed if installed is not None else version(HOST)
    except PackageNotFoundError:
        return Finding(HOST, "not installed", Health.BAD, hint=Sentence("`pip install {host}`", host=HOST))
    # Only the leading numbers count, not a suffix like rc1 or .post2.
    if tuple(int(part) for part in re.findall(r"\d+", found.split("+")[0])[:3]) >= SUPPORTED_FROM:
        return Finding(HOST, Sentence("{found}, supported", found=found))
    return Finding(HOST, Sentence("{found}, not supported", found=found), Health.BAD, hint=UPGRADE)


def probe_seams() -> Iterable[Seam]:
    """Return the seams of the installed nanobot, for a process in which none runs.

    It builds a real AgentLoop on a temporary workspace, which attaches the bridge as usual but never runs. It blocks
    while nanobot is imported, for a second or two. Raises `PluginError` when no AgentLoop can be built, or when it did
    not load the bridge.
    """
    with tempfile.TemporaryDirectory(prefix="nanobot-memory-") as folder:
        try:
            from nanobot_memory_plugins.bridge.connection import bridge_of

            loop = _build_loop(Path(folder))
        except Exception as error:
            raise PluginError(
                Sentence("No AgentLoop can be built here: {kind}.", kind=type(error).__name__), hint=UPGRADE
            ) from error
        bridge = bridge_of(loop)
        if bridge is None:
            raise PluginError(
                "nanobot did not load the bridge.",
                hint="Install both in one environment: pip install nanobot-ai nanobot-memory-bridge",
            )
        return bridge.seams.values()


def _build_loop(folder: Path) -> Any:
    from nanobot.agent.loop import AgentLoop
    from nanobot.bus.queue import MessageBus
    from nanobot.providers.base import LLMProvider
    from nanobot.session.manager import SessionManager

    class UnusedProvider(LLMProvider):  # type: ignore[misc]  # nanobot publishes no types
        """A provider for the loop's constructor. The probe never calls it."""

        chat = None

        def get_default_model(self) -> str:
            """Return a placeholder."""
            return "none"

    workspace = folder / "workspace"
    # Keep the probe's sessions out of the user's home folder.
    sessions = SessionManager(workspace, sessions_root=folder / "sessions")
    return AgentLoop(
        bus=MessageBus(), provider=UnusedProvider(provider_name="none"), workspace=workspace, session_manager=sessions
    )


def _session_traces(path: Path, matcher: ErasureMatcher) -> Iterator[Trace]:
    try:
        lines = read_regular(path).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    if count := sum(bool(matcher.count(line)) for line in lines):
        yield Trace(str(path), count, removed=False, why=_OWN_SESSION)


def _subject(name: str) -> Sentence:
    return Sentence("nanobot seam: {name}", name=Sentence(name))


def finding_of(seam: Seam) -> Finding:
    """Return a seam as the doctor shows it."""
    if seam.attached:
        return Finding(_subject(seam.name), Sentence("attached ({detail})", detail=seam.detail))
    state = Sentence("not attached: {detail}; {degraded}", detail=seam.detail, degraded=Sentence(DEGRADED[seam.name]))
    return Finding(_subject(seam.name), state, Health.DEGRADED, hint=_HINT)
