"""Reading vectors from the database into memory."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.storage.database import Database, VectorSpace
from nanobot_memory_plugins.storage.database import spaces as stored
from nanobot_memory_plugins.storage.search.vector_codes import VectorCodes
from nanobot_memory_plugins.storage.search.vector_snapshot import FILTERED, Labels, VectorPart, VectorSnapshot


class LoadingEndedError(Exception):
    """Nobody wants the vectors any more."""


def read_snapshot(
    database: Database, space: VectorSpace, labels: Labels, *, wanted: Callable[[], bool] = lambda: True
) -> VectorSnapshot:
    """Read the whole space. Raises `LoadingEndedError` soon after ``wanted`` says no."""
    with database.reading():
        revision = database.moment().revision
        return VectorSnapshot.of(space, revision, _read(database, space, labels, None, wanted=wanted))


def read_changes(database: Database, former: VectorSnapshot, labels: Labels, revision: int) -> VectorSnapshot:
    """Read what has changed since a snapshot, as far as a revision."""
    connection, space = database.connection, former.space
    with database.reading():
        changed = _read(database, space, labels, former)
        following = former.with_changes(revision, changed, None)
        if len(following) != stored.count(connection, space):
            alive = np.array(stored.ids(connection, space), dtype=np.int64)
            following = former.with_changes(revision, changed, alive)
        return following


def _read(
    database: Database,
    space: VectorSpace,
    labels: Labels,
    former: VectorSnapshot | None,
    *,
    wanted: Callable[[], bool] = lambda: True,
) -> VectorPart:
    """Read all vectors, or those that have changed since a snapshot."""
    after = former.revision if former is not None else -1
    connection, ids = database.connection, list[NDArray[np.int64]]()

    def blocks() -> Iterator[NDArray[np.float32]]:
        for found, vectors in stored.read_blocks(connection, space, database.vector_backend, after_revision=after):
            if not wanted():
                raise LoadingEndedError
            ids.append(np.array(found, dtype=np.int64))
            yield vectors

    number = stored.count(connection, space, after_revision=after)
    centre = former.base.codes.centre if former is not None else None
    codes = VectorCodes.of(blocks(), number, space.dimension, centre)
    vectors = VectorPart.of(
        np.concatenate([np.empty(0, dtype=np.int64), *ids]),
        codes,
        np.zeros(len(codes), dtype=np.int32),
        np.zeros(len(codes), dtype=np.float64),
    )
    return _with_columns(database, space, labels, after, vectors, wanted)


def _with_columns(
    database: Database, space: VectorSpace, labels: Labels, after: int, vectors: VectorPart, wanted: Callable[[], bool]
) -> VectorPart:
    """Fill in labels and times of vectors; those without a document are left out."""
    known = np.zeros(len(vectors.ids), dtype=np.bool_)
    for rows in stored.read_columns(database.connection, space, (*FILTERED, "timestamp"), after):
        if not wanted():
            raise LoadingEndedError
        places, here = vectors.find(np.array([row[0] for row in rows], dtype=np.int64))
        vectors.labels[places] = labels.of([row[1:-1] for row in rows])[here]
        vectors.times[places] = np.array([row[-1] for row in rows], dtype=np.float64)[here]  # None becomes NaN
        known[places] = True
    if known.all():
        return vectors
    nothing = np.empty(0, dtype=np.intp)
    return vectors.joined(np.flatnonzero(known), vectors, nothing)
