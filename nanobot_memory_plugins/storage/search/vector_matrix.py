"""The vectors of the active space, resident as one matrix.

sqlite-vec keeps the vectors durably; comparing them in memory is some fifteen times faster. The matrix follows the
index: every search asks for its revision, which costs one small query, and reads only what has changed. The
connections of one process share it. A space that is too large for it is searched where it is stored.
"""

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.storage.database import Database, Moment, VectorSpace
from nanobot_memory_plugins.storage.database import spaces as stored
from nanobot_memory_plugins.storage.moments import timestamp
from nanobot_memory_plugins.storage.search.filters import SCOPE_FIELDS, sql_filter

# 100,000 vectors of the built-in model, as float32.
RESIDENT_BYTES = 205_000_000
_FILTERED = (*SCOPE_FIELDS, "origin", "source")


@dataclass(frozen=True, slots=True, eq=False)
class _Snapshot:
    """The vectors of a space at a revision, with what queries filter by. Never changed, only replaced.

    ``labels`` holds a column of codes for each of `_FILTERED`, ``times`` seconds since 1970, NaN without a time.
    """

    space: VectorSpace
    revision: int
    ids: NDArray[np.int64]
    rows: NDArray[np.float32]
    labels: NDArray[np.int32]
    times: NDArray[np.float64]
    places: dict[int, int]


@dataclass(slots=True, weakref_slot=True)
class _Shared:
    """What the searchers of one database file have in common. ``codes`` numbers the values of each filter."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    snapshot: _Snapshot | None = None
    loaded_at: float = 0.0
    codes: tuple[dict[str, int], ...] = field(default_factory=lambda: tuple({} for _ in _FILTERED))


_shared_lock = threading.Lock()
_shared: "weakref.WeakValueDictionary[tuple[int, int, str], _Shared]" = weakref.WeakValueDictionary()


def _shared_by(database: Database) -> _Shared:
    """Return what belongs to the file that the database has open, and not to a copy or to another one in its place."""
    status = database.path.stat()
    with _shared_lock:
        return _shared.setdefault((status.st_dev, status.st_ino, database.identity()), _Shared())


def _cosines(rows: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Multiply a matrix with a vector on this thread alone.

    ``@`` shares the work among all cores and waits for those that the embedding model's threads still spin on: five
    times slower on two cores, right after the query was embedded.
    """
    product: NDArray[np.float32] = np.einsum("ij,j->i", rows, vector)
    return product


class VectorMatrix:
    """Cosine similarity to the documents of one index. It belongs to one thread at a time, as its database does.

    What was written is seen by the next search, whoever wrote it. A program that writes vectors without counting a
    revision is noticed after at most ``ttl`` seconds.
    """

    def __init__(self, database: Database, clock: Clock, *, ttl: float, resident_bytes: int) -> None:
        self._database = database
        self._clock = clock
        self._ttl = ttl
        self._resident_bytes = resident_bytes
        self._shared = _shared_by(database)
        self._seen: Moment | None = None
        self._foreign = False

    def space(self, name: str, dimension: int) -> VectorSpace | None:
        """Return the space that vectors of a model can be compared in now, or None."""
        spaces = self._database.vector_spaces()
        return next((one for one in spaces if one.active and (one.name, one.dimension) == (name, dimension)), None)

    def nearest(self, space: VectorSpace, vector: NDArray[np.float32], query: Query, limit: int) -> dict[int, float]:
        """Return the row ids of the documents that pass the query's filters and are most similar, with their cosine."""
        snapshot = self._snapshot(space)
        if snapshot is None:
            return stored.nearest(
                self._database.connection, space, self._database.vector_backend, vector, limit, sql_filter(query)
            )
        similarities = _cosines(snapshot.rows, vector)
        places = np.flatnonzero(self._mask(snapshot, query))
        similarities = similarities[places]
        if len(places) > limit:
            best = np.argpartition(-similarities, limit)[:limit]
            places, similarities = places[best], similarities[best]
        return dict(zip(snapshot.ids[places].tolist(), similarities.tolist(), strict=True))

    def similarity(self, space: VectorSpace, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""
        snapshot = self._snapshot(space)
        if snapshot is None:
            pairs = stored.read(self._database.connection, space, self._database.vector_backend, only=ids)
            return {row_id: float(np.frombuffer(blob, np.float32) @ vector) for row_id, blob in pairs}
        known = [row_id for row_id in ids if row_id in snapshot.places]
        similarities = _cosines(snapshot.rows[[snapshot.places[row_id] for row_id in known]], vector)
        return dict(zip(known, similarities.tolist(), strict=True))

    def _mask(self, snapshot: _Snapshot, query: Query) -> NDArray[np.bool_]:
        """Return which rows pass the query's filters."""
        mask = np.ones(len(snapshot.ids), dtype=np.bool_)
        wanted: list[set[str]] = [{value} if (value := getattr(query.scope, name)) else set() for name in SCOPE_FIELDS]
        wanted += [{origin.value for origin in query.origins}, set(query.sources)]
        for column, values in enumerate(wanted):
            if values:
                codes = [self._shared.codes[column].get(value, -1) for value in values]
                mask &= np.isin(snapshot.labels[:, column], codes)
        if query.since is not None:
            mask &= snapshot.times >= timestamp(query.since)
        if query.until is not None:
            mask &= snapshot.times <= timestamp(query.until)
        return mask

    def _snapshot(self, space: VectorSpace) -> _Snapshot | None:
        """Return the vectors as they are now, or None when they are too many to be held."""
        database, shared = self._database, self._shared
        moment, now = database.moment(), self._clock.monotonic()
        seen, self._seen = self._seen, moment
        self._foreign |= seen is not None and seen.version != moment.version and seen.commits == moment.commits
        with shared.lock:
            known = shared.snapshot if shared.snapshot and shared.snapshot.space == space else None
            if self._foreign and now - shared.loaded_at >= self._ttl:
                known, self._foreign = None, False
            if known is None or known.revision < moment.revision:
                if stored.count(database.connection, space) * space.dimension * 4 > self._resident_bytes:
                    shared.snapshot = None
                    return None
                if known is None:
                    shared.loaded_at = now
                shared.snapshot = known = self._read(space, moment.revision, known)
            return known

    def _read(self, space: VectorSpace, revision: int, former: _Snapshot | None) -> _Snapshot:
        """Read what has changed since a former snapshot, or everything."""
        database, codes = self._database, self._shared.codes
        after = former.revision if former else -1
        vectors = dict(stored.read(database.connection, space, database.vector_backend, after_revision=after))
        details = {
            row[0]: row[1:] for row in stored.read_columns(database.connection, space, (*_FILTERED, "timestamp"), after)
        }
        changed = [row_id for row_id in vectors if row_id in details]
        ids = np.array(changed, dtype=np.int64)
        rows = np.frombuffer(b"".join(vectors[row_id] for row_id in changed), dtype=np.float32)
        rows = rows.reshape(len(changed), space.dimension)
        labels = np.array(
            [
                [code.setdefault(value, len(code)) for code, value in zip(codes, details[row_id], strict=False)]
                for row_id in changed
            ],
            dtype=np.int32,
        ).reshape(len(changed), len(_FILTERED))
        times = np.array([details[row_id][-1] for row_id in changed], dtype=np.float64)  # None becomes NaN
        if former is not None:
            keep = ~np.isin(former.ids, ids)
            if keep.sum() + len(ids) != stored.count(database.connection, space):
                alive = stored.ids(database.connection, space)
                keep &= np.isin(former.ids, np.array(alive, dtype=np.int64))
            ids = np.concatenate([former.ids[keep], ids])
            rows = np.concatenate([former.rows[keep], rows])
            labels = np.concatenate([former.labels[keep], labels])
            times = np.concatenate([former.times[keep], times])
        places = {row_id: place for place, row_id in enumerate(ids.tolist())}
        return _Snapshot(space, revision, ids, rows, labels, times, places)
