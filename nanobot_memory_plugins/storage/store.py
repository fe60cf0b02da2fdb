"""The store that the storage plugin opens: the index of one workspace, and what replaces it when it fails."""

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
from nanobot_memory_plugins.core.redaction.contact_redaction import without_secrets
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.diagnosis import findings
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
from nanobot_memory_plugins.storage.filters import record_of
from nanobot_memory_plugins.storage.index_location import prepare_database
from nanobot_memory_plugins.storage.indexer.tail import TailReader
from nanobot_memory_plugins.storage.indexer.worker import STUCK_SECONDS, Indexer, caught_up
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.purging import count_rows, postponed_trace, purge_index
from nanobot_memory_plugins.storage.readers import NOT_OPEN, Reader, Readers
from nanobot_memory_plugins.storage.results import hit_of
from nanobot_memory_plugins.storage.search.searcher import Searcher, meaning_of, search_documents
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from nanobot_memory_plugins.storage.sources.migration import migrate_legacy
from nanobot_memory_plugins.storage.sources.places import Places, unindexed_bytes
from nanobot_memory_plugins.storage.sqlite import translate_errors

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher

T = TypeVar("T")

# Searches that run at a time; more wait. Two cores gain nothing from more.
_SEARCHES = 3
# Bytes of the files that a search reads in addition to the index, and when there is no index: 0.2 s a megabyte.
_TAIL_BYTES, _SCAN_BYTES = 1_000_000, 2_000_000
# Seconds: what opening waits for the database, what a rebuilding does, and how old the numbers in a status may be.
_OPEN_SECONDS, _REBUILD_SECONDS, _STATUS_AGE = 3.0, 10.0, 1.0
# Seconds: between looks at vectors that are being made, how long closing waits for the files that were accepted, and
# how long the end of a process that forgot to close.
_POLL, _DRAIN, _LAST_SECONDS = 0.5, 5.0, 1.0
# Seconds without progress after which a purge leaves the index to the next start.
_STUCK_PURGE = 15.0
# Seconds that doctor waits for a model: to load it takes long where much is done.
_MODEL_SECONDS = 25.0
_NO_VEC = "sqlite-vec cannot be loaded; vectors are compared by numpy."
_VEC_HINT = 'Install it with: pip install "nanobot-memory-storage[vec]"'
_NO_INDEX = StoreError(
    "The configuration asks for no index (storage.backend is grep_only).",
    hint='Set it to "builtin_fts" for full text and vectors.',
)


class SqliteStore:
    """The `Store` over one SQLite file, once it is started. Nothing public in it blocks the event loop.

    Whatever fails, a search answers: without vectors by full text, without an index from the files themselves.
    `status` says at which level, and why. ``redact`` hides secrets in what people wrote. ``database`` is the file of
    the index, None while there is none.
    """

    def __init__(
        self,
        workspace: Path,
        options: StorageOptions,
        clock: Clock,
        *,
        redact: Callable[[str], str] = without_secrets,
    ) -> None:
        self.database: Path | None = None
        embedding = self.embedding = EmbeddingService(options.embedding_options())
        self._paths = MemoryPaths.of(workspace)
        self._places = Places(self._paths)
        self._tail = TailReader(options.chunking(redact))
        self._options, self._clock, self._redact = options, clock, redact
        self._indexer: Indexer | None = None
        self._readers: Readers | None = None
        self._trouble = NOT_OPEN
        self._numbers = StoreStatus(level=Level.MARKDOWN)
        self._numbers_at = 0.0
        self._searching = DaemonThreadPool(_SEARCHES, "nanobot-memory-search")
        self._refreshing: Future[StoreStatus] | None = None
        self._closed = False
        # What ends what runs, within some seconds, in this order. None of it may hold the store itself.
        self._stops: list[Callable[[float], None]] = [embedding.close]
        # Daemon threads that run while the interpreter is taken apart can crash it.
        self._finalizer = weakref.finalize(self, _stop_at_exit, os.getpid(), self._stops)

    async def start(self) -> None:
        """Open the index, start the indexer, and begin to load the model.

        What is not there yet is made; what cannot be, is no error, and is reported by `status`.
        """
        await run_in_daemon_thread(self._open)

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model, once it is ready."""
        return None if self._closed else self.embedding.embedder

    async def await_model(self, seconds: float) -> None:
        """Wait (seconds) for a model that only has to be loaded. A process of one message needs it for that one."""

        def wait() -> None:
            if self._readers is not None and self.embedding.is_here() and not self.embedding.wait(seconds).is_loading:
                self._warm_up()

        await run_in_daemon_thread(wait)

    async def search(self, query: Query) -> SearchResult:
        """Return the best hits for ``query``, best first. One whose caller gave up before it began is not run.

        Raises `StoreError` after `close`.
        """
        self._must_be_open()
        return await run_in_pool(self._searching, self._search, query)

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory whole, or None when there is none with this id."""
        self._must_be_open()
        return await run_in_pool(self._searching, self._read, hit_id)

    async def encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector a text, made in a thread; None while there is no model, or when it fails."""
        embedder = self.embedder
        if embedder is None:
            return None
        try:
            return await run_in_daemon_thread(lambda: embedder.encode(list(texts))) if texts else []
        except Exception as error:  # a model may fail in any way, or be closed meanwhile
            logger.warning("texts could not be compared by meaning: {}", type(error).__name__)
            return None

    def notify(self, path: Path) -> None:
        """Learn that a memory file has grown or changed."""
        if self._indexer is not None:
            self._indexer.notify()

    async def flush(self) -> None:
        """Return once everything that stood in the files at the call is searchable by full text.

        Whichever process owns the index does the work. Raises `StoreError` when the indexing of this process fails, or
        that of another makes no progress for two minutes. While the index cannot be used the files are searched, and
        nothing has to be waited for.
        """
        await self._flush(STUCK_SECONDS)

    async def _flush(self, stuck: float) -> None:
        self._must_be_open()
        indexer = self._indexer
        looking = indexer.look() if indexer is not None else 0

        def waiting() -> int:
            # Without a database there is nothing to wait for: then the files are searched.
            left = self._use_reader(lambda reader: self._places.waiting(reader.file_states())) or 0
            if left and indexer is not None and indexer.trouble:
                raise StoreError(indexer.trouble)
            # What waits after a look has changed since, or cannot be indexed.
            return 0 if indexer is not None and indexer.has_looked(looking) else left

        await caught_up(lambda: run_in_daemon_thread(waiting), stuck, "indexer.lock")
        await self.refreshed_status()

    def status(self) -> StoreStatus:
        """Return the store's state; its numbers may be a second old, or more when it was not asked for long."""
        idle = self._refreshing is None or self._refreshing.done()
        if idle and not self._closed and time.monotonic() - self._numbers_at > _STATUS_AGE:
            self._refreshing = self._searching.submit(self._refresh)
        return self._status()

    async def refreshed_status(self) -> StoreStatus:
        """Return the store's state with numbers of this moment."""
        return await run_in_daemon_thread(self._refresh)

    async def vectors_complete(self, waiting: Callable[[StoreStatus, Any], None] | None = None) -> None:
        """Return once everything has its vector, or when there is no model to make them.

        ``waiting`` is called again and again meanwhile, with the state of the store and that of its model.
        """
        while True:
            report = await run_in_daemon_thread(lambda: self.embedding.wait(_POLL))
            if waiting is not None:
                waiting(self.status(), report)
            if not report.is_loading:
                if await run_in_daemon_thread(self._vectors_are_complete):
                    await self.refreshed_status()
                    return
                await asyncio.sleep(_POLL / 2)

    async def rebuild(self) -> None:
        """Remove the index. Whoever owns it makes it again from the files; `flush` waits for that.

        Raises `StoreError` when it cannot be removed.
        """
        self._must_be_open()
        await run_in_daemon_thread(self._rebuild)

    async def purge(self, matcher: "ErasureMatcher", *, dry_run: bool) -> list[Trace]:
        """Forget texts that the files hold no more; say what was found. What cannot be done is said, not raised.

        Nobody is waited for for long: what cannot be done now is left to the next start.
        """
        self._must_be_open()
        paths, database = self._paths, self.database
        if database is None:
            return []
        try:
            indexed = await run_in_daemon_thread(lambda: count_rows(database, matcher))
            if not dry_run:
                await self._flush(_STUCK_PURGE)
            return await run_in_daemon_thread(
                lambda: purge_index(paths, database, matcher, rows_before=indexed, dry_run=dry_run)
            )
        except StoreError as error:
            return [postponed_trace(paths, database, error, dry_run=dry_run)]

    async def findings(self) -> list[Finding]:
        """Say for ``nanobot-memory doctor`` the state of SQLite, vectors, model and index."""

        def found() -> list[Finding]:
            embedding = self.embedding.wait(_MODEL_SECONDS)
            return findings(self._refresh(), embedding, self.database, uses_index=self._uses_index)

        return await run_in_daemon_thread(found)

    async def close(self) -> None:
        """Finish what was accepted, within seconds, close the files and end every thread."""
        if self._closed:
            return
        self._closed = True
        self._searching.shutdown()
        self._finalizer.detach()
        await run_in_daemon_thread(_stop, self._stops, _DRAIN)

    # What follows blocks.

    @property
    def _uses_index(self) -> bool:
        return self._options.backend != "grep_only"

    def _refresh(self) -> StoreStatus:
        self._numbers_at = time.monotonic()
        self._use_reader(self._count)
        return self._status()

    def _open(self) -> None:
        if not self._uses_index:
            self._do_without(_NO_INDEX)
            return
        self.embedding.start()
        try:
            path = self.database = prepare_database(self._paths, self._options.db_path)
        except StoreError as error:
            self._do_without(error)
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
            most_held=options.index_queue_max,
            max_age=timedelta(days=days) if days else None,
        )
        readers = self._readers = Readers(
            path,
            lambda database: Searcher(SqliteIndex(database), options, clock),
            indexer.check_database,
        )
        self._stops[:] = [indexer.stop, *self._stops, lambda _: readers.close()]
        indexer.start()
        readers.open(_OPEN_SECONDS, lambda: indexer.trouble)
        self._refresh()
        self._warm_up()

    def _search(self, query: Query) -> SearchResult:
        """Search the database and what it does not cover yet, else the files. What was forgotten is not found."""
        query = replace(query, exclude_records=query.exclude_records | hidden_records(self._paths))
        found = self._use_reader(
            lambda reader: reader.searcher.search(
                query,
                meaning_of(query, self.embedding.embedder),
                tail=self._tail.documents(reader.file_states(), self._places.find(), most_bytes=_TAIL_BYTES),
            )
        )
        if found is not None:
            return found
        documents = self._tail.documents({}, self._places.find(), most_bytes=_SCAN_BYTES)
        return search_documents(documents, query, self._options, self._clock.now())

    def _read(self, hit_id: str) -> Hit | None:
        if record_of(hit_id) in hidden_records(self._paths):
            return None
        hit = self._use_reader(lambda reader: reader.searcher.read(hit_id))
        if hit is not None:
            return hit
        documents = self._tail.documents({}, self._places.find(), most_bytes=_SCAN_BYTES)
        return next((hit_of(document) for document in documents if document.key == hit_id), None)

    def _rebuild(self) -> None:
        if self.database is None or self._indexer is None or self._readers is None:
            raise StoreError(self._trouble.cause, hint=self._trouble.hint)
        with translate_errors(self.database):
            remove_database(self.database)
        self._indexer.check_database()
        self._readers.open(_REBUILD_SECONDS)

    def _vectors_are_complete(self) -> bool:
        """Tell whether every passage has its vector in the space of the model that is loaded; without one, yes."""
        model = self.embedding.status().model

        def complete(reader: Reader) -> bool:
            documents, vectors = reader.database.counts()
            return documents == 0 or (reader.database.vector_model()[0] == model and documents == vectors)

        return not model or self._use_reader(complete) is not False

    def _status(self) -> StoreStatus:
        """Return the state, with the numbers of the last `refresh`. Touches no disk."""
        reason: str
        hint: str
        embedding = self.embedding.status()
        trouble = self._readers.trouble if self._readers is not None else self._trouble
        if trouble is not None:
            level, reason, hint = Level.MARKDOWN, trouble.cause, trouble.hint
        elif embedding.model:
            level = self._numbers.level
            reason, hint = (Sentence(_NO_VEC), Sentence(_VEC_HINT)) if level is Level.NUMPY else ("", "")
        else:
            level, reason, hint = Level.FULL_TEXT, embedding.reason, embedding.hint
        is_owner = self._indexer is not None and self._indexer.owning
        return replace(
            self._numbers, level=level, indexing_here=is_owner, model=embedding.model, reason=reason, hint=hint
        )

    def _count(self, reader: Reader) -> None:
        (documents, vectors), states = reader.database.counts(), reader.file_states()
        self._numbers = replace(
            self._numbers,
            level=Level.HYBRID if reader.database.has_vec else Level.NUMPY,
            documents=documents,
            vectors=vectors,
            files=len(states),
            pending_bytes=unindexed_bytes(self._places.find(), states),
            pending_vectors=documents - vectors if self.embedding.status().model else 0,
        )

    def _use_reader(self, function: Callable[[Reader], T]) -> T | None:
        return self._readers.use(function) if self._readers is not None else None

    def _do_without(self, trouble: StoreError) -> None:
        """Leave it at the files. Migrating the older ones is the indexer's work otherwise."""
        self._trouble = StoreError(trouble.cause, hint=trouble.hint)  # without the frames that a raised one holds
        say = logger.warning if self._uses_index else logger.info
        say("there is no index, the memory files are searched themselves: {}", trouble)
        migrate_legacy(self._paths)

    def _warm_up(self) -> None:
        """Search once: what the first search imports and reads is not paid for by the message that comes next."""
        with suppress(StoreError):
            self._search(Query(text="memory", limit=1))

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.")


def _stop(stops: Sequence[Callable[[float], None]], drain: float) -> None:
    """Finish what was accepted, for at most ``drain`` seconds, close everything and end the threads."""
    for stop in stops:
        stop(drain)


def _stop_at_exit(process: int, stops: Sequence[Callable[[float], None]]) -> None:
    """Stop what nobody closed, in the process that has its threads: a process that forks off copies it."""
    if process == os.getpid():
        _stop(stops, _LAST_SECONDS)
