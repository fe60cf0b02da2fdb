"""The data behind the panel: one workspace's plugins, files and warnings."""

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

_MAX_WARNINGS = 20


class PanelMemory:
    """The plugins and files of one workspace, and the last warnings in the log."""

    def __init__(self, workspace: Path, plugins: PluginSet, clock: Clock) -> None:
        self.plugins = plugins
        self.eraser = Eraser(workspace, plugins, clock)
        self.clock = clock
        self.paths = MemoryPaths.of(workspace)
        self.privacy = PrivacyFile(self.paths)
        self.warnings: deque[str] = deque(maxlen=_MAX_WARNINGS)

    @property
    def entries(self) -> EntryAccess:
        """The scored entries, for views that exist only when a plugin keeps them."""
        return cast(EntryAccess, self.plugins.entries)

    @property
    def store(self) -> Store:
        """The index, for the view that exists only when a plugin has one."""
        return cast(Store, self.plugins.store)

    async def findings(self) -> list[Finding]:
        """Return the findings of ``doctor``, and the warnings that they do not mention."""
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
async def open_memory(
    workspace: Path, config: MemoryConfig, *, clock: Clock | None = None
) -> AsyncIterator[PanelMemory]:
    """Open the plugins of a workspace without running a host: nothing is learned, consolidated or observed."""
    clock = clock or SystemClock()
    memory = PanelMemory(workspace, PluginSet(workspace, config=config, clock=clock), clock)
    sink = logger.add(lambda line: memory.warnings.append(line.record["message"]), level="WARNING", diagnose=False)
    try:
        async with memory.plugins:
            yield memory
    finally:
        logger.remove(sink)


def error_text(error: BaseException) -> str:
    """Return the cause and hint of an error of ours, else its kind without any values."""
    if isinstance(error, NanobotMemoryError):
        return f"{tr(error.cause)} {tr(error.hint)}".rstrip()
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return tr(Sentence("Unexpected {kind}.", kind=type(error).__name__))
