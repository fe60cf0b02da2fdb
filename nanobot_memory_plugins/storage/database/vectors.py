"""The vectors of one model, in an ordinary table. What writes is part of the caller's transaction."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.storage.database.connection import query, scalar
from nanobot_memory_plugins.storage.database.schema import get_meta, next_revision, set_meta

Vector = NDArray[np.float32]
_BATCH = 1_000


def model_of(connection: apsw.Connection) -> tuple[str, int]:
    """Return the model of the stored vectors, and how many numbers they have; no name before the first."""
    return str(get_meta(connection, "model") or ""), int(get_meta(connection, "dimension") or 0)


def begin(connection: apsw.Connection, model: str, dimension: int = 0) -> None:
    """Drop all vectors, and begin with those of a model."""
    connection.execute("DELETE FROM vectors")
    set_meta(connection, "model", model)
    set_meta(connection, "dimension", dimension)
    next_revision(connection)


def put(connection: apsw.Connection, rows: Iterable[tuple[int, Vector]]) -> None:
    """Store vectors at unit length; a row that was deleted meanwhile is skipped.

    A vector that is not finite, or zero, is stored as none, so that it is not asked for again.
    """
    revision, refused = next_revision(connection), 0
    for doc_id, vector in rows:
        length = float(np.linalg.norm(vector.astype(np.float64)))
        usable = bool(np.isfinite(length)) and length > 0
        refused += not usable
        connection.execute(
            "INSERT INTO vectors (doc_id, revision, vector) SELECT id, ?2, ?3 FROM docs WHERE id = ?1 "
            "ON CONFLICT DO UPDATE SET revision = excluded.revision, vector = excluded.vector",
            (doc_id, revision, (vector / length).astype(np.float32).tobytes() if usable else None),
        )
    if refused:
        logger.warning("{} vectors of the embedding model are not finite or zero and were left out", refused)


def changed_rows(
    connection: apsw.Connection, columns: Sequence[str], after_revision: int
) -> Iterator[tuple[list[tuple[Any, ...]], Vector]]:
    """Yield ids with columns of their documents, and their vectors, some at a time: what changed after a revision."""
    dimension = model_of(connection)[1]
    names = ", ".join(f"d.{column}" for column in columns)
    sql = (
        f"SELECT v.vector, d.id, {names} FROM vectors v CROSS JOIN docs d ON d.id = v.doc_id "
        "WHERE v.revision > ? AND v.vector IS NOT NULL"
    )
    rows = connection.execute(sql, (after_revision,))
    while block := list(islice(rows, _BATCH)):
        vectors = np.frombuffer(b"".join(row[0] for row in block), dtype=np.float32)
        yield [row[1:] for row in block], vectors.reshape(-1, dimension)


def ids(connection: apsw.Connection) -> list[int]:
    """Return the row ids of the documents that have a vector."""
    return [row[0] for row in query(connection, "SELECT doc_id FROM vectors WHERE vector IS NOT NULL")]


def count(connection: apsw.Connection) -> int:
    """Return how many documents have a vector."""
    return int(scalar(connection, "SELECT count(*) FROM vectors WHERE vector IS NOT NULL"))


def nearest(
    connection: apsw.Connection, vector: Vector, limit: int, condition: tuple[str, Sequence[Any]]
) -> dict[int, float]:
    """Return the most similar documents with their cosine, compared by sqlite-vec where they are stored.

    ``condition`` is SQL on ``docs d`` with its values; an empty one restricts nothing.
    """
    where, values = condition
    sql = (
        "SELECT v.doc_id, vec_distance_cosine(v.vector, ?) AS distance FROM vectors v JOIN docs d ON d.id = v.doc_id "
        f"WHERE v.vector IS NOT NULL {'AND ' + where if where else ''} ORDER BY distance LIMIT ?"
    )
    found = query(connection, sql, [vector.tobytes(), *values, limit])
    return {doc_id: 1.0 - distance for doc_id, distance in found}
