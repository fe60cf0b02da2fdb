"""Looking at a workspace: its plugins are loaded and asked, and none of their work is started."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.config import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.host.eraser import Eraser
from nanobot_memory_plugins.core.host.plugin_set import PluginReport, PluginSet
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import EntryAccess, Store
from nanobot_memory_plugins.core.scopes.workspace_scopes import offered_scopes
from nanobot_memory_plugins.core.values.diagnosis import Finding


class Inspection:
    """The memory of a workspace for people who look at it, beside the agents that use it.

    Unlike a `MemoryHost` it starts no plugin: nothing is learned, consolidated or kept while it is open. The index is
    opened, since it is searched. Use it as an async context manager.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        config: MemoryConfig | None = None,
        clock: Clock | None = None,
        problems: Sequence[ConfigProblem] = (),
    ) -> None:
        self.workspace = Path(workspace).expanduser().absolute()
        self.config = config or MemoryConfig()
        self.clock = clock or SystemClock()
        self.store: Store | None = None
        self.entries: EntryAccess | None = None
        self._plugins = PluginSet(
            self.workspace,
            config=self.config,
            llm=None,
            clock=self.clock,
            problems=problems,
            scopes=offered_scopes(self.workspace, self.config),
            store=lambda: self.store,
        )

    async def __aenter__(self) -> Self:
        """Load the plugins, open the index, and find who keeps the entries. Either may be missing."""
        await self._plugins.load()
        self.store, self.entries = await self._plugins.open_store(), await self._plugins.open_entries()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the index and let the plugins go."""
        store, self.store = self.store, None
        if store is not None:
            try:
                await store.close()
            except Exception as failure:  # a third party's store may fail in any way
                logger.warning("the store could not be closed cleanly: {}", type(failure).__name__)
        await self._plugins.host.close()

    @property
    def eraser(self) -> Eraser:
        """What forgets for good, in the files, in what plugins keep, and in the index."""
        return Eraser(self.workspace, self._plugins.host, lambda: self.store, self.clock)

    def reports(self) -> list[PluginReport]:
        """Return every installed plugin with its state."""
        return self._plugins.reports()

    async def findings(self) -> list[Finding]:
        """Return how things stand: what core sees and what each plugin reports."""
        return await self._plugins.diagnose()
