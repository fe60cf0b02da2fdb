"""The store that the storage plugin opens: searches in threads of its own, and the waiting for the indexer."""

import asyncio
import os
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nanobot_memory_plugins.core import (
    Clock,
    Embedder,
    Finding,
    Hit,
    Query,
    SearchResult,
    StoreError,
    StoreStatus,
    logger,
)
from nanobot_memory_plugins.core.isolation.threads import LINGER_SECONDS, DaemonThreadPool, run_in_pool
from nanobot_memory_plugins.core.redaction.contact_redaction import without_secrets
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.storage.diagnosis import findings
from nanobot_memory_plugins.storage.memory_index import MemoryIndex
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.purging import count_rows, later, purge_index

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher

T = TypeVar("T")

# Searches that run at a time; more wait. Two cores gain nothing from more.
_SEARCHES = 3
# Seconds: between looks at an index that is being brought up to date, how long it may make no progress, how
# long closing waits for the files that were accepted, and how long the end of a process that forgot to close.
_POLL, _LONGEST_POLL, _STUCK, _DRAIN, _LAST_SECONDS = 0.02, 0.5, 120.0, 5.0, 1.0
# Seconds without progress after which a purge leaves the index to the next start.
_STUCK_PURGE = 15.0


class SqliteStore:
    """The `Store` over one SQLite file. Nothing in it blocks the event loop.

    Whatever fails, a search answers: without vectors by full text, without an index from the files themselves.
    `status` says at which level, and why. ``redact`` hides secrets in what people wrote.
    """

    def __init__(
        self,
        workspace: Path,
        options: StorageOptions,
        clock: Clock,
        *,
        redact: Callable[[str], str] = without_secrets,
    ) -> None:
        self._index = MemoryIndex(workspace, options, clock, redact=redact)
        self._searching = DaemonThreadPool(_SEARCHES, "nanobot-memory-search", linger=LINGER_SECONDS)
        self._housekeeping = DaemonThreadPool(4, "nanobot-memory-store")
        self._refreshing: Future[StoreStatus] | None = None
        self._closed = False
        # Daemon threads that run while the interpreter is taken apart can crash it.
        self._finalizer = weakref.finalize(self, _stop_at_exit, os.getpid(), self._index)

    @classmethod
    async def open(
        cls,
        workspace: Path,
        options: StorageOptions,
        clock: Clock,
        *,
        redact: Callable[[str], str] = without_secrets,
    ) -> "SqliteStore":
        """Open the store of a workspace. What is not there yet is made; what cannot be, is reported by `status`."""
        store = cls(workspace, options, clock, redact=redact)
        await store._in_housekeeping(store._index.open)
        return store

    @property
    def database(self) -> Path | None:
        """The file of the index that is open, or None while there is none."""
        return self._index.database

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model, once it is ready."""
        return None if self._closed else self._index.embedding.embedder

    async def await_model(self, seconds: float) -> None:
        """Wait (seconds) for a model that only has to be loaded. A process of one message needs it for that one."""
        await self._in_housekeeping(lambda: self._index.await_model(seconds))

    async def search(self, query: Query) -> SearchResult:
        """Return the best hits for ``query``, best first. One whose caller gave up before it began is not run.

        Raises `StoreError` when not even the files can be read, and after `close`.
        """
        self._must_be_open()
        return await run_in_pool(self._searching, self._index.search, query)

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory whole, or None when there is none with this id."""
        self._must_be_open()
        return await run_in_pool(self._searching, self._index.read, hit_id)

    async def encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector a text, made in a thread; None while there is no model, or when it fails."""
        embedder = self.embedder
        if embedder is None:
            return None
        try:
            return await self._in_housekeeping(lambda: embedder.encode(list(texts))) if texts else []
        except Exception as error:  # a model may fail in any way, or be closed meanwhile
            logger.warning("texts could not be compared by meaning: {}", type(error).__name__)
            return None

    def notify(self, path: Path) -> None:
        """Learn that a memory file has grown or changed."""
        if self._index.indexer is not None:
            self._index.indexer.notify()

    async def flush(self) -> None:
        """Return once everything that stood in the files at the call is searchable by full text.

        Whichever process owns the index does the work. Raises `StoreError` when the indexing of this process fails, or
        that of another makes no progress for two minutes. While the index cannot be used the files are searched, and
        nothing has to be waited for.
        """
        await self._flush(_STUCK)

    async def _flush(self, stuck: float) -> None:
        self._must_be_open()
        indexer = self._index.indexer
        looking = indexer.look() if indexer is not None else 0
        before, changed_at, pause = -1, time.monotonic(), _POLL
        while waiting := await self._in_housekeeping(self._index.files_waiting):
            if indexer is not None:
                if indexer.trouble:
                    raise StoreError(indexer.trouble)
                if indexer.has_looked(looking):
                    break  # what waits has changed since, or cannot be indexed
            if waiting != before:
                before, changed_at = waiting, time.monotonic()
            elif time.monotonic() - changed_at > stuck:
                raise StoreError(
                    "The index does not get up to date.",
                    hint="See the log of the process that holds .storage/indexer.lock, or end that process.",
                )
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_POLL)
        await self._in_housekeeping(self._index.refresh)

    def status(self) -> StoreStatus:
        """Return the store's state; its numbers may be a second old, or more when it was not asked for long."""
        idle = self._refreshing is None or self._refreshing.done()
        if idle and not self._closed and self._index.numbers_are_old():
            self._refreshing = self._housekeeping.submit(self._index.refresh)
        return self._index.status()

    async def refreshed_status(self) -> StoreStatus:
        """Return the store's state with numbers of this moment."""
        return await self._in_housekeeping(self._index.refresh)

    async def vectors_complete(self) -> None:
        """Return once everything has its vector, or when there is no model to make them."""
        while True:
            report = await self._in_housekeeping(lambda: self._index.embedding.wait(_LONGEST_POLL))
            if not report.is_loading:
                if await self._in_housekeeping(self._index.vectors_are_complete):
                    await self.refreshed_status()
                    return
                await asyncio.sleep(_LONGEST_POLL / 2)

    async def rebuild(self) -> None:
        """Remove the index. Whoever owns it makes it again from the files; `flush` waits for that.

        Raises `StoreError` when it cannot be removed.
        """
        self._must_be_open()
        await self._in_housekeeping(self._index.rebuild)

    async def purge(self, matcher: "ErasureMatcher", *, dry_run: bool) -> list[Trace]:
        """Forget texts that the files hold no more; say what was found. What cannot be done is said, not raised.

        Nobody is waited for for long: what cannot be done now is left to the next start.
        """
        self._must_be_open()
        paths, database = self._index.paths, self.database
        if database is None:
            return []
        try:
            indexed = await self._in_housekeeping(lambda: count_rows(database, matcher))
            if not dry_run:
                await self._flush(_STUCK_PURGE)
            return await self._in_housekeeping(
                lambda: purge_index(paths, database, matcher, indexed=indexed, dry_run=dry_run)
            )
        except StoreError as error:
            return [later(paths, database, error, dry_run=dry_run)]

    async def findings(self) -> list[Finding]:
        """Say for ``nanobot-memory doctor`` the state of SQLite, vectors, model and index."""
        return await self._in_housekeeping(lambda: findings(self._index))

    async def close(self) -> None:
        """Finish what was accepted, within seconds, close the files and end every thread."""
        if self._closed:
            return
        self._closed = True
        self._searching.shutdown()
        self._finalizer.detach()
        await self._in_housekeeping(lambda: self._index.stop(_DRAIN))

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.")

    async def _in_housekeeping(self, function: Callable[[], T]) -> T:
        return await run_in_pool(self._housekeeping, function)


def _stop_at_exit(process: int, index: MemoryIndex) -> None:
    """Stop an index that nobody closed, in the process that has its threads: a process that forks off copies it."""
    if process == os.getpid():
        index.stop(_LAST_SECONDS)
