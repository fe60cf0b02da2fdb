"""What the panel shows and changes: one workspace, opened to be looked at."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from nanobot_memory_plugins.core import (
    Clock,
    EntryAccess,
    Finding,
    Health,
    NanobotMemoryError,
    Store,
    SystemClock,
    logger,
)
from nanobot_memory_plugins.core.cli.findings import machine_findings, pause_finding
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.host.eraser import Eraser
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

_MOST_WARNINGS = 20


class PanelMemory:
    """One workspace: its plugins and its index, and the last warnings of what is logged."""

    def __init__(self, workspace: Path, plugins: PluginSet, clock: Clock) -> None:
        self.plugins = plugins
        self.eraser = Eraser(workspace, plugins, clock)
        self.clock = clock
        self.paths = MemoryPaths.of(workspace)
        self.privacy = PrivacyFile(self.paths)
        self.warnings: deque[str] = deque(maxlen=_MOST_WARNINGS)

    @property
    def entries(self) -> EntryAccess:
        """The scored entries, for the views that are there where a plugin keeps some."""
        return cast(EntryAccess, self.plugins.entries)

    @property
    def store(self) -> Store:
        """The index, for the view that is there where a plugin has one."""
        return cast(Store, self.plugins.store)

    async def findings(self) -> list[Finding]:
        """Return what ``doctor`` would say, as seen from here."""
        workspace = self.paths.workspace
        found = await run_in_daemon_thread(lambda: [*machine_findings(workspace), pause_finding(workspace)])
        found += [*await self.plugins.diagnose(), *await self.eraser.findings()]
        states = " ".join(finding.state for finding in found)
        return found + [
            Finding("warning", text, Health.DEGRADED, "`nanobot-memory --verbose doctor` shows where it comes from.")
            for text in dict.fromkeys(self.warnings)
            if text not in states
        ]


@asynccontextmanager
async def opened(workspace: Path, config: MemoryConfig, *, clock: Clock | None = None) -> AsyncIterator[PanelMemory]:
    """Open plugins and index to look at them: nothing is learned, consolidated or observed here."""
    clock = clock or SystemClock()
    memory = PanelMemory(workspace, PluginSet(workspace, config=config, clock=clock), clock)
    sink = logger.add(lambda line: memory.warnings.append(line.record["message"]), level="WARNING", diagnose=False)
    try:
        async with memory.plugins:
            yield memory
    finally:
        logger.remove(sink)


def reason_of(error: BaseException) -> str:
    """Return what to say of an error: cause and hint where it is one of ours, never the values of others."""
    if isinstance(error, NanobotMemoryError):
        return f"{tr(error.cause)} {tr(error.hint)}".rstrip()
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return tr(Sentence("Unexpected {kind}.", kind=type(error).__name__))
