"""The index as one object: what the indexer writes and the searches read."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import apsw
import numpy as np

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage import documents as rows
from nanobot_memory_plugins.storage.database import schema, writing
from nanobot_memory_plugins.storage.database.connection import (
    CorruptIndexError,
    connect,
    has_full_text,
    immediate,
    loads_sqlite_vec,
    plain_errors,
    query,
    scalar,
)
from nanobot_memory_plugins.storage.documents import (
    Document,
    FileChange,
    FileState,
    TextToEmbed,
    embedding_text,
    storable,
    timestamp,
)
from nanobot_memory_plugins.storage.index_location import make_way

# Seconds for which others are waited for that still read the old pages, and between looks.
_CHECKPOINT_SECONDS = 5.0
_CHECKPOINT_WAIT = 0.1
_NEWEST = 2**62


@dataclass(frozen=True, slots=True)
class Counts:
    """What the index holds. ``pending_vectors`` are the documents that have none yet."""

    documents: int
    vectors: int
    pending_vectors: int


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
        path = Path(path)
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
                if not schema.is_made(connection):
                    if read_only:
                        raise StoreError(
                            Sentence("The index {name} is empty.", name=path.name), hint="It is built by the indexer."
                        )
                    schema.create(connection)
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
        sql = 'SELECT path, "offset", prefix_hash, size, mtime_ns, line, ordinal FROM files'
        with plain_errors(self.path):
            return {row[0]: FileState(*row) for row in self.connection.execute(sql)}

    def apply(self, *changes: FileChange) -> None:
        """Apply changes of files in one transaction. Documents that are in the index already cost nothing."""
        with plain_errors(self.path):
            prepared = [writing.prepare(self.connection, change.documents) for change in changes]
            with self._transaction():
                for change, documents in zip(changes, prepared, strict=True):
                    writing.apply_change(self.connection, change, documents)
        self._waiting_from = _NEWEST

    def keys_from(self, path: str, offset: int) -> list[str]:
        """Return the keys of a file's documents that start at a byte or after it."""
        with plain_errors(self.path):
            sql = 'SELECT key FROM docs WHERE path = ? AND "offset" >= ?'
            return [row[0] for row in self.connection.execute(sql, (storable(path), offset))]

    def has_key(self, key: str) -> bool:
        """Tell whether a document is in the index."""
        with plain_errors(self.path):
            return bool(query(self.connection, "SELECT 1 FROM docs WHERE key = ?", (storable(key),)))

    def documents(self) -> Iterator[Document]:
        """Yield every document, the newest row first."""
        with plain_errors(self.path):
            for row in self.connection.execute(f"SELECT {rows.DOCUMENT_COLUMNS} FROM docs ORDER BY id DESC"):
                yield rows.document_from_row(row)

    def drop_older_than(self, source: str, before: datetime) -> int:
        """Drop the documents of a source from before a moment. Return how many went."""
        with self._transaction():
            return writing.delete(self.connection, "source = ? AND timestamp < ?", source, timestamp(before))

    # The vectors

    def vector_model(self) -> tuple[str, int]:
        """Return the model of the stored vectors, and how many numbers they have; no name before the first."""
        with plain_errors(self.path):
            model, dimension = (schema.get_meta(self.connection, name) for name in ("model", "dimension"))
            return str(model or ""), int(dimension or 0)

    def documents_without_vector(self, model: str, limit: int) -> list[TextToEmbed]:
        """Return documents that have no vector of a model yet, the newest rows first, with the text to embed."""
        if self.vector_model()[0] not in ("", model):
            with self._transaction():  # those of another model cannot be compared with what is asked from now on
                self._begin_vectors(model, 0)
        sql = (
            f"SELECT id, {rows.DOCUMENT_COLUMNS} FROM docs WHERE id <= ? "
            "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.doc_id = docs.id) ORDER BY id DESC LIMIT ?"
        )
        with plain_errors(self.path):
            found = query(self.connection, sql, (self._waiting_from, limit))
            if not found and self._waiting_from < _NEWEST:
                found = query(self.connection, sql, (_NEWEST, limit))
            self._waiting_from = found[0][0] if found else _NEWEST
            return [TextToEmbed(row[0], embedding_text(rows.document_from_row(row[1:]))) for row in found]

    def put_vectors(self, model: str, vectors_by_id: Sequence[tuple[int, Sequence[float]]]) -> None:
        """Store vectors by row id, at unit length. Those of another model, or of another dimension, go.

        A row that was deleted meanwhile is skipped; a vector that is not finite, or zero, is stored as none, so that it
        is not asked for again. Raises `StoreError` when the vectors differ in dimension.
        """
        if not vectors_by_id:
            return
        dimension = len(vectors_by_id[0][1])
        if not dimension or any(len(vector) != dimension for _, vector in vectors_by_id):
            raise StoreError("The embedding model's vectors differ in dimension.")
        with self._transaction():
            if self.vector_model() != (model, dimension):
                self._begin_vectors(model, dimension)
            revision, refused = schema.next_revision(self.connection), 0
            for doc_id, numbers in vectors_by_id:
                vector = np.asarray(numbers, np.float64)
                length = float(np.linalg.norm(vector))
                is_usable = bool(np.isfinite(length)) and length > 0
                refused += not is_usable
                self.connection.execute(
                    "INSERT INTO vectors (doc_id, revision, vector) SELECT id, ?2, ?3 FROM docs WHERE id = ?1 "
                    "ON CONFLICT DO UPDATE SET revision = excluded.revision, vector = excluded.vector",
                    (doc_id, revision, (vector / length).astype(np.float32).tobytes() if is_usable else None),
                )
        if refused:
            logger.warning("{} vectors of the embedding model are not finite or zero and were left out", refused)

    def _begin_vectors(self, model: str, dimension: int) -> None:
        """Drop all vectors, and begin with those of a model."""
        self.connection.execute("DELETE FROM vectors")
        schema.set_meta(self.connection, "model", model)
        schema.set_meta(self.connection, "dimension", dimension)
        schema.next_revision(self.connection)

    # The whole

    def counts(self) -> Counts:
        """Count documents and vectors."""
        with plain_errors(self.path):
            documents = self._count("SELECT count(*) FROM docs")
            decided = self._count("SELECT count(*) FROM vectors")
            vectors = self._count("SELECT count(*) FROM vectors WHERE vector IS NOT NULL")
            return Counts(documents, vectors, documents - decided)

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
        with plain_errors(self.path):
            return self._count("PRAGMA data_version")

    def revision(self) -> int:
        """Return a number that grows with the vectors and with what they are filtered by."""
        with plain_errors(self.path):
            return int(schema.get_meta(self.connection, "revision") or 0)

    def identity(self) -> str:
        """Return the name that the file was given when it was made; its copies share it."""
        with plain_errors(self.path):
            return str(schema.get_meta(self.connection, "identity") or "")

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

    def _count(self, sql: str) -> int:
        return int(scalar(self.connection, sql))
