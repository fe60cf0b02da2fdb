"""The vectors of an index, resident as one matrix, together with what queries filter by.

The table keeps them durably. Every search asks for its revision, which costs one small query, and reads what changed.
The connections of one process share the matrix. The first search reads all of it, some 0.1 s for 10,000 vectors.
"""

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Query, Scope
from nanobot_memory_plugins.storage.database import Database, vectors
from nanobot_memory_plugins.storage.database.connection import query as run
from nanobot_memory_plugins.storage.documents import timestamp
from nanobot_memory_plugins.storage.filters import SCOPE_FIELDS, sql_filter

# Some 190,000 vectors of the built-in model. More are compared on the disk, where sqlite-vec is there to do it.
RESIDENT_BYTES = 400_000_000
_FILTERED = (*SCOPE_FIELDS, "origin", "source", "timestamp")
_GROWTH = 1.25
_FLOAT_BYTES = 4


@dataclass(slots=True, weakref_slot=True)
class _Matrix:
    """The vectors of one database file at a revision. Whoever uses it holds the lock.

    ``rows``, ``labels`` and ``times`` have a place for each vector up to ``size``, and room for more; ``places`` says
    which is whose. A label is a combination of scope, origin and source: there are as many as sessions.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    model: tuple[str, int] = ("", 0)
    revision: int = -1
    size: int = 0
    rows: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    ids: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    labels: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    times: NDArray[np.float64] = field(default_factory=lambda: np.empty(0, np.float64))
    places: dict[int, int] = field(default_factory=dict)
    known_labels: dict[tuple[str, ...], int] = field(default_factory=dict)

    def read(self, database: Database) -> None:
        """Bring it to what the database holds now."""
        with database.reading():
            connection, revision = database.connection, database.revision()
            model = vectors.model_of(connection)
            if model != self.model:
                self.model, self.revision, self.size, self.places = model, -1, 0, {}
                self.rows = np.empty((0, model[1]), np.float32)
            for found, block in vectors.changed_rows(connection, _FILTERED, self.revision):
                self._write(found, block)
            if self.size != vectors.count(connection):
                self._keep_rows(vectors.ids(connection))
            self.revision = revision

    def nearest(self, vector: NDArray[np.float32], query: Query, limit: int) -> dict[int, float]:
        """Return the ids of what passes the filters and is most similar, with the cosine."""
        allowed = self._allowed(query)
        # Not by ``@``, which shares the work among cores, and waits for those that have other work.
        cosines = np.einsum("ij,j->i", self.rows[: self.size], vector)
        if allowed is not None:
            cosines = np.where(allowed, cosines, -np.inf)
        best = np.argpartition(-cosines, limit)[:limit] if self.size > limit else np.arange(self.size)
        found = zip(self.ids[best].tolist(), cosines[best].tolist(), strict=True)
        return {row_id: cosine for row_id, cosine in found if cosine > -np.inf}

    def similarity(self, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""
        present_ids = [row_id for row_id in ids if row_id in self.places]
        cosines = np.einsum("ij,j->i", self.rows[[self.places[row_id] for row_id in present_ids]], vector)
        return dict(zip(present_ids, cosines.tolist(), strict=True))

    def _allowed(self, query: Query) -> NDArray[np.bool_] | None:
        masks = []
        if query.scope != Scope() or query.origins or query.sources:
            passing = [_passes(label, query) for label in self.known_labels]
            if not all(passing):
                masks.append(np.array(passing)[self.labels[: self.size]])
        if query.since is not None:
            masks.append(self.times[: self.size] >= timestamp(query.since))
        if query.until is not None:
            masks.append(self.times[: self.size] <= timestamp(query.until))
        return np.logical_and.reduce(masks) if masks else None

    def _write(self, found: Sequence[tuple[Any, ...]], block: NDArray[np.float32]) -> None:
        for row in found:
            if (row_id := row[0]) not in self.places:
                self.places[row_id] = self.size
                self.size += 1
        self._make_room()
        at = [self.places[row[0]] for row in found]
        self.rows[at] = block
        self.ids[at] = [row[0] for row in found]
        self.labels[at] = [
            self.known_labels.setdefault(tuple(map(str, row[1:-1])), len(self.known_labels)) for row in found
        ]
        self.times[at] = [np.nan if row[-1] is None else row[-1] for row in found]

    def _make_room(self) -> None:
        if self.size > len(self.rows):
            more = int(self.size * _GROWTH) - len(self.rows)
            self.rows = np.concatenate([self.rows, np.empty((more, self.model[1]), np.float32)])
            for name in ("ids", "labels", "times"):
                values = getattr(self, name)[: len(self.rows) - more]
                setattr(self, name, np.concatenate([values, np.empty(len(self.rows) - len(values), values.dtype)]))

    def _keep_rows(self, ids: Sequence[int]) -> None:
        """Drop what is not among some ids."""
        kept = np.flatnonzero(np.isin(self.ids[: self.size], np.array(ids, dtype=np.int64)))
        self.size = len(kept)
        for name in ("rows", "ids", "labels", "times"):
            values = getattr(self, name)
            values[: self.size] = values[kept]
        self.places = {row_id: place for place, row_id in enumerate(self.ids[: self.size].tolist())}


def _passes(label: tuple[str, ...], query: Query) -> bool:
    *scope, origin, source = label
    return (
        query.scope.allows(Scope(**dict(zip(SCOPE_FIELDS, scope, strict=True))))
        and (not query.origins or origin in query.origins)
        and (not query.sources or source in query.sources)
    )


_shared_lock = threading.Lock()
_shared: "weakref.WeakValueDictionary[tuple[int, int, str], _Matrix]" = weakref.WeakValueDictionary()


class VectorMatrix:
    """Cosine similarity to the documents of one index. It belongs to one thread at a time, as its database does.

    What was written is seen by the next search, whoever wrote it. More than ``resident_bytes`` are not held.
    """

    def __init__(self, database: Database, *, resident_bytes: int) -> None:
        self._database = database
        self._most = resident_bytes
        status = database.path.stat()
        with _shared_lock:
            # What belongs to this file, and not to a copy or to another one in its place.
            key = (status.st_dev, status.st_ino, database.identity())
            self._matrix = _shared.setdefault(key, _Matrix())

    def can_compare(self, model: str, dimension: int) -> bool:
        """Tell whether there are vectors of a model that can be compared now."""
        if vectors.model_of(self._database.connection) != (model, dimension):
            return False
        with self._matrix.lock:
            if not self._fits(dimension):
                return self._database.has_vec
            if self._matrix.revision != self._database.revision():
                self._matrix.read(self._database)
            return self._matrix.model == (model, dimension)

    def nearest(self, model: str, vector: NDArray[np.float32], query: Query, limit: int) -> dict[int, float]:
        """Return the row ids of the documents that pass the query's filters and are most similar, with their cosine."""
        connection = self._database.connection
        if not self._fits(len(vector)):
            return vectors.nearest(connection, vector, limit, sql_filter(query))
        if query.tags:  # those of few: what has them is compared
            conditions, values = sql_filter(query)
            ids = [row[0] for row in run(connection, f"SELECT d.id FROM docs d WHERE {conditions}", values)]
            return dict(nlargest(limit, self.similarity(model, vector, ids).items(), key=itemgetter(1)))
        with self._matrix.lock:
            return self._matrix.nearest(vector, query, limit)

    def similarity(self, model: str, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""
        if not self._fits(len(vector)):
            some = (f"d.id IN ({', '.join('?' * len(ids))})", ids) if ids else ("FALSE", ())
            return vectors.nearest(self._database.connection, vector, len(ids), some)
        with self._matrix.lock:
            return self._matrix.similarity(vector, ids)

    def _fits(self, dimension: int) -> bool:
        held = self._matrix.size or vectors.count(self._database.connection)
        return held * dimension * _FLOAT_BYTES <= self._most
