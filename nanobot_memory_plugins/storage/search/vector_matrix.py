"""The vectors of an index, resident as one matrix, together with what queries filter by.

The table keeps them durably. Every search asks for its revision, which costs one small query, and reads what changed.
The connections of one process share the matrix. The first search reads all of it, some 0.1 s for 10,000 vectors.
"""

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Query, Scope
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import timestamp
from nanobot_memory_plugins.storage.filters import SCOPE_FIELDS
from nanobot_memory_plugins.storage.sqlite import query

_CHANGED = (
    f"SELECT v.vector, d.id, d.timestamp, {', '.join(f'd.{name}' for name in SCOPE_FIELDS)}, d.origin, d.source "
    "FROM vectors v CROSS JOIN docs d ON d.id = v.doc_id WHERE v.revision > ?"
)
_BATCH = 1_000
_GROWTH = 1.25
_PASSAGE = np.dtype([("id", np.int64), ("time", np.float64), ("label", np.int32)])


@dataclass(slots=True, weakref_slot=True)
class VectorMatrix:
    """The vectors of one database file at a revision. Any thread may use it.

    ``vectors`` and ``passages`` have a row for each vector, and room for more; ``places`` says which is whose. A label
    is a combination of scope, origin and source: there are as many as sessions.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    model: tuple[str, int] = ("", 0)
    revision: int = -1
    vectors: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    passages: NDArray[Any] = field(default_factory=lambda: np.empty(0, _PASSAGE))
    places: dict[int, int] = field(default_factory=dict)
    labels: dict[tuple[str, ...], int] = field(default_factory=dict)

    def read(self, database: Database) -> tuple[str, int]:
        """Bring it to what the database holds now, and return its model and dimension."""
        with self.lock, database.reading():
            revision = database.revision()
            if revision == self.revision:
                return self.model
            model = database.vector_model()
            if model != self.model:
                self.model, self.revision, self.places = model, -1, {}
                self.vectors = np.empty((0, model[1]), np.float32)
                self.passages = np.empty(0, _PASSAGE)
            rows = database.connection.execute(_CHANGED, (self.revision,))
            while block := list(islice(rows, _BATCH)):
                self._write(block)
            ids = query(database.connection, "SELECT doc_id FROM vectors")
            if len(self.places) != len(ids):
                self._keep({row_id for (row_id,) in ids})
            self.revision = revision
            return self.model

    def nearest(self, vector: NDArray[np.float32], asked: Query, limit: int) -> dict[int, float]:
        """Return the ids of what passes the filters and is most similar, with the cosine."""
        with self.lock:
            size = len(self.places)
            # Not by ``@``, which shares the work among cores, and waits for those that have other work.
            cosines = np.einsum("ij,j->i", self.vectors[:size], vector)
            if (allowed := self._allowed(asked)) is not None:
                cosines = np.where(allowed, cosines, -np.inf)
            best = np.argpartition(-cosines, limit)[:limit] if size > limit else np.arange(size)
            found = zip(self.passages["id"][best].tolist(), cosines[best].tolist(), strict=True)
            return {row_id: cosine for row_id, cosine in found if cosine > -np.inf}

    def similarity(self, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""
        with self.lock:
            present_ids = [row_id for row_id in ids if row_id in self.places]
            cosines = np.einsum("ij,j->i", self.vectors[[self.places[row_id] for row_id in present_ids]], vector)
            return dict(zip(present_ids, cosines.tolist(), strict=True))

    def _allowed(self, asked: Query) -> NDArray[np.bool_] | None:
        masks, passages = [], self.passages[: len(self.places)]
        if asked.scope != Scope() or asked.origins or asked.sources:
            passing = [_passes(label, asked) for label in self.labels]
            if not all(passing):
                masks.append(np.array(passing)[passages["label"]])
        if asked.since is not None:
            masks.append(passages["time"] >= timestamp(asked.since))
        if asked.until is not None:
            masks.append(passages["time"] <= timestamp(asked.until))
        return np.logical_and.reduce(masks) if masks else None

    def _write(self, block: Sequence[tuple[Any, ...]]) -> None:
        at = [self.places.setdefault(row_id, len(self.places)) for _, row_id, *_ in block]
        if (missing := len(self.places) - len(self.passages)) > 0:
            more = missing + int((_GROWTH - 1) * len(self.places))
            self.vectors = np.concatenate([self.vectors, np.empty((more, self.model[1]), np.float32)])
            self.passages = np.concatenate([self.passages, np.empty(more, _PASSAGE)])
        self.vectors[at] = np.frombuffer(b"".join(row[0] for row in block), np.float32).reshape(len(block), -1)
        self.passages[at] = [
            (row_id, np.nan if time is None else time, self.labels.setdefault(tuple(label), len(self.labels)))
            for _, row_id, time, *label in block
        ]

    def _keep(self, ids: set[int]) -> None:
        """Drop what is not among some ids."""
        kept = [place for row_id, place in self.places.items() if row_id in ids]
        self.vectors[: len(kept)] = self.vectors[kept]
        self.passages[: len(kept)] = self.passages[kept]
        self.places = {row_id: place for place, row_id in enumerate(self.passages["id"][: len(kept)].tolist())}


def _passes(label: tuple[str, ...], asked: Query) -> bool:
    *scope, origin, source = label
    return (
        asked.scope.allows(Scope(**dict(zip(SCOPE_FIELDS, scope, strict=True))))
        and (not asked.origins or origin in asked.origins)
        and (not asked.sources or source in asked.sources)
    )


_shared_lock = threading.Lock()
_shared: "weakref.WeakValueDictionary[tuple[int, int], VectorMatrix]" = weakref.WeakValueDictionary()


def matrix_of(database: Database) -> VectorMatrix:
    """Return the matrix of a database's file, which its connections share; while one is open no other has its inode."""
    status = database.path.stat()
    with _shared_lock:
        return _shared.setdefault((status.st_dev, status.st_ino), VectorMatrix())
