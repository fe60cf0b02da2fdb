"""Applying what the indexer found to the tables. Every function but `prepare` is part of the caller's transaction."""

from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from nanobot_memory_plugins.storage.database.connection import query
from nanobot_memory_plugins.storage.database.schema import next_revision
from nanobot_memory_plugins.storage.documents import (
    COLUMN_NAMES,
    DOCUMENT_COLUMNS,
    Document,
    FileChange,
    FileState,
    derived_of,
    document_from_row,
    document_values,
    embedding_text,
    storable,
    timestamp,
)

_COLUMNS = (*(f'"{name}"' for name in COLUMN_NAMES), "timestamp", "body_terms", "head_terms")
_UPSERT = (
    f"INSERT INTO docs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (key) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)


def prepare(connection: apsw.Connection, documents: Iterable[Document]) -> list[tuple[Any, ...]]:
    """Return the rows of those documents that differ from what is stored, before the transaction begins.

    Segmenting takes long.
    """
    prepared = []
    for document in documents:
        values = document_values(document)
        if query(connection, f"SELECT {DOCUMENT_COLUMNS} FROM docs WHERE key = ?", values[:1]) != [values]:
            time = timestamp(document.time) if document.time else None
            prepared.append((*values, time, *derived_of(document)))
    return prepared


def apply_change(connection: apsw.Connection, change: FileChange, rows: Sequence[tuple[Any, ...]]) -> None:
    """Bring documents and manifest to what one file now holds."""
    path = storable(change.path)
    if change.state is None:
        delete(connection, "path = ?", path)
        connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return
    for key in change.removed_keys:
        delete(connection, "key = ? AND path = ?", storable(key), path)
    for row in rows:
        _upsert(connection, row)
    connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", _file_values(change.state))


def delete(connection: apsw.Connection, condition: str, *values: Any) -> int:
    """Delete documents with their vectors, and return how many there were."""
    gone = query(connection, f"DELETE FROM docs WHERE {condition} RETURNING id", values)
    if gone:
        next_revision(connection)
    return len(gone)


def _upsert(connection: apsw.Connection, row: tuple[Any, ...]) -> None:
    known = query(connection, f"SELECT id, {DOCUMENT_COLUMNS} FROM docs WHERE key = ?", row[:1])
    connection.execute(_UPSERT, row)
    for doc_id, *former in known:
        revision = next_revision(connection)
        if embedding_text(document_from_row(former)) != embedding_text(document_from_row(row)):
            connection.execute("DELETE FROM vectors WHERE doc_id = ?", (doc_id,))
        else:
            # Its vector stays, but whoever holds it in memory filters it by the row's other fields.
            connection.execute("UPDATE vectors SET revision = ? WHERE doc_id = ?", (revision, doc_id))


def _file_values(state: FileState) -> tuple[Any, ...]:
    numbers = (state.size, state.mtime_ns, state.line, state.ordinal)
    return (storable(state.path), state.offset, state.prefix_hash, *numbers)
