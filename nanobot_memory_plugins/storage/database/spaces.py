"""Vector spaces: one a model, stored in sqlite-vec where it is there and in an ordinary table where not.

`embedded` says which document has a vector in which space and since which revision. The functions that write are
part of the caller's transaction.
"""

import heapq
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.storage.database.connection import VectorBackend, has_module, query, scalar
from nanobot_memory_plugins.storage.database.schema import next_revision

Vector = npt.NDArray[np.float32]
_FLOAT_BYTES = 4
_BATCH = 1_000
_MOST_NEIGHBOURS = 4_096  # sqlite-vec returns no more


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """The vectors of one model. ``active`` is the space that is whole; others are being filled, or are dropped soon."""

    id: int
    name: str
    dimension: int
    backend: VectorBackend
    active: bool

    @property
    def table(self) -> str:
        """Name of the sqlite-vec table."""
        return f"vec_{self.id}"


def all_spaces(connection: apsw.Connection) -> list[VectorSpace]:
    """Return every space, the oldest first."""
    rows = query(connection, "SELECT id, name, dimension, backend, active FROM spaces ORDER BY id")
    return [
        VectorSpace(id_, name, dim, VectorBackend(backend), bool(active)) for id_, name, dim, backend, active in rows
    ]


def find_space(connection: apsw.Connection, name: str) -> VectorSpace | None:
    """Return the space of a model, or None."""
    return next((space for space in all_spaces(connection) if space.name == name), None)


def create_space(connection: apsw.Connection, name: str, dimension: int, backend: VectorBackend) -> VectorSpace:
    """Make a space; the first one is active at once, since there is nothing better to search meanwhile."""
    connection.execute(
        "INSERT INTO spaces (name, dimension, backend, active) "
        "VALUES (?, ?, ?, NOT EXISTS (SELECT 1 FROM spaces WHERE active))",
        (name, dimension, backend.value),
    )
    space = find_space(connection, name)
    if space is None:
        raise StoreError("The index did not keep a new vector space.")
    if backend is VectorBackend.VEC0:
        connection.execute(
            f"CREATE VIRTUAL TABLE {space.table} USING vec0(vector float[{dimension}] distance_metric=cosine)"
        )
    return space


def drop_space(connection: apsw.Connection, space: VectorSpace) -> None:
    """Drop a space with all of its vectors."""
    if space.backend is VectorBackend.VEC0:
        drop_virtual_table(connection, space.table)
    connection.execute("DELETE FROM spaces WHERE id = ?", (space.id,))
    next_revision(connection)


def activate(connection: apsw.Connection, space: VectorSpace) -> None:
    """Make a space the one that searches use, and drop the others."""
    others = [other for other in all_spaces(connection) if other.id != space.id]
    if space.active and not others:
        return
    connection.execute("UPDATE spaces SET active = (id = ?)", (space.id,))
    for other in others:
        drop_space(connection, other)
    next_revision(connection)


def put(connection: apsw.Connection, space: VectorSpace, rows: Iterable[tuple[int, Vector]]) -> None:
    """Store vectors of unit length; a row that was deleted meanwhile is skipped, NaN and zero are marked unusable."""
    revision = next_revision(connection)
    refused = 0
    for doc_id, vector in rows:
        if not connection.execute("SELECT 1 FROM docs WHERE id = ?", (doc_id,)).fetchall():
            continue
        # A vector that overflows float32 is as useless as one with NaN.
        length = float(np.linalg.norm(vector.astype(np.float64)))
        usable = bool(np.isfinite(length)) and length > 0
        refused += not usable
        connection.execute(
            "INSERT INTO embedded (space_id, doc_id, revision, usable) VALUES (?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET revision = excluded.revision, usable = excluded.usable",
            (space.id, doc_id, revision, usable),
        )
        remove_vector(connection, space, doc_id)
        if usable:
            _insert(connection, space, doc_id, (vector / length).astype(np.float32).tobytes())
    if refused:
        logger.warning("{} vectors of the embedding model are not finite or zero and were left out", refused)


def forget(connection: apsw.Connection, doc_ids: Sequence[int]) -> None:
    """Drop the vectors of documents in every space. The rows of `embedded` go with them."""
    for space in all_spaces(connection):
        for doc_id in doc_ids:
            if space.backend is VectorBackend.VEC0:
                remove_vector(connection, space, doc_id)
            connection.execute("DELETE FROM embedded WHERE space_id = ? AND doc_id = ?", (space.id, doc_id))


def read(
    connection: apsw.Connection,
    space: VectorSpace,
    available: VectorBackend,
    *,
    after_revision: int = -1,
    only: Sequence[int] | None = None,
) -> Iterator[tuple[int, bytes]]:
    """Yield row ids with their float32 vectors: those stored or touched after a revision, of ``only`` some rows."""
    condition = "e.space_id = ? AND e.revision > ? AND e.usable"
    values: list[Any] = [space.id, after_revision]
    if only is not None:
        condition += " AND e.doc_id IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(list(only)))
    if space.backend is VectorBackend.VEC0 and available is not VectorBackend.VEC0:
        wanted = {row[0] for row in query(connection, f"SELECT e.doc_id FROM embedded e WHERE {condition}", values)}
        yield from ((doc_id, vector) for doc_id, vector in _read_shadow(connection, space) if doc_id in wanted)
        return
    if space.backend is VectorBackend.VEC0:
        # By its key a row is found six times faster than by a scan of the vec0 table.
        join = f"CROSS JOIN {space.table} v ON v.rowid = e.doc_id"
    else:
        join = "JOIN vectors v USING (space_id, doc_id)"
    yield from connection.execute(f"SELECT e.doc_id, v.vector FROM embedded e {join} WHERE {condition}", values)


def read_blocks(
    connection: apsw.Connection, space: VectorSpace, available: VectorBackend, *, after_revision: int = -1
) -> Iterator[tuple[list[int], Vector]]:
    """Yield row ids with their vectors, some hundred at a time: those stored or touched after a revision."""
    if after_revision < 0 and space.backend is VectorBackend.VEC0:
        # sqlite-vec keeps 1,024 vectors in one value: reading those takes a twentieth of asking for each vector.
        places = _shadow_places(connection, space)
        if sum(map(len, places.values())) >= count(connection, space):
            for chunk, found in places.items():
                sql = f"SELECT vectors FROM {space.table}_vector_chunks00 WHERE rowid = ?"
                vectors = np.frombuffer(scalar(connection, sql, (chunk,)), dtype=np.float32)
                offsets = [offset for _, offset in found]
                yield [doc_id for doc_id, _ in found], vectors.reshape(-1, space.dimension)[offsets]
            return
    pairs = read(connection, space, available, after_revision=after_revision)
    while block := list(islice(pairs, _BATCH)):
        vectors = np.frombuffer(b"".join(blob for _, blob in block), dtype=np.float32)
        yield [doc_id for doc_id, _ in block], vectors.reshape(-1, space.dimension)


def count(connection: apsw.Connection, space: VectorSpace, *, after_revision: int = -1) -> int:
    """Return how many documents have a vector, of those stored or touched after a revision."""
    sql = "SELECT count(*) FROM embedded WHERE space_id = ? AND revision > ? AND usable"
    return int(scalar(connection, sql, (space.id, after_revision)))


def ids(connection: apsw.Connection, space: VectorSpace) -> list[int]:
    """Return the row ids of the documents that have a vector."""
    return [
        row[0] for row in query(connection, "SELECT doc_id FROM embedded WHERE space_id = ? AND usable", (space.id,))
    ]


def read_columns(
    connection: apsw.Connection, space: VectorSpace, columns: Sequence[str], after_revision: int
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield row id and columns of documents whose vectors were stored or touched after a revision, some at a time."""
    sql = (
        f"SELECT d.id, {', '.join('d.' + column for column in columns)} "
        "FROM embedded e CROSS JOIN docs d ON d.id = e.doc_id "
        "WHERE e.space_id = ? AND e.revision > ? AND e.usable"
    )
    rows = connection.execute(sql, (space.id, after_revision))
    while block := list(islice(rows, _BATCH)):
        yield block


def nearest(
    connection: apsw.Connection,
    space: VectorSpace,
    available: VectorBackend,
    vector: Vector,
    limit: int,
    condition: tuple[str, Sequence[Any]],
) -> dict[int, float]:
    """Return the most similar documents with their cosine, comparing vectors where they are stored.

    ``condition`` is SQL on ``docs d`` with its values; an empty one restricts nothing.
    """
    where, values = condition
    allowed = [row[0] for row in query(connection, f"SELECT d.id FROM docs d WHERE {where}", values)] if where else None
    if space.backend is VectorBackend.VEC0 and available is VectorBackend.VEC0:
        sql = f"SELECT rowid, 1 - distance FROM {space.table} WHERE vector MATCH ? AND k = ?"
        arguments: list[Any] = [vector.tobytes(), min(limit, _MOST_NEIGHBOURS)]
        if allowed is not None:
            sql += " AND rowid IN (SELECT value FROM json_each(?))"
            arguments.append(json.dumps(allowed))
        return dict(query(connection, sql, arguments))
    best: list[tuple[float, int]] = []
    rows = read(connection, space, available, only=allowed)
    while block := list(islice(rows, _BATCH)):
        matrix = np.frombuffer(b"".join(blob for _, blob in block), dtype=np.float32).reshape(len(block), -1)
        scored = zip((matrix @ vector).tolist(), (doc_id for doc_id, _ in block), strict=True)
        best = heapq.nlargest(limit, [*best, *scored])
    return {doc_id: similarity for similarity, doc_id in best}


def migrate(connection: apsw.Connection, available: VectorBackend) -> None:
    """Move every space to the backend that is available now. Part of the caller's transaction."""
    for space in all_spaces(connection):
        if space.backend is available:
            continue
        moved = 0
        if available is VectorBackend.VEC0:
            table = (
                f"CREATE VIRTUAL TABLE {space.table} USING vec0(vector float[{space.dimension}] distance_metric=cosine)"
            )
            connection.execute(table)
        target = VectorSpace(space.id, space.name, space.dimension, available, space.active)
        for doc_id, vector in list(read(connection, space, available)):
            _insert(connection, target, doc_id, vector)
            moved += 1
        if available is VectorBackend.VEC0:
            connection.execute("DELETE FROM vectors WHERE space_id = ?", (space.id,))
        else:
            drop_virtual_table(connection, space.table)
        connection.execute("UPDATE spaces SET backend = ? WHERE id = ?", (available.value, space.id))
        # What could not be moved is embedded again.
        stored = (
            f"SELECT rowid FROM {space.table}"
            if available is VectorBackend.VEC0
            else f"SELECT doc_id FROM vectors WHERE space_id = {space.id}"
        )
        connection.execute(f"DELETE FROM embedded WHERE space_id = {space.id} AND usable AND doc_id NOT IN ({stored})")
        next_revision(connection)
        logger.info("{} vectors were moved to the backend {}", moved, available.value)


def _insert(connection: apsw.Connection, space: VectorSpace, doc_id: int, vector: bytes) -> None:
    if space.backend is VectorBackend.VEC0:
        connection.execute(f"INSERT INTO {space.table} (rowid, vector) VALUES (?, ?)", (doc_id, vector))
    else:
        connection.execute(
            "INSERT INTO vectors (space_id, doc_id, vector) VALUES (?, ?, ?)", (space.id, doc_id, vector)
        )


def remove_vector(connection: apsw.Connection, space: VectorSpace, doc_id: int) -> None:
    """Delete one vector; sqlite-vec knows no UPSERT."""
    if space.backend is VectorBackend.VEC0:
        connection.execute(f"DELETE FROM {space.table} WHERE rowid = ?", (doc_id,))
    else:
        connection.execute("DELETE FROM vectors WHERE space_id = ? AND doc_id = ?", (space.id, doc_id))


def drop_virtual_table(connection: apsw.Connection, table: str) -> None:
    """Drop a table of sqlite-vec or FTS5. Without its module SQLite cannot: its own tables go, and its line."""
    sql = scalar(connection, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,))
    module = re.search(r"\busing\s+(\w+)", sql or "", re.IGNORECASE)
    if module is None or has_module(connection, module[1].lower()):
        connection.execute(f'DROP TABLE "{table}"')
        return
    shadows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE ? ESCAPE '!'",
        (table.replace("_", "!_") + "!_%",),
    ).fetchall()
    for (name,) in shadows:
        connection.execute(f'DROP TABLE "{name}"')
    connection.execute("PRAGMA writable_schema = ON").fetchall()
    try:
        connection.execute("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,))
    finally:
        connection.execute("PRAGMA writable_schema = RESET").fetchall()


def _read_shadow(connection: apsw.Connection, space: VectorSpace) -> Iterator[tuple[int, bytes]]:
    """Read a sqlite-vec table without the extension, from the ordinary tables that it keeps its chunks in.

    Nothing is yielded where they do not look as version 0.1 makes them: those vectors are embedded again.
    """
    width = space.dimension * _FLOAT_BYTES
    places = _shadow_places(connection, space)
    try:
        chunks = query(connection, f"SELECT rowid, vectors FROM {space.table}_vector_chunks00")
    except apsw.SQLError:
        return
    for chunk, blob in chunks:
        if len(blob) % width:
            return
        for doc_id, offset in places.get(chunk, ()):
            yield doc_id, blob[offset * width : (offset + 1) * width]


def _shadow_places(connection: apsw.Connection, space: VectorSpace) -> dict[int, list[tuple[int, int]]]:
    """Return for each chunk of a sqlite-vec table the row ids in it, each with its place; nothing where it differs."""
    places: dict[int, list[tuple[int, int]]] = {}
    try:
        rows = query(connection, f"SELECT rowid, chunk_id, chunk_offset FROM {space.table}_rowids ORDER BY rowid")
    except apsw.SQLError:
        return {}
    for doc_id, chunk, offset in rows:
        places.setdefault(chunk, []).append((doc_id, offset))
    return places
