"""The index of one workspace and what replaces it when it fails. Everything here blocks; `store` does not."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nanobot_memory_plugins.core import Clock, Hit, Level, Query, SearchResult, StoreError, StoreStatus, logger
from nanobot_memory_plugins.core.files.hidden_records import hidden_records
from nanobot_memory_plugins.core.files.index_file import remove_database
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.redaction.contact_redaction import without_secrets
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.connections import NOT_OPEN, Reader, Readers, trouble_of
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
from nanobot_memory_plugins.storage.filters import record_of
from nanobot_memory_plugins.storage.index_location import ready_database
from nanobot_memory_plugins.storage.indexer.tail import TailReader
from nanobot_memory_plugins.storage.indexer.worker import Indexer
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.sources.migration import migrate_legacy
from nanobot_memory_plugins.storage.sources.places import Places, unindexed_bytes

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.database import Database
    from nanobot_memory_plugins.storage.search.searcher import Searcher

T = TypeVar("T")

# Bytes of the files that a search reads in addition to the index, and when there is no index: 0.2 s a megabyte.
_TAIL_BYTES, _SCAN_BYTES = 1_000_000, 2_000_000
_NO_VEC = "sqlite-vec cannot be loaded; vectors are compared by numpy."
_VEC_HINT = 'Install it with: pip install "nanobot-memory-storage[vec]"'
_NO_INDEX = StoreError(
    "The configuration asks for no index (memoryPlugins.storage.backend is grep_only).",
    hint='Set it to "builtin_fts" for full text and vectors.',
)
# Seconds: what opening waits for the database, what a rebuilding does, and how old the numbers in a status may be.
_OPEN_SECONDS, _REBUILD_SECONDS, _STATUS_AGE = 3.0, 10.0, 1.0


class MemoryIndex:
    """Opens the database, runs the indexer and answers searches, from any thread.

    Without vectors a search is by full text; when the database fails, it reads the files. `status` says
    which, and why. ``indexer`` and ``database``, its file, are None where there is no index.
    """

    def __init__(
        self,
        workspace: Path,
        options: StorageOptions,
        clock: Clock,
        *,
        redact: Callable[[str], str] = without_secrets,
    ) -> None:
        self.paths = MemoryPaths.of(workspace)
        self.places = Places(self.paths)
        self.embedding = EmbeddingService(options.embedding_options())
        self.database: Path | None = None
        self.indexer: Indexer | None = None
        self._redact = redact
        self._options = options
        self._clock = clock
        self._tail = TailReader(self.places, options.chunking(redact))
        self._readers: Readers | None = None
        self._trouble = NOT_OPEN
        self._has_vec = False
        self._numbers = StoreStatus(level=Level.MARKDOWN)
        self._numbers_at = 0.0

    @property
    def is_wanted(self) -> bool:
        """Whether the configuration asks for an index at all."""
        return self._trouble is not _NO_INDEX

    def open(self) -> None:
        """Open the database, start the indexer, and begin to load the model. Failing to do so is no error.

        With the backend ``grep_only`` nothing is opened.
        """
        if self._options.backend == "grep_only":
            self._do_without(_NO_INDEX)
            return
        self.embedding.start()
        try:
            from nanobot_memory_plugins.storage.database import Database  # which needs apsw and numpy

            path = self.database = ready_database(self.paths, self._options.db_path)
        except (ImportError, StoreError) as error:
            self._do_without(trouble_of(error))
            return
        indexer = self.indexer = Indexer(
            self.paths,
            lock=path.with_name("indexer.lock"),
            database=path,
            open_index=lambda: Database.open(path),
            embedder=lambda: self.embedding.embedder,
            settings=self._options.index_settings(self._redact),
            clock=self._clock,
        )
        indexer.start()
        self._readers = Readers(path, self._searcher, indexer.check_database)
        self._readers.open(_OPEN_SECONDS, lambda: indexer.trouble)
        self.refresh()
        self._warm_up()

    def await_model(self, seconds: float) -> None:
        """Wait (seconds) for a model that only has to be loaded, and pay for the first search by meaning."""
        if self._readers is not None and self.embedding.is_here() and not self.embedding.wait(seconds).is_loading:
            self._warm_up()

    def search(self, query: Query) -> SearchResult:
        """Return the best hits, from the database and what it does not cover yet, else from the files.

        What was forgotten is not among them. Raises `StoreError` when not even the files can be read.
        """
        query = replace(query, exclude_records=query.exclude_records | hidden_records(self.paths))
        found = self._use_reader(
            lambda reader: reader.searcher.search(
                query, tail=self._tail.documents(reader.file_states(), most_bytes=_TAIL_BYTES)
            )
        )
        return found if found is not None else self._scan(query)

    def read(self, hit_id: str) -> Hit | None:
        """Return one memory whole, or None."""
        if record_of(hit_id) in hidden_records(self.paths):
            return None
        hit = self._use_reader(lambda reader: reader.searcher.read(hit_id))
        return hit if hit is not None else self._read_file(hit_id)

    def files_waiting(self) -> int:
        """Return a number that is 0 once the index holds what the files do, and falls as it gets there.

        It is 0 without a database, too: then the files are searched. A file that cannot be read is not waited for.
        """

        def count(reader: Reader) -> int:
            states, sources = reader.file_states(), self.places.find()
            gone = states.keys() - {source.relative for source in sources}
            return len(gone) + unindexed_bytes(
                (source for source in sources if os.access(source.path, os.R_OK)), states
            )

        return self._use_reader(count) or 0

    def rebuild(self) -> None:
        """Remove the index; whoever owns it makes it again, which is waited for. Raises `StoreError`."""
        if self.database is None:
            raise StoreError(self._trouble.cause, hint=self._trouble.hint)
        from nanobot_memory_plugins.storage.database.connection import plain_errors

        with plain_errors(self.database):
            remove_database(self.database)
        if self.indexer is not None and self._readers is not None:
            self.indexer.check_database()
            self._readers.open(_REBUILD_SECONDS)

    def vectors_are_complete(self) -> bool:
        """Tell whether every passage has its vector in the space of the model that is loaded; without one, yes."""
        model = self.embedding.status().model

        def complete(reader: Reader) -> bool:
            counts = reader.database.counts()
            return counts.documents == 0 or (reader.database.vector_model()[0] == model and counts.pending_vectors == 0)

        return not model or self._use_reader(complete) is not False

    def status(self) -> StoreStatus:
        """Return the state, with the numbers of the last `refresh`. Touches no disk."""
        reason: str
        hint: str
        embedding = self.embedding.status()
        trouble = self._readers.trouble if self._readers is not None else self._trouble
        if trouble is not None:
            level, reason, hint = Level.MARKDOWN, trouble.cause, trouble.hint
        elif embedding.model:
            level = Level.HYBRID if self._has_vec else Level.NUMPY
            reason, hint = ("", "") if level is Level.HYBRID else (Sentence(_NO_VEC), Sentence(_VEC_HINT))
        else:
            level, reason, hint = Level.FULL_TEXT, embedding.reason, embedding.hint
        is_owner = self.indexer is not None and self.indexer.owning
        return replace(
            self._numbers, level=level, indexing_here=is_owner, model=embedding.model, reason=reason, hint=hint
        )

    def numbers_are_old(self) -> bool:
        """Tell whether `refresh` would be worth its while."""
        return time.monotonic() - self._numbers_at > _STATUS_AGE

    def refresh(self) -> StoreStatus:
        """Count again what is indexed and what waits, and return the status."""
        self._numbers_at = time.monotonic()
        self._use_reader(self._count)
        return self.status()

    def stop(self, drain: float) -> None:
        """Finish what was accepted, for at most ``drain`` seconds, close everything and end the threads."""
        if self.indexer is not None:
            self.indexer.stop(drain)
        self.embedding.close()
        if self._readers is not None:
            self._readers.close()

    def _use_reader(self, function: Callable[[Reader], T]) -> T | None:
        """Return what ``function`` makes of the database, or None when it cannot be used now."""
        return self._readers.use(function) if self._readers is not None else None

    def _do_without(self, trouble: StoreError) -> None:
        """Leave it at the files. Migrating the older ones is the indexer's work otherwise."""
        self._trouble = trouble
        say = logger.warning if self.is_wanted else logger.info
        say("there is no index, the memory files are searched themselves: {}", trouble)
        migrate_legacy(self.paths.workspace, self.paths)

    def _warm_up(self) -> None:
        """Search once: what the first search imports and reads is not paid for by the message that comes next."""
        with suppress(StoreError):
            self.search(Query(text="memory", limit=1))

    def _searcher(self, database: "Database") -> "Searcher":
        from nanobot_memory_plugins.storage.search.searcher import Searcher
        from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex

        self._has_vec = database.has_vec
        index = SqliteIndex(database)
        return Searcher(index, lambda: self.embedding.embedder, options=self._options, clock=self._clock)

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

        documents = self._tail.documents({}, most_bytes=_SCAN_BYTES)
        return next((hit_of(document) for document in documents if document.key == hit_id), None)

    def _count(self, reader: Reader) -> None:
        counts, states = reader.database.counts(), reader.file_states()
        self._numbers = replace(
            self._numbers,
            documents=counts.documents,
            vectors=counts.vectors,
            files=len(states),
            pending_bytes=unindexed_bytes(self.places.find(), states),
            pending_vectors=counts.pending_vectors if self.embedding.status().model else 0,
        )
