"""The index as one object, which the indexer writes and searches read."""

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
    embedding_text,
    index_fields_of,
    timestamp,
)
from nanobot_memory_plugins.storage.index_location import clear_place
from nanobot_memory_plugins.storage.sqlite import (
    CorruptIndexError,
    connect,
    create_tables,
    fetch_all,
    fetch_value,
    has_full_text,
    has_tables,
    load_sqlite_vec,
    translate_errors,
    write_transaction,
)

# Seconds to wait for other connections that still read the old pages, and between attempts.
_CHECKPOINT_SECONDS = 5.0
_CHECKPOINT_WAIT = 0.1
_ANY_ROW = 2**62  # more than any row id
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
    """One connection to the index, for one thread at a time; a thread may open its own.

    Every method raises `StoreError` when the file cannot be read or written. ``has_vec`` tells whether sqlite-vec is
    loaded to compare vectors.
    """

    def __init__(self, path: Path, connection: apsw.Connection, *, has_vec: bool) -> None:
        self.path = path
        self.connection = connection
        self.has_vec = has_vec
        # The newest row that may lack a vector, so that not every batch scans the whole table.
        self._newest_without_vector = _ANY_ROW

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> "Database":
        """Open the index; unless it is read-only, create it or replace a damaged one or one of another version.

        Unless it is read-only, the pages and the full-text index are checked. Raises `StoreError` when the file cannot
        be opened, and without FTS5.
        """
        try:
            return cls._open(path, read_only=read_only)
        except CorruptIndexError as error:
            if read_only:
                raise
            logger.warning("the index is made again from the files: {}", error.cause)
        with translate_errors(path):
            clear_place(path)
        return cls._open(path, read_only=False)

    @classmethod
    def _open(cls, path: Path, *, read_only: bool) -> "Database":
        connection = connect(path, read_only=read_only)
        try:
            with translate_errors(path):
                if not has_full_text(connection):
                    raise StoreError(
                        "This SQLite has no FTS5.", hint="Install apsw from a wheel, which brings its own SQLite."
                    )
                if not has_tables(connection):
                    if read_only:
                        raise StoreError(
                            Sentence("The index {name} is empty.", name=path.name), hint="It is built by the indexer."
                        )
                    create_tables(connection)
                database = cls(path, connection, has_vec=load_sqlite_vec(connection))
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
        """Apply a change of a file in one transaction. Documents that are unchanged in the index are not written."""
        with translate_errors(self.path):
            documents = [self._prepare_row(document) for document in change.documents]  # slow: before the transaction
            with write_transaction(self.connection):
                self._apply(change, documents)
        self._newest_without_vector = _ANY_ROW

    def keys_from(self, path: str, offset: int) -> list[str]:
        """Return the keys of a file's documents that start at a byte or after it."""
        rows = self._query('SELECT key FROM docs WHERE path = ? AND "offset" >= ?', (path, offset))
        return [key for (key,) in rows]

    def has_key(self, key: str) -> bool:
        """Return whether a document is in the index."""
        return bool(self._query("SELECT 1 FROM docs WHERE key = ?", (key,)))

    def documents(self) -> Iterator[Document]:
        """Yield every document, the newest row first."""
        with translate_errors(self.path):
            for row in self.connection.execute(f"SELECT {DOCUMENT_COLUMNS} FROM docs ORDER BY id DESC"):
                yield Document(*row)

    def drop_older_than(self, source: str, before: datetime) -> int:
        """Delete the documents of a source from before a moment, and return their number."""
        with self._transaction():
            return self._delete("source = ? AND timestamp < ?", source, timestamp(before))

    def _prepare_row(self, document: Document) -> tuple[Any, ...] | None:
        """Return a document as a row, and whether its vector must be deleted; None for an unchanged document."""
        stored_rows = fetch_all(self.connection, f"SELECT {DOCUMENT_COLUMNS} FROM docs WHERE key = ?", (document.key,))
        values = document.stored_values
        if stored_rows == [values]:
            return None
        same_vector = bool(stored_rows) and embedding_text(Document(*stored_rows[0])) == embedding_text(document)
        return (*values, *index_fields_of(document)), not same_vector

    def _apply(self, change: FileChange, documents: Sequence[tuple[Any, ...] | None]) -> None:
        path, state = change.path, change.state
        if state is None:
            self._delete("path = ?", path)
            self.connection.execute("DELETE FROM files WHERE path = ?", (path,))
            return
        for key in change.removed_keys:
            self._delete("key = ? AND path = ?", key, path)
        for row, is_new in filter(None, documents):
            doc_id = fetch_value(self.connection, _UPSERT, row)
            if is_new and fetch_all(
                self.connection, "DELETE FROM vectors WHERE doc_id = ? RETURNING doc_id", (doc_id,)
            ):
                self._next_revision()
        self.connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", state)

    def _delete(self, condition: str, *values: Any) -> int:
        """Delete documents with their vectors, and return their number."""
        deleted = fetch_all(self.connection, f"DELETE FROM docs WHERE {condition} RETURNING id", values)
        if deleted:
            self._next_revision()
        return len(deleted)

    # The vectors

    def vector_model(self) -> tuple[str, int]:
        """Return the model of the stored vectors and their dimension; an empty name before the first vector."""
        return str(self._meta("model") or ""), int(self._meta("dimension") or 0)

    def texts_without_vector(self, model: str, limit: int) -> dict[int, str]:
        """Return texts to embed by row id, the newest first: rows that have no vector of the model yet."""
        if self.vector_model()[0] not in ("", model):
            with self._transaction():  # vectors of another model cannot be compared with queries from now on
                self._reset_vectors(model, 0)
        sql = (
            f"SELECT id, {DOCUMENT_COLUMNS} FROM docs WHERE id <= ? "
            "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.doc_id = docs.id) ORDER BY id DESC LIMIT ?"
        )
        rows = self._query(sql, (self._newest_without_vector, limit))
        if not rows and self._newest_without_vector < _ANY_ROW:
            rows = self._query(sql, (_ANY_ROW, limit))
        self._newest_without_vector = rows[0][0] if rows else _ANY_ROW
        return {row[0]: embedding_text(Document(*row[1:])) for row in rows}

    def put_vectors(self, model: str, vectors_by_id: Sequence[tuple[int, Sequence[float]]]) -> None:
        """Store vectors of unit length by row id, and delete those of another model or dimension.

        A row that was deleted meanwhile is skipped.
        """
        if not vectors_by_id:
            return
        dimension = len(vectors_by_id[0][1])
        with self._transaction():
            if self.vector_model() != (model, dimension):
                self._reset_vectors(model, dimension)
            revision = self._next_revision()
            for doc_id, vector in vectors_by_id:
                self.connection.execute(
                    "INSERT OR REPLACE INTO vectors (doc_id, revision, vector) "
                    "SELECT id, ?2, ?3 FROM docs WHERE id = ?1",
                    (doc_id, revision, np.asarray(vector, np.float32).tobytes()),
                )

    def _reset_vectors(self, model: str, dimension: int) -> None:
        """Delete all vectors, and record the model of those that follow."""
        self.connection.execute("DELETE FROM vectors")
        self.connection.execute(_SET_META, ("model", model))
        self.connection.execute(_SET_META, ("dimension", dimension))
        self._next_revision()

    # The whole

    def counts(self) -> tuple[int, int]:
        """Return how many documents and vectors there are."""
        return self._query("SELECT (SELECT count(*) FROM docs), (SELECT count(*) FROM vectors)")[0]

    def erase_deleted(self) -> bool:
        """Rewrite the file, so that deleted content is left neither in it nor in its log.

        The full-text index keeps the terms of deleted rows until its segments are merged, and SQLite keeps freed pages.
        Returns False when another process is reading the file and keeps the old pages alive.
        """
        with translate_errors(self.path):
            self.connection.execute("INSERT INTO docs_fts (docs_fts) VALUES ('optimize')")
            self.connection.execute("VACUUM")
            # A search of this process may be reading; that takes a moment.
            end = time.monotonic() + _CHECKPOINT_SECONDS
            while fetch_all(self.connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:  # busy, after its own time-out
                if time.monotonic() > end:
                    return False
                time.sleep(_CHECKPOINT_WAIT)
            return True

    def check(self) -> list[str]:
        """Return the problems of the index, one plain sentence each; an empty list means that it is sound.

        It reads every page, and compares the full-text index with the rows, which SQLite's own check does not: 0.3 s
        each at 20,000 passages.
        """
        problems: list[str] = []
        with translate_errors(self.path):
            if fetch_all(self.connection, "PRAGMA integrity_check(1)") != [("ok",)]:
                problems.append(Sentence("The index {name} is damaged.", name=self.path.name))
            try:
                self.connection.execute("INSERT INTO docs_fts (docs_fts, rank) VALUES ('integrity-check', 1)")
            except apsw.CorruptError:
                problems.append(Sentence("The full-text index of {name} is damaged.", name=self.path.name))
        return problems

    def data_version(self) -> int:
        """Return a number that changes when another connection, in any process, has written."""
        return int(self._query("PRAGMA data_version")[0][0])

    def revision(self) -> int:
        """Return a number that grows with each change of the vectors."""
        return int(self._meta("revision") or 0)

    def close(self) -> None:
        """Close the connection. Closing twice does no harm."""
        self.connection.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Make all reads inside see one state of the file, whatever other connections write meanwhile."""
        with translate_errors(self.path), self.connection:
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translate_errors(self.path), write_transaction(self.connection):
            yield

    def _query(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with translate_errors(self.path):
            return fetch_all(self.connection, sql, values)

    def _meta(self, key: str) -> Any:
        rows = self._query("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def _next_revision(self) -> int:
        return int(fetch_value(self.connection, _NEXT_REVISION))
