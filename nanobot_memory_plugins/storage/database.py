"""The index as one object: what the indexer writes and the searches read."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.documents import (
    COLUMN_NAMES,
    DOCUMENT_COLUMNS,
    Document,
    FileChange,
    FileState,
    derived_of,
    embedding_text,
    timestamp,
)
from nanobot_memory_plugins.storage.index_location import make_way
from nanobot_memory_plugins.storage.sqlite import (
    CorruptIndexError,
    connect,
    create_tables,
    has_full_text,
    immediate,
    is_made,
    loads_sqlite_vec,
    plain_errors,
    query,
    scalar,
)

# Seconds for which others are waited for that still read the old pages, and between looks.
_CHECKPOINT_SECONDS = 5.0
_CHECKPOINT_WAIT = 0.1
_NEWEST = 2**62
_COLUMNS = (*(f'"{name}"' for name in COLUMN_NAMES), "timestamp", "body_terms", "head_terms")
_UPSERT = (
    f"INSERT INTO docs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (key) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])} RETURNING id"
)
_SET_META = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
_NEXT_REVISION = (
    "INSERT INTO meta (key, value) VALUES ('revision', 1) "
    "ON CONFLICT (key) DO UPDATE SET value = value + 1 RETURNING value"
)


class Database:
    """One connection to the index. One thread at a time uses it; every thread may have its own.

    Every method raises `StoreError` when the file cannot be read or written. ``has_vec`` tells whether sqlite-vec is
    there to compare vectors.
    """

    def __init__(self, path: Path, connection: apsw.Connection, *, has_vec: bool) -> None:
        self.path = path
        self.connection = connection
        self.has_vec = has_vec
        # The newest row that may wait for its vector, so that not every batch looks through the whole table.
        self._waiting_from = _NEWEST

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> "Database":
        """Open the index; for writing, make it if need be, in place of one of another version or a damaged one.

        For writing, pages and full-text index are checked. Raises `StoreError` when the file cannot be opened, and
        without FTS5.
        """
        try:
            return cls._open(path, read_only=read_only)
        except CorruptIndexError as error:
            if read_only:
                raise
            logger.warning("the index is made again from the files: {}", error.cause)
        with plain_errors(path):
            make_way(path)
        return cls._open(path, read_only=False)

    @classmethod
    def _open(cls, path: Path, *, read_only: bool) -> "Database":
        connection = connect(path, read_only=read_only)
        try:
            with plain_errors(path):
                if not has_full_text(connection):
                    raise StoreError(
                        "This SQLite has no FTS5.", hint="Install apsw from a wheel, which brings its own SQLite."
                    )
                if not is_made(connection):
                    if read_only:
                        raise StoreError(
                            Sentence("The index {name} is empty.", name=path.name), hint="It is built by the indexer."
                        )
                    create_tables(connection)
                database = cls(path, connection, has_vec=loads_sqlite_vec(connection))
                if not read_only:
                    connection.execute("PRAGMA journal_mode = WAL").fetchall()
                    if problems := database.check():
                        raise CorruptIndexError(problems[0])
                return database
        except BaseException:
            connection.close()
            raise

    # The manifest and the documents

    def file_states(self) -> dict[str, FileState]:
        """Return the manifest: how far each file is indexed, by its path."""
        rows = self._query('SELECT path, "offset", prefix_hash, size, mtime_ns, line, ordinal FROM files')
        return {state.path: state for state in map(FileState._make, rows)}

    def apply(self, change: FileChange) -> None:
        """Apply a change of a file in one transaction. Documents that are in the index already cost nothing."""
        with plain_errors(self.path):
            documents = [self._prepared(document) for document in change.documents]  # segmenting takes long
            with immediate(self.connection):
                self._apply(change, documents)
        self._waiting_from = _NEWEST

    def keys_from(self, path: str, offset: int) -> list[str]:
        """Return the keys of a file's documents that start at a byte or after it."""
        rows = self._query('SELECT key FROM docs WHERE path = ? AND "offset" >= ?', (path, offset))
        return [key for (key,) in rows]

    def has_key(self, key: str) -> bool:
        """Tell whether a document is in the index."""
        return bool(self._query("SELECT 1 FROM docs WHERE key = ?", (key,)))

    def documents(self) -> Iterator[Document]:
        """Yield every document, the newest row first."""
        with plain_errors(self.path):
            for row in self.connection.execute(f"SELECT {DOCUMENT_COLUMNS} FROM docs ORDER BY id DESC"):
                yield Document(*row)

    def drop_older_than(self, source: str, before: datetime) -> int:
        """Drop the documents of a source from before a moment. Return how many went."""
        with self._transaction():
            return self._delete("source = ? AND timestamp < ?", source, timestamp(before))

    def _prepared(self, document: Document) -> tuple[Any, ...] | None:
        """Return a document as a row, and whether its vector is to go; None where it stands as it is."""
        former = query(self.connection, f"SELECT {DOCUMENT_COLUMNS} FROM docs WHERE key = ?", (document.key,))
        stored = document.stored
        if former == [stored]:
            return None
        moved = bool(former) and embedding_text(Document(*former[0])) == embedding_text(document)
        return (*stored, *derived_of(document)), not moved

    def _apply(self, change: FileChange, documents: Sequence[tuple[Any, ...] | None]) -> None:
        path, state = change.path, change.state
        if state is None:
            self._delete("path = ?", path)
            self.connection.execute("DELETE FROM files WHERE path = ?", (path,))
            return
        for key in change.removed_keys:
            self._delete("key = ? AND path = ?", key, path)
        for row, is_new in filter(None, documents):
            doc_id = scalar(self.connection, _UPSERT, row)
            if is_new and query(self.connection, "DELETE FROM vectors WHERE doc_id = ? RETURNING doc_id", (doc_id,)):
                self._next_revision()
        self.connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", state)

    def _delete(self, condition: str, *values: Any) -> int:
        """Delete documents with their vectors, and return how many there were."""
        gone = query(self.connection, f"DELETE FROM docs WHERE {condition} RETURNING id", values)
        if gone:
            self._next_revision()
        return len(gone)

    # The vectors

    def vector_model(self) -> tuple[str, int]:
        """Return the model of the stored vectors, and how many numbers they have; no name before the first."""
        return str(self._meta("model") or ""), int(self._meta("dimension") or 0)

    def texts_without_vector(self, model: str, limit: int) -> dict[int, str]:
        """Return texts to embed by the ids of their rows, which have no vector of a model yet, the newest first."""
        if self.vector_model()[0] not in ("", model):
            with self._transaction():  # those of another model cannot be compared with what is asked from now on
                self._begin_vectors(model, 0)
        sql = (
            f"SELECT id, {DOCUMENT_COLUMNS} FROM docs WHERE id <= ? "
            "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.doc_id = docs.id) ORDER BY id DESC LIMIT ?"
        )
        found = self._query(sql, (self._waiting_from, limit))
        if not found and self._waiting_from < _NEWEST:
            found = self._query(sql, (_NEWEST, limit))
        self._waiting_from = found[0][0] if found else _NEWEST
        return {row[0]: embedding_text(Document(*row[1:])) for row in found}

    def put_vectors(self, model: str, vectors_by_id: Sequence[tuple[int, Sequence[float]]]) -> None:
        """Store vectors of unit length by row id. Those of another model, or of another dimension, go.

        A row that was deleted meanwhile is skipped.
        """
        if not vectors_by_id:
            return
        dimension = len(vectors_by_id[0][1])
        with self._transaction():
            if self.vector_model() != (model, dimension):
                self._begin_vectors(model, dimension)
            revision = self._next_revision()
            for doc_id, vector in vectors_by_id:
                self.connection.execute(
                    "INSERT OR REPLACE INTO vectors (doc_id, revision, vector) "
                    "SELECT id, ?2, ?3 FROM docs WHERE id = ?1",
                    (doc_id, revision, np.asarray(vector, np.float32).tobytes()),
                )

    def _begin_vectors(self, model: str, dimension: int) -> None:
        """Drop all vectors, and begin with those of a model."""
        self.connection.execute("DELETE FROM vectors")
        self.connection.execute(_SET_META, ("model", model))
        self.connection.execute(_SET_META, ("dimension", dimension))
        self._next_revision()

    # The whole

    def counts(self) -> tuple[int, int]:
        """Return how many documents and vectors there are."""
        return self._query("SELECT (SELECT count(*) FROM docs), (SELECT count(*) FROM vectors)")[0]

    def erase_deleted(self) -> bool:
        """Write the file anew, so that nothing of what was deleted is left in it, nor in its log.

        The full-text index keeps the terms of deleted rows until its segments are merged, SQLite keeps pages. Returns
        false when another process reads the file, which keeps the old pages there for now.
        """
        with plain_errors(self.path):
            self.connection.execute("INSERT INTO docs_fts (docs_fts) VALUES ('optimize')")
            self.connection.execute("VACUUM")
            # A search of this process may be reading just now; it is over in a moment.
            end = time.monotonic() + _CHECKPOINT_SECONDS
            while query(self.connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:  # busy, after its own time-out
                if time.monotonic() > end:
                    return False
                time.sleep(_CHECKPOINT_WAIT)
            return True

    def check(self) -> list[str]:
        """Return what is wrong with the index, one plain sentence each; an empty list says that it is sound.

        Every page is read, and the full-text index compared with the rows, which SQLite's own check does not do: 0.3 s
        each at 20,000 passages.
        """
        found: list[str] = []
        with plain_errors(self.path):
            if query(self.connection, "PRAGMA integrity_check(1)") != [("ok",)]:
                found.append(Sentence("The index {name} is damaged.", name=self.path.name))
            try:
                self.connection.execute("INSERT INTO docs_fts (docs_fts, rank) VALUES ('integrity-check', 1)")
            except apsw.CorruptError:
                found.append(Sentence("The full-text index of {name} is damaged.", name=self.path.name))
        return found

    def data_version(self) -> int:
        """Return a number that changes when another connection, of whichever process, has written."""
        return int(self._query("PRAGMA data_version")[0][0])

    def revision(self) -> int:
        """Return a number that grows with each change of the vectors."""
        return int(self._meta("revision") or 0)

    def close(self) -> None:
        """Close the connection. Closing twice does no harm."""
        self.connection.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let everything that is read within it be of one state of the file, whatever others write meanwhile."""
        with plain_errors(self.path), self.connection:
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with plain_errors(self.path), immediate(self.connection):
            yield

    def _query(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with plain_errors(self.path):
            return query(self.connection, sql, values)

    def _meta(self, key: str) -> Any:
        found = self._query("SELECT value FROM meta WHERE key = ?", (key,))
        return found[0][0] if found else None

    def _next_revision(self) -> int:
        return int(scalar(self.connection, _NEXT_REVISION))
