"""Applying what the indexer found to the tables. Every function is part of the caller's transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from nanobot_memory_plugins.storage import document_rows as rows
from nanobot_memory_plugins.storage.database.connection import query
from nanobot_memory_plugins.storage.database.schema import get_meta, next_revision, set_meta
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState
from nanobot_memory_plugins.storage.indexed_text import derived_of, storable
from nanobot_memory_plugins.storage.timestamps import timestamp

_COLUMNS = (
    *(name.strip() for name in rows.DOCUMENT_COLUMNS.split(",")),
    "timestamp",
    "body_terms",
    "head_terms",
    "embedding_hash",
    "row_hash",
)
_UPSERT = (
    f"INSERT INTO docs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (key) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with what is stored of it, made before the transaction begins; ``None`` where the row is as it was."""

    key: str
    values: tuple[Any, ...] | None
    embedding_hash: bytes = b""


def prepare(connection: apsw.Connection, documents: Iterable[Document]) -> list[PreparedDocument]:
    """Compare documents with their rows, and segment the text of those that differ."""
    prepared = []
    for document in documents:
        values = rows.document_values(document)
        row_hash = rows.row_hash(values)
        known = connection.execute("SELECT row_hash FROM docs WHERE key = ?", (values[0],)).fetchone()
        if known and known[0] == row_hash:
            prepared.append(PreparedDocument(values[0], None))
            continue
        embedding_hash = rows.embedding_hash(document)
        derived = derived_of(document)
        stored = (*values, timestamp(document.time) if document.time else None, *derived, embedding_hash, row_hash)
        prepared.append(PreparedDocument(values[0], stored, embedding_hash))
    return prepared


def apply_change(connection: apsw.Connection, change: FileChange, documents: Sequence[PreparedDocument]) -> None:
    """Bring documents and manifest to what one file now holds."""
    path = storable(change.path)
    dropped: list[int] = []
    if change.state is None:
        dropped = _ids(connection, "SELECT id FROM docs WHERE path = ?", (path,))
        connection.execute("DELETE FROM files WHERE path = ?", (path,))
    for key in change.removed_keys:
        dropped += _ids(connection, "SELECT id FROM docs WHERE key = ? AND path = ?", (storable(key), path))
    delete(connection, dropped)
    if change.state is None:
        return
    for document in documents:
        if document.values is not None:
            _upsert(connection, document)
    _write_state(connection, change.state)


def delete(connection: apsw.Connection, doc_ids: Sequence[int]) -> None:
    """Delete documents with their vectors."""
    if not doc_ids:
        return
    connection.executemany("DELETE FROM docs WHERE id = ?", ((doc_id,) for doc_id in doc_ids))
    next_revision(connection)


def drop_older_than(connection: apsw.Connection, source: str, before: float) -> int:
    """Delete the documents of a source from before a moment, and remember it for files that are read again."""
    doc_ids = _ids(connection, "SELECT id FROM docs WHERE source = ? AND timestamp < ?", (source, before))
    delete(connection, doc_ids)
    if get_meta(connection, f"dropped_before:{source}") != before:
        set_meta(connection, f"dropped_before:{source}", before)
    return len(doc_ids)


def still_wanted(connection: apsw.Connection, documents: Iterable[Document]) -> list[Document]:
    """Leave out what `drop_older_than` dropped and would drop again."""
    limits: dict[str, float | None] = {}
    wanted = []
    for document in documents:
        if document.source not in limits:
            limit = get_meta(connection, f"dropped_before:{document.source}")
            limits[document.source] = float(limit) if limit is not None else None
        before = limits[document.source]
        if before is None or document.time is None or timestamp(document.time) >= before:
            wanted.append(document)
    return wanted


def clear(connection: apsw.Connection) -> None:
    """Delete every document, file and vector, and what was remembered about them."""
    delete(connection, _ids(connection, "SELECT id FROM docs", ()))
    connection.execute("DELETE FROM files")
    connection.execute("DELETE FROM meta WHERE key LIKE 'dropped!_before:%' ESCAPE '!'")


def _upsert(connection: apsw.Connection, document: PreparedDocument) -> None:
    known = connection.execute("SELECT id, embedding_hash FROM docs WHERE key = ?", (document.key,)).fetchone()
    connection.execute(_UPSERT, document.values)
    if known is None:
        return
    revision = next_revision(connection)
    if known[1] != document.embedding_hash:
        connection.execute("DELETE FROM vectors WHERE doc_id = ?", (known[0],))
    else:
        # Its vector stays, but whoever holds it in memory filters it by the row's other fields.
        connection.execute("UPDATE vectors SET revision = ? WHERE doc_id = ?", (revision, known[0]))


def _write_state(connection: apsw.Connection, state: FileState) -> None:
    connection.execute(
        'INSERT INTO files (path, "offset", prefix_hash, size, mtime_ns, line, ordinal) VALUES (?, ?, ?, ?, ?, ?, ?) '
        'ON CONFLICT (path) DO UPDATE SET "offset" = excluded."offset", prefix_hash = excluded.prefix_hash, '
        "size = excluded.size, mtime_ns = excluded.mtime_ns, line = excluded.line, ordinal = excluded.ordinal",
        (
            storable(state.path),
            state.offset,
            state.prefix_hash,
            state.size,
            state.mtime_ns,
            state.line,
            state.ordinal,
        ),
    )


def _ids(connection: apsw.Connection, sql: str, values: tuple[Any, ...]) -> list[int]:
    return [row[0] for row in query(connection, sql, values)]
