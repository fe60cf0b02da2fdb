"""What the panel shows and changes: one workspace, opened to be looked at."""

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from nanobot_memory_plugins.core import (
    Clock,
    EntryAccess,
    Finding,
    Health,
    NanobotMemoryError,
    Store,
    SystemClock,
    load_config,
    logger,
)
from nanobot_memory_plugins.core.cli.findings import machine_findings, memory_file_findings
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.scopes import asked_senders
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

Result = TypeVar("Result")

_MOST_WARNINGS = 20


class PanelMemory:
    """One workspace, and the configuration that belongs to it.

    ``config_file`` is the one that was named; without it the usual places count. `open` loads plugins and index; until
    then, and when either cannot be had, there is less to see.
    """

    def __init__(self, workspace: Path, config_file: Path | None = None, *, clock: Clock | None = None) -> None:
        self.workspace = workspace
        self.paths = MemoryPaths.of(workspace)
        self.clock = clock or SystemClock()
        self.privacy = PrivacyFile(self.paths)
        self.warnings: deque[str] = deque(maxlen=_MOST_WARNINGS)
        self._config_file = config_file
        self.host: MemoryHost | None = None
        """The plugins and the index, once they are open."""
        self._sink: int | None = None

    async def open(self) -> None:
        """Load the plugins and open the index. Raises whatever prevents it."""
        self._sink = logger.add(
            lambda message: self.warnings.append(message.record["message"]), level="WARNING", diagnose=False
        )
        config = await self.run(lambda: load_config(self._config_file))
        host = MemoryHost(
            self.workspace,
            config=config,
            clock=self.clock,
            senders=asked_senders(self.workspace, config),
            looks_only=True,
        )
        self.host = await host.__aenter__()

    async def close(self) -> None:
        """Close the index."""
        host, self.host = self.host, None
        if host is not None:
            await host.__aexit__(None, None, None)
        if self._sink is not None:
            logger.remove(self._sink)
            self._sink = None

    @staticmethod
    async def run(work: Callable[[], Result]) -> Result:
        """Do what blocks in a thread that keeps nothing from ending."""
        return await run_in_daemon_thread(work)

    @property
    def entries(self) -> EntryAccess | None:
        """The scored entries, or None: no plugin keeps any."""
        return self.host.entries if self.host is not None else None

    @property
    def store(self) -> Store | None:
        """The index, or None."""
        return self.host.store if self.host is not None else None

    async def findings(self) -> list[Finding]:
        """Return what ``doctor`` would say, as seen from here."""
        found = await self.run(lambda: [*machine_findings(self.workspace), *memory_file_findings(self.workspace)])
        if self.host is not None:
            found += await self.host.diagnose()
        else:
            found.append(Finding("memory", "it could not be opened", Health.BAD, "Run `nanobot-memory doctor`."))
        states = " ".join(finding.state for finding in found)
        found += [
            Finding("warning", text, Health.DEGRADED, "`nanobot-memory --verbose doctor` shows where it comes from.")
            for text in dict.fromkeys(self.warnings)
            if text not in states
        ]
        return found


def reason_of(error: BaseException) -> str:
    """Return what to say of an error: cause and hint where it is one of ours, never the values of others."""
    if isinstance(error, NanobotMemoryError):
        return f"{tr(error.cause)} {tr(error.hint)}".rstrip()
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return tr(Sentence("Unexpected {kind}.", kind=type(error).__name__))
