"""The storage plugin: opens the store, purges it, and reports its state."""

from nanobot_memory_plugins.core import Finding, PluginContext, Store, hookimpl
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.purging import purge_other_indexes
from nanobot_memory_plugins.storage.store import SqliteStore

# Seconds that the start of a memory waits for its model.
_MODEL_SECONDS = 2.0


class StoragePlugin:
    """Indexes the memory files of the workspace in one SQLite file, and searches them."""

    Options = StorageOptions

    def __init__(self) -> None:
        self._store: SqliteStore | None = None

    @hookimpl
    async def open_store(self, context: PluginContext) -> Store:
        """Open the store. This always succeeds: at worst it searches the files themselves, and its status says so."""
        options = context.options if isinstance(context.options, StorageOptions) else StorageOptions()
        self._store = SqliteStore(context.workspace, options, context.clock, redact=context.redact_said)
        await self._store.start()
        # With the model loaded, even the first message of a process is recalled by meaning.
        await self._store.await_model(_MODEL_SECONDS)
        return self._store

    @hookimpl(trylast=True)
    async def on_purge(
        self,
        texts: tuple[str, ...],
        words: tuple[str, ...],
        dry_run: bool,
        context: PluginContext,
    ) -> list[Trace]:
        """Erase texts from the index: rows, terms, vectors, freed pages and the log."""
        from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher

        store = self._sqlite_store(context)
        traces = await store.purge(ErasureMatcher(texts, words=words), dry_run=dry_run) if store is not None else []
        options = context.options if isinstance(context.options, StorageOptions) else StorageOptions()
        paths, open_path = MemoryPaths.of(context.workspace), store.database if store is not None else None
        return traces + await run_in_daemon_thread(
            lambda: purge_other_indexes(paths, open_path, db_path=options.db_path, dry_run=dry_run)
        )

    @hookimpl
    async def diagnose(self, context: PluginContext) -> list[Finding]:
        """Report the versions of SQLite, vectors and model, and whether the index is sound."""
        store = self._sqlite_store(context)
        return await store.findings() if store is not None else []

    def _sqlite_store(self, context: PluginContext) -> SqliteStore | None:
        return self._store if context.store is not None else None
