"""The index of one workspace and what stands in for it when it fails. Everything here blocks; `store` does not."""

import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nanobot_memory_plugins.core import Clock, Hit, Level, Query, SearchResult, StoreError, StoreStatus, logger
from nanobot_memory_plugins.core.files.hidden_records import hidden_records
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.redaction.contact_redaction import without_secrets
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.connection_pool import Degradation, Reader, Readers, trouble_of
from nanobot_memory_plugins.storage.database_factory import DatabaseOpener
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
from nanobot_memory_plugins.storage.filters import record_of
from nanobot_memory_plugins.storage.index_location import IndexPlace, choose_place
from nanobot_memory_plugins.storage.indexer.tail import TailReader
from nanobot_memory_plugins.storage.indexer.worker import Indexer
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.sources.migration import migrate_legacy
from nanobot_memory_plugins.storage.sources.places import Places

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.database import Database
    from nanobot_memory_plugins.storage.search.searcher import Searcher

T = TypeVar("T")

# Bytes of the files that a search reads beside the index, and when there is no index: 0.2 s a megabyte.
_TAIL_BYTES, _SCAN_BYTES = 1_000_000, 2_000_000
_NO_VEC = "sqlite-vec cannot be loaded; vectors are compared by numpy."
_NO_INDEX = Degradation(
    "The configuration asks for no index (memoryPlugins.storage.backend is grep_only).",
    'Set it to "builtin_fts" for full text and vectors.',
)
_VEC_HINT = 'Install it with: pip install "nanobot-memory-storage[vec]"'
_SIDE_FILES = ("-wal", "-shm", "-journal")
# Seconds: what opening waits for the database, and how old the numbers in a status may be.
_OPEN_SECONDS, _STATUS_AGE = 3.0, 1.0


class MemoryIndex:
    """Opens the database, runs the indexer and answers searches, from any thread.

    Without vectors a search is by full text; when the database fails, it reads the files. `status` says
    which, and why.
    """

    def __init__(
        self,
        workspace: Path,
        options: StorageOptions,
        clock: Clock,
        *,
        redact: Callable[[str], str] = without_secrets,
        allow_vec: bool = True,
        allow_fts5: bool = True,
    ) -> None:
        self._redact = redact
        self._allow_vec = allow_vec
        self._allow_fts5 = allow_fts5
        self.paths = MemoryPaths.of(workspace)
        self.places = Places(self.paths)
        self.embedding = EmbeddingService(options.embedding_options())
        self._options = options
        self._clock = clock
        self._tail = TailReader(self.places, options.chunking(redact))
        self._place: IndexPlace | None = None
        self._opener: DatabaseOpener | None = None
        self._readers: Readers | None = None
        self._indexer: Indexer | None = None
        self._trouble = Degradation("The index is not open yet.", "")
        self._has_vec = False
        self._numbers = StoreStatus(level=Level.MARKDOWN)
        self._numbers_at = 0.0

    @property
    def is_wanted(self) -> bool:
        """Whether the configuration asks for an index at all."""
        return self._trouble is not _NO_INDEX

    @property
    def indexer(self) -> Indexer | None:
        """The indexer of this process, or None while the index cannot be opened."""
        return self._indexer

    @property
    def opener(self) -> DatabaseOpener | None:
        """What opens the database, or None while there is none."""
        return self._opener

    def open(self) -> None:
        """Open the database, start the indexer, and begin to load the model. Failing to do so is no error.

        With the backend ``grep_only`` nothing is opened.
        """
        if self._options.backend == "grep_only":
            self._do_without(_NO_INDEX)
            return
        self.embedding.start()
        try:
            import apsw  # noqa: F401  # without both there is nothing to start
            import numpy  # noqa: F401

            self._place = choose_place(self.paths, self._options.db_path)
        except (ImportError, OSError) as error:
            self._do_without(trouble_of(error))
            return
        opener = self._opener = DatabaseOpener(
            self._place.database, allow_vec=self._allow_vec, allow_fts5=self._allow_fts5
        )
        indexer = self._indexer = self._start_indexer(self._place, opener)
        self._readers = Readers(self._place.database, lambda: self._open_reader(opener), indexer.check_database)
        self._readers.open(_OPEN_SECONDS)
        self.refresh()
        # What the first search imports and reads is paid for here, not by the message that comes next.
        with suppress(StoreError):
            self.search(Query(text="memory", limit=1))

    def await_model(self, seconds: float) -> None:
        """Wait (seconds) for a model that only has to be loaded, and pay for the first search by meaning."""
        if self._readers is not None and self.embedding.wait_if_here(seconds):
            with suppress(StoreError):
                self.search(Query(text="memory", limit=1))

    def search(self, query: Query) -> SearchResult:
        """Return the best hits, from the database and what it does not cover yet, else from the files.

        What was forgotten is not among them. Raises `StoreError` when not even the files can be read.
        """
        query = replace(query, exclude_records=query.exclude_records | hidden_records(self.paths))
        found = self._try(
            lambda reader: reader.searcher.search(
                query, tail=self._tail.documents(reader.file_states(), most_bytes=_TAIL_BYTES)
            )
        )
        return found if found is not None else self._scan(query)

    def read(self, hit_id: str) -> Hit | None:
        """Return one memory whole, or None."""
        if record_of(hit_id) in hidden_records(self.paths):
            return None
        hit = self._try(lambda reader: reader.searcher.read(hit_id))
        return hit if hit is not None else self._read_file(hit_id)

    def files(self) -> dict[str, tuple[int, int]] | None:
        """Return size and time of every indexed file as the manifest has it, or None without a database."""
        return self._try(
            lambda reader: {path: (state.size, state.mtime_ns) for path, state in reader.file_states().items()}
        )

    def clear(self) -> None:
        """Empty the index; whoever owns it fills it again. Raises `StoreError` when it cannot be written."""
        if self._opener is None:
            raise StoreError(self._trouble.reason, hint=self._trouble.hint)
        with closing(self._opener.for_writing()) as database:
            database.clear()

    def vectors_are_complete(self) -> bool:
        """Tell whether every passage has its vector in the space of the model that is loaded; without one, yes."""
        model = self.embedding.status().model

        def complete(reader: Reader) -> bool:
            counts = reader.database.counts()
            return counts.documents == 0 or (reader.database.model() == model and counts.pending_vectors == 0)

        return not model or self._try(complete) is not False

    def check(self) -> list[str] | None:
        """Return what is wrong inside the database (nothing, as a rule), or None without one. Reads all of it."""
        if self._opener is None:
            return None
        try:
            with closing(self._opener.for_writing()) as database:
                return database.check()
        except StoreError as error:
            return [error.cause]

    def put_aside(self) -> list[Path]:
        """Return the damaged indexes that were put aside, the latest last."""
        if self._place is None:
            return []
        path = self._place.database
        return sorted(
            found for found in path.parent.glob(f"{path.name}.broken-*") if not found.name.endswith(_SIDE_FILES)
        )

    @property
    def temporary(self) -> IndexPlace | None:
        """The index's place where it is a temporary one, which whoever opens it has to say."""
        return self._place if self._place is not None and self._place.temporary else None

    def status(self) -> StoreStatus:
        """Return the state, with the numbers of the last `refresh`. Touches no disk."""
        embedding = self.embedding.status()
        trouble = self._readers.trouble if self._readers is not None else self._trouble
        if trouble is not None:
            level, reason, hint = Level.MARKDOWN, trouble.reason, trouble.hint
        elif embedding.model:
            level = Level.HYBRID if self._has_vec else Level.NUMPY
            reason, hint = ("", "") if level is Level.HYBRID else (Sentence(_NO_VEC), Sentence(_VEC_HINT))
        else:
            level, reason, hint = Level.FULL_TEXT, embedding.reason, embedding.hint
        if (place := self.temporary) is not None:
            reasons = [Sentence.of(one) for one in (place.reason, reason) if one]
            reason, hint = Sentence.joined(reasons, " "), place.hint
        return replace(
            self._numbers,
            level=level,
            indexing_here=self._indexer is not None and self._indexer.owning,
            model=embedding.model,
            reason=reason,
            hint=hint,
        )

    def numbers_are_old(self) -> bool:
        """Tell whether `refresh` would be worth its while."""
        return time.monotonic() - self._numbers_at > _STATUS_AGE

    def refresh(self) -> StoreStatus:
        """Count again what is indexed and what waits, and return the status."""
        self._numbers_at = time.monotonic()
        space = self.embedding.status().model
        self._try(lambda reader: self._count(reader, space))
        return self.status()

    def stop(self, drain: float) -> None:
        """Finish what was accepted, for at most ``drain`` seconds, close everything and end the threads."""
        if self._indexer is not None:
            self._indexer.stop(drain)
        self.embedding.close()
        if self._readers is not None:
            self._readers.close()
        if self._place is not None:
            self._place.remove()

    def _try(self, function: Callable[[Reader], T]) -> T | None:
        """Return what ``function`` makes of the database, or None when it cannot be used now."""
        return self._readers.use(function) if self._readers is not None else None

    def _do_without(self, trouble: Degradation) -> None:
        """Leave it at the files. Migrating the older ones is the indexer's work otherwise."""
        self._trouble = trouble
        logger.info("there is no index, the memory files are searched themselves: {}", trouble.reason)
        migrate_legacy(self.paths.workspace, self.paths)

    def _start_indexer(self, place: IndexPlace, opener: DatabaseOpener) -> Indexer:
        indexer = Indexer(
            self.paths,
            lock=place.lock,
            database=place.database,
            open_index=opener.for_writing,
            embedder=lambda: self.embedding.embedder,
            settings=self._options.index_settings(self._redact),
            clock=self._clock,
        )
        indexer.start()
        return indexer

    def _open_reader(self, opener: DatabaseOpener) -> "tuple[Database, Searcher]":
        from nanobot_memory_plugins.storage.search.searcher import Searcher

        database = opener.for_reading()
        self._has_vec = database.has_vec
        searcher = Searcher(
            database,
            lambda: self.embedding.embedder,
            options=self._options.search_options(),
            clock=self._clock,
        )
        return database, searcher

    def _scan(self, query: Query) -> SearchResult:
        from nanobot_memory_plugins.storage.scan import search_files

        try:
            return search_files(self._tail.documents({}, most_bytes=_SCAN_BYTES), query, self._clock.now())
        except OSError as error:
            raise StoreError(
                Sentence("The memory files cannot be read ({kind}).", kind=type(error).__name__)
            ) from error

    def _read_file(self, hit_id: str) -> Hit | None:
        from nanobot_memory_plugins.storage.results import hit_of

        for document in self._tail.documents({}, most_bytes=_SCAN_BYTES):
            if document.key == hit_id:
                return hit_of(document)
        return None

    def _count(self, reader: Reader, space: str) -> None:
        counts = reader.database.counts()
        states = reader.file_states()
        pending = 0
        for source in self.places.find():
            state = states.get(source.relative)
            if state is None or (state.size, state.mtime_ns) != (source.size, source.mtime_ns):
                pending += max(1, source.size - (state.offset if state is not None else 0))
        self._numbers = replace(
            self._numbers,
            documents=counts.documents,
            vectors=counts.vectors,
            files=len(states),
            pending_bytes=pending,
            pending_vectors=counts.pending_vectors if space else 0,
        )
