"""The vectors of an index in memory, as one matrix.

The database is the durable copy. Every search checks its revision, with one small query, and reads what has changed.
The connections of a process share the matrix. The first search reads all vectors, some 0.1 s for 10,000.
"""

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.sqlite import fetch_all

_BATCH = 1_000
_GROWTH = 1.25


@dataclass(slots=True, weakref_slot=True)
class VectorMatrix:
    """The vectors of one database file at a revision. Any thread may use it.

    ``vectors`` and ``ids`` have a row for each vector, and room for more; ``places`` maps document ids to rows.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    model: tuple[str, int] = ("", 0)
    revision: int = -1
    vectors: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    ids: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    places: dict[int, int] = field(default_factory=dict)
    # The last query vector, the revision at that time, and the cosines of all vectors to it.
    last_cosines: tuple[NDArray[np.float32], int, NDArray[np.float32]] | None = None

    def read(self, database: Database) -> tuple[str, int]:
        """Bring the matrix up to date with the database, and return its model and dimension."""
        with self.lock, database.snapshot():
            revision = database.revision()
            if revision == self.revision:
                return self.model
            model = database.vector_model()
            if model != self.model:
                self.model, self.revision, self.places = model, -1, {}
                self.vectors = np.empty((0, model[1]), np.float32)
                self.ids = np.empty(0, np.int64)
            changed = "SELECT doc_id, vector FROM vectors WHERE revision > ?"
            rows = database.connection.execute(changed, (self.revision,))
            while block := list(islice(rows, _BATCH)):
                self._write(block)
            ids = fetch_all(database.connection, "SELECT doc_id FROM vectors")
            if len(self.places) != len(ids):
                self._retain({row_id for (row_id,) in ids})
            self.revision = revision
            return self.model

    def nearest(self, vector: NDArray[np.float32], passing: Sequence[int] | None, limit: int) -> list[int]:
        """Return the ids of the most similar documents, best first: of all, or of those in ``passing``."""
        with self.lock:
            size = len(self.places)
            cosines = self._cosines(vector)
            among = np.arange(size) if passing is None else np.flatnonzero(np.isin(self.ids[:size], passing))
            if len(among) > limit:
                among = among[np.argpartition(-cosines[among], limit)[:limit]]
            best: list[int] = self.ids[among[np.argsort(-cosines[among], kind="stable")]].tolist()
            return best

    def cosines(self, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosines of some documents by id, without those that have no vector."""
        with self.lock:
            present_ids = [row_id for row_id in ids if row_id in self.places]
            cosines = self._cosines(vector)[[self.places[row_id] for row_id in present_ids]]
            return dict(zip(present_ids, cosines.tolist(), strict=True))

    def _cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosines of all vectors; the last result is cached, since a search asks for it twice."""
        if self.last_cosines is None or self.last_cosines[0] is not vector or self.last_cosines[1] != self.revision:
            # Not ``@``: it splits the work among cores and waits for the busy ones.
            cosines = np.einsum("ij,j->i", self.vectors[: len(self.places)], vector)
            self.last_cosines = vector, self.revision, cosines
        return self.last_cosines[2]

    def _write(self, block: Sequence[tuple[int, bytes]]) -> None:
        at = [self.places.setdefault(row_id, len(self.places)) for row_id, _ in block]
        if (missing := len(self.places) - len(self.ids)) > 0:
            more = missing + int((_GROWTH - 1) * len(self.places))
            self.vectors = np.concatenate([self.vectors, np.empty((more, self.model[1]), np.float32)])
            self.ids = np.concatenate([self.ids, np.empty(more, np.int64)])
        self.vectors[at] = np.frombuffer(b"".join(vector for _, vector in block), np.float32).reshape(len(block), -1)
        self.ids[at] = [row_id for row_id, _ in block]

    def _retain(self, ids: set[int]) -> None:
        """Remove all vectors except those of some ids."""
        rows = [place for row_id, place in self.places.items() if row_id in ids]
        self.vectors[: len(rows)] = self.vectors[rows]
        self.ids[: len(rows)] = self.ids[rows]
        self.places = {row_id: place for place, row_id in enumerate(self.ids[: len(rows)].tolist())}


_shared_lock = threading.Lock()
_shared: "weakref.WeakValueDictionary[tuple[int, int], VectorMatrix]" = weakref.WeakValueDictionary()


def matrix_of(database: Database) -> VectorMatrix:
    """Return the matrix that all connections to a database file share; an open file's inode identifies it."""
    status = database.path.stat()
    with _shared_lock:
        return _shared.setdefault((status.st_dev, status.st_ino), VectorMatrix())
