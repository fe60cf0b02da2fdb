"""Applying what the indexer found to the tables. Every function but `prepare` is part of the caller's transaction."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from nanobot_memory_plugins.storage import document_rows as rows
from nanobot_memory_plugins.storage.database.connection import query
from nanobot_memory_plugins.storage.database.schema import get_meta, next_revision, set_meta
from nanobot_memory_plugins.storage.document_rows import derived_of, storable
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState, timestamp

_COLUMNS = (
    *(name.strip() for name in rows.DOCUMENT_COLUMNS.split(",")),
    "timestamp",
    "body_terms",
    "head_terms",
    "row_hash",
    "embedding_hash",
)
_UPSERT = (
    f"INSERT INTO docs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (key) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)
_UPSERT_FILE = (
    'INSERT INTO files (path, "offset", prefix_hash, size, mtime_ns, line, ordinal) VALUES (?, ?, ?, ?, ?, ?, ?) '
    'ON CONFLICT (path) DO UPDATE SET "offset" = excluded."offset", prefix_hash = excluded.prefix_hash, '
    "size = excluded.size, mtime_ns = excluded.mtime_ns, line = excluded.line, ordinal = excluded.ordinal"
)


def prepare(connection: apsw.Connection, documents: Iterable[Document]) -> list[tuple[Any, ...]]:
    """Return the rows of those documents that differ from what is stored, before the transaction begins.

    Segmenting takes long. What `drop_older_than` dropped and would drop again is left out.
    """
    limits: dict[str, float] = {}
    prepared = []
    for document in documents:
        time, source = timestamp(document.time) if document.time else None, document.source
        if source not in limits:
            limit = get_meta(connection, f"dropped_before:{source}")
            limits[source] = -math.inf if limit is None else float(limit)
        if time is not None and time < limits[source]:
            continue
        values = rows.document_values(document)
        row_hash = rows.row_hash(values)
        if query(connection, "SELECT row_hash FROM docs WHERE key = ?", (values[0],)) != [(row_hash,)]:
            prepared.append((*values, time, *derived_of(document), row_hash, rows.embedding_hash(document)))
    return prepared


def apply_change(connection: apsw.Connection, change: FileChange, documents: Sequence[tuple[Any, ...]]) -> None:
    """Bring documents and manifest to what one file now holds."""
    path = storable(change.path)
    if change.state is None:
        delete(connection, _ids(connection, "SELECT id FROM docs WHERE path = ?", path))
        connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return
    sql = "SELECT id FROM docs WHERE key = ? AND path = ?"
    delete(connection, [found for key in change.removed_keys for found in _ids(connection, sql, storable(key), path)])
    for document in documents:
        _upsert(connection, document)
    connection.execute(_UPSERT_FILE, _file_values(change.state))


def delete(connection: apsw.Connection, doc_ids: Sequence[int]) -> None:
    """Delete documents with their vectors."""
    if doc_ids:
        connection.executemany("DELETE FROM docs WHERE id = ?", ((doc_id,) for doc_id in doc_ids))
        next_revision(connection)


def drop_older_than(connection: apsw.Connection, source: str, before: float) -> int:
    """Delete the documents of a source from before a moment, and remember it for files that are read again."""
    doc_ids = _ids(connection, "SELECT id FROM docs WHERE source = ? AND timestamp < ?", source, before)
    delete(connection, doc_ids)
    if get_meta(connection, f"dropped_before:{source}") != before:
        set_meta(connection, f"dropped_before:{source}", before)
    return len(doc_ids)


def _upsert(connection: apsw.Connection, values: tuple[Any, ...]) -> None:
    known = query(connection, "SELECT id, embedding_hash FROM docs WHERE key = ?", (values[0],))
    connection.execute(_UPSERT, values)
    for doc_id, embedding_hash in known:
        revision = next_revision(connection)
        if embedding_hash != values[-1]:
            connection.execute("DELETE FROM vectors WHERE doc_id = ?", (doc_id,))
        else:
            # Its vector stays, but whoever holds it in memory filters it by the row's other fields.
            connection.execute("UPDATE vectors SET revision = ? WHERE doc_id = ?", (revision, doc_id))


def _file_values(state: FileState) -> tuple[Any, ...]:
    numbers = (state.size, state.mtime_ns, state.line, state.ordinal)
    return (storable(state.path), state.offset, state.prefix_hash, *numbers)


def _ids(connection: apsw.Connection, sql: str, *values: Any) -> list[int]:
    return [row[0] for row in query(connection, sql, values)]
