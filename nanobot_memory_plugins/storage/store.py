"""The store of the storage plugin: the index of one workspace, with the files themselves as its fallback."""

import asyncio
import os
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nanobot_memory_plugins.core import (
    Clock,
    Embedder,
    Finding,
    Hit,
    Level,
    Query,
    SearchResult,
    StoreError,
    StoreStatus,
    logger,
)
from nanobot_memory_plugins.core.files.entry_lines import hidden_records
from nanobot_memory_plugins.core.files.index_file import remove_database
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool, run_in_daemon_thread, run_in_pool
from nanobot_memory_plugins.core.redaction.contact_redaction import redact_secrets
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.diagnosis import findings
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
from nanobot_memory_plugins.storage.filters import record_of
from nanobot_memory_plugins.storage.index_location import prepare_database
from nanobot_memory_plugins.storage.indexer.tail import TailReader
from nanobot_memory_plugins.storage.indexer.worker import STUCK_SECONDS, Indexer, wait_until_indexed
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.purging import count_rows, postponed_trace, purge_index
from nanobot_memory_plugins.storage.readers import NOT_OPEN, Reader, Readers
from nanobot_memory_plugins.storage.results import hit_of
from nanobot_memory_plugins.storage.search.searcher import Searcher, meaning_of, search_documents
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from nanobot_memory_plugins.storage.sources.migration import migrate_legacy
from nanobot_memory_plugins.storage.sources.source_files import SourceFinder, pending_bytes
from nanobot_memory_plugins.storage.sqlite import translate_errors

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher

T = TypeVar("T")

# Searches that run at the same time; others wait. Two cores gain nothing from more.
_SEARCH_THREADS = 3
# Bytes of the files that a search reads in addition to the index, and without an index: 0.2 s per megabyte.
_TAIL_BYTES, _SCAN_BYTES = 1_000_000, 2_000_000
# Seconds that opening and rebuilding wait for the database, and the age at which the counts of a status are refreshed.
_OPEN_SECONDS, _REBUILD_SECONDS, _STATUS_MAX_AGE = 3.0, 10.0, 1.0
# Seconds between checks for missing vectors, and that pending files may take at `close`, and at the exit of a process
# that did not close the store.
_POLL_SECONDS, _DRAIN, _EXIT_SECONDS = 0.5, 5.0, 1.0
# Seconds without progress after which a purge leaves the index to the next start.
_PURGE_STUCK_SECONDS = 15.0
# Seconds that doctor waits for a model: loading it is slow on a busy machine.
_MODEL_SECONDS = 25.0
_NO_VEC = "sqlite-vec cannot be loaded; vectors are compared by numpy."
_VEC_HINT = 'Install it with: pip install "nanobot-memory-storage[vec]"'
_NO_INDEX = StoreError(
    "The configuration asks for no index (storage.backend is grep_only).",
    hint='Set it to "builtin_fts" for full text and vectors.',
)


class SqliteStore:
    """The `Store` over one SQLite file, once it is started. No public method blocks the event loop.

    A search always answers: without vectors by full text, without an index from the files themselves. `status` says at
    which level, and why. ``redact`` hides secrets in text that people wrote. ``database`` is the file of the index,
    None while there is none.
    """

    def __init__(
        self,
        workspace: Path,
        options: StorageOptions,
        clock: Clock,
        *,
        redact: Callable[[str], str] = redact_secrets,
    ) -> None:
        self.database: Path | None = None
        embedding = self.embedding = EmbeddingService(options.embedding_options())
        self._paths = MemoryPaths.of(workspace)
        self._sources = SourceFinder(self._paths)
        self._tail = TailReader(options.chunking(redact))
        self._options, self._clock, self._redact = options, clock, redact
        self._indexer: Indexer | None = None
        self._readers: Readers | None = None
        self._trouble = NOT_OPEN
        self._last_status = StoreStatus(level=Level.MARKDOWN)
        self._counted_at = 0.0
        self._search_pool = DaemonThreadPool(_SEARCH_THREADS, "nanobot-memory-search")
        self._refresh_task: Future[StoreStatus] | None = None
        self._closed = False
        # Stop the threads within some seconds, in this order. None of the functions may reference the store itself.
        self._stop_functions: list[Callable[[float], None]] = [embedding.close]
        # Daemon threads that still run while the interpreter shuts down can crash it.
        self._finalizer = weakref.finalize(self, _stop_at_exit, os.getpid(), self._stop_functions)

    async def start(self) -> None:
        """Open the index, start the indexer, and begin to load the model.

        It creates what is missing. What cannot be created is no error: `status` reports it.
        """
        await run_in_daemon_thread(self._open)

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model, once it is ready."""
        return None if self._closed else self.embedding.embedder

    async def await_model(self, seconds: float) -> None:
        """Wait (seconds) for a model on disk to be loaded. A process that handles one message needs it for that one."""

        def wait() -> None:
            if (
                self._readers is not None
                and self.embedding.is_on_disk()
                and not self.embedding.wait(seconds).is_loading
            ):
                self._warm_up()

        await run_in_daemon_thread(wait)

    async def search(self, query: Query) -> SearchResult:
        """Return the best hits for ``query``, best first. A search that is cancelled before it begins does not run.

        Raises `StoreError` after `close`.
        """
        self._check_open()
        return await run_in_pool(self._search_pool, self._search, query)

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory with its whole text, or None when no memory has this id."""
        self._check_open()
        return await run_in_pool(self._search_pool, self._read, hit_id)

    async def encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector per text, computed in a thread; None while there is no model, or when it fails."""
        embedder = self.embedder
        if embedder is None:
            return None
        try:
            return await run_in_daemon_thread(lambda: embedder.encode(list(texts))) if texts else []
        except Exception as error:  # a model may raise anything, or be closed meanwhile
            logger.warning("texts could not be compared by meaning: {}", type(error).__name__)
            return None

    def notify(self, path: Path) -> None:
        """Wake the indexer because a memory file has changed."""
        if self._indexer is not None:
            self._indexer.notify()

    async def flush(self) -> None:
        """Wait until the present content of the files is searchable by full text.

        The process that owns the index does the work. Raises `StoreError` when the indexing of this process fails, or
        that of another process makes no progress for two minutes. While the index cannot be used the files are
        searched, and there is nothing to wait for.
        """
        await self._flush_within(STUCK_SECONDS)

    async def _flush_within(self, stuck_seconds: float) -> None:
        self._check_open()
        indexer = self._indexer
        scan = indexer.request_scan() if indexer is not None else 0

        def remaining() -> int:
            # Without a database the files are searched, and there is nothing to wait for.
            work = self._use_reader(lambda reader: self._sources.remaining(reader.file_states())) or 0
            if work and indexer is not None and indexer.trouble:
                raise StoreError(indexer.trouble)
            # Files that are pending after the scan have changed since, or cannot be indexed.
            return 0 if indexer is not None and indexer.has_scanned(scan) else work

        await wait_until_indexed(lambda: run_in_daemon_thread(remaining), stuck_seconds, "indexer.lock")
        await self.refreshed_status()

    def status(self) -> StoreStatus:
        """Return the state; its counts are those of the last refresh, and a call starts a new one once a second."""
        is_idle = self._refresh_task is None or self._refresh_task.done()
        if is_idle and not self._closed and time.monotonic() - self._counted_at > _STATUS_MAX_AGE:
            self._refresh_task = self._search_pool.submit(self._refresh)
        return self._status()

    async def refreshed_status(self) -> StoreStatus:
        """Return the state with the counts of this moment."""
        return await run_in_daemon_thread(self._refresh)

    async def vectors_complete(self, waiting: Callable[[StoreStatus, Any], None] | None = None) -> None:
        """Wait until every passage has a vector, or there is no model to compute them.

        ``waiting`` is called repeatedly meanwhile, with the state of the store and that of its model.
        """
        while True:
            embedding_status = await run_in_daemon_thread(lambda: self.embedding.wait(_POLL_SECONDS))
            if waiting is not None:
                waiting(self.status(), embedding_status)
            if not embedding_status.is_loading:
                if await run_in_daemon_thread(self._vectors_are_complete):
                    await self.refreshed_status()
                    return
                await asyncio.sleep(_POLL_SECONDS / 2)

    async def rebuild(self) -> None:
        """Remove the index. Its owner rebuilds it from the files; `flush` waits for that.

        Raises `StoreError` when it cannot be removed.
        """
        self._check_open()
        await run_in_daemon_thread(self._rebuild)

    async def purge(self, matcher: "ErasureMatcher", *, dry_run: bool) -> list[Trace]:
        """Erase texts that are no longer in the files, and return a trace of each place; failures are traces as well.

        It waits only briefly for other processes: what cannot be erased now is left to the next start.
        """
        self._check_open()
        paths, database = self._paths, self.database
        if database is None:
            return []
        try:
            indexed = await run_in_daemon_thread(lambda: count_rows(database, matcher))
            if not dry_run:
                await self._flush_within(_PURGE_STUCK_SECONDS)
            return await run_in_daemon_thread(
                lambda: purge_index(paths, database, matcher, rows_before=indexed, dry_run=dry_run)
            )
        except StoreError as error:
            return [postponed_trace(paths, database, error, dry_run=dry_run)]

    async def findings(self) -> list[Finding]:
        """Return the findings of ``nanobot-memory doctor`` about SQLite, vectors, model and index."""

        def found() -> list[Finding]:
            embedding = self.embedding.wait(_MODEL_SECONDS)
            return findings(self._refresh(), embedding, self.database, uses_index=self._uses_index)

        return await run_in_daemon_thread(found)

    async def close(self) -> None:
        """Index the pending files, within seconds, close all files and end every thread."""
        if self._closed:
            return
        self._closed = True
        self._search_pool.shutdown()
        self._finalizer.detach()
        await run_in_daemon_thread(_stop_all, self._stop_functions, _DRAIN)

    # The methods below block.

    @property
    def _uses_index(self) -> bool:
        return self._options.backend != "grep_only"

    def _refresh(self) -> StoreStatus:
        self._counted_at = time.monotonic()
        self._use_reader(self._count)
        return self._status()

    def _open(self) -> None:
        if not self._uses_index:
            self._run_without_index(_NO_INDEX)
            return
        self.embedding.start()
        try:
            path = self.database = prepare_database(self._paths, self._options.db_path)
        except StoreError as error:
            self._run_without_index(error)
            return
        options, clock, embedding = self._options, self._clock, self.embedding
        days = options.observation_max_age_days
        indexer = self._indexer = Indexer(
            self._paths,
            lock=path.with_name("indexer.lock"),
            database=path,
            open_index=lambda: Database.open(path),
            embedder=lambda: embedding.embedder,
            clock=clock,
            chunking=options.chunking(self._redact),
            max_pending=options.index_queue_max,
            max_age=timedelta(days=days) if days else None,
        )
        readers = self._readers = Readers(
            path,
            lambda database: Searcher(SqliteIndex(database), options, clock),
            indexer.reopen,
        )
        self._stop_functions[:] = [indexer.stop, *self._stop_functions, lambda _: readers.close()]
        indexer.start()
        readers.open(_OPEN_SECONDS, lambda: indexer.trouble)
        self._refresh()
        self._warm_up()

    def _search(self, query: Query) -> SearchResult:
        """Search the index and the files after their indexed part, else all files, without forgotten records."""
        query = replace(query, exclude_records=query.exclude_records | hidden_records(self._paths))
        result = self._use_reader(
            lambda reader: reader.searcher.search(
                query,
                meaning_of(query, self.embedding.embedder),
                tail=self._tail.documents(reader.file_states(), self._sources.find(), most_bytes=_TAIL_BYTES),
            )
        )
        if result is not None:
            return result
        documents = self._tail.documents({}, self._sources.find(), most_bytes=_SCAN_BYTES)
        return search_documents(documents, query, self._options, self._clock.now())

    def _read(self, hit_id: str) -> Hit | None:
        if record_of(hit_id) in hidden_records(self._paths):
            return None
        hit = self._use_reader(lambda reader: reader.searcher.read(hit_id))
        if hit is not None:
            return hit
        documents = self._tail.documents({}, self._sources.find(), most_bytes=_SCAN_BYTES)
        return next((hit_of(document) for document in documents if document.key == hit_id), None)

    def _rebuild(self) -> None:
        if self.database is None or self._indexer is None or self._readers is None:
            raise StoreError(self._trouble.cause, hint=self._trouble.hint)
        with translate_errors(self.database):
            remove_database(self.database)
        self._indexer.reopen()
        self._readers.open(_REBUILD_SECONDS)

    def _vectors_are_complete(self) -> bool:
        """Return whether every passage has a vector of the loaded model; True without a model or an index."""
        model = self.embedding.status().model

        def is_complete(reader: Reader) -> bool:
            documents, vectors = reader.database.counts()
            return documents == 0 or (reader.database.vector_model()[0] == model and documents == vectors)

        return not model or self._use_reader(is_complete) is not False

    def _status(self) -> StoreStatus:
        """Return the state with the counts of the last refresh. It reads no disk."""
        reason: str
        hint: str
        embedding = self.embedding.status()
        trouble = self._readers.trouble if self._readers is not None else self._trouble
        if trouble is not None:
            level, reason, hint = Level.MARKDOWN, trouble.cause, trouble.hint
        elif embedding.model:
            level = self._last_status.level
            reason, hint = (Sentence(_NO_VEC), Sentence(_VEC_HINT)) if level is Level.NUMPY else ("", "")
        else:
            level, reason, hint = Level.FULL_TEXT, embedding.reason, embedding.hint
        is_owner = self._indexer is not None and self._indexer.is_owner
        return replace(
            self._last_status, level=level, indexing_here=is_owner, model=embedding.model, reason=reason, hint=hint
        )

    def _count(self, reader: Reader) -> None:
        (documents, vectors), states = reader.database.counts(), reader.file_states()
        self._last_status = replace(
            self._last_status,
            level=Level.HYBRID if reader.database.has_vec else Level.NUMPY,
            documents=documents,
            vectors=vectors,
            files=len(states),
            pending_bytes=pending_bytes(self._sources.find(), states),
            pending_vectors=documents - vectors if self.embedding.status().model else 0,
        )

    def _use_reader(self, function: Callable[[Reader], T]) -> T | None:
        return self._readers.use(function) if self._readers is not None else None

    def _run_without_index(self, trouble: StoreError) -> None:
        """Search only the files from now on, and migrate legacy files, which is else the indexer's work."""
        self._trouble = StoreError(trouble.cause, hint=trouble.hint)  # a raised one would keep its frames alive
        log = logger.warning if self._uses_index else logger.info
        log("there is no index, the memory files are searched themselves: {}", trouble)
        migrate_legacy(self._paths)

    def _warm_up(self) -> None:
        """Search once, so that the next message does not pay for the imports and reads of the first search."""
        with suppress(StoreError):
            self._search(Query(text="memory", limit=1))

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.")


def _stop_all(stops: Sequence[Callable[[float], None]], drain: float) -> None:
    """Call all ``stops``; each may take up to ``drain`` seconds."""
    for stop in stops:
        stop(drain)


def _stop_at_exit(process: int, stops: Sequence[Callable[[float], None]]) -> None:
    """Stop a store that was not closed, only in the process that has its threads, not in a forked copy."""
    if process == os.getpid():
        _stop_all(stops, _EXIT_SECONDS)
