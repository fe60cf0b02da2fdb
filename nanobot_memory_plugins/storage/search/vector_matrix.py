"""The vectors of the active space, resident as one matrix.

sqlite-vec keeps the vectors durably; comparing them in memory is some fifteen times faster. The matrix follows the
index: every search asks for its revision, which costs one small query, and reads only what has changed.
"""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.storage.database import Database, VectorSpace
from nanobot_memory_plugins.storage.database import spaces as stored


class VectorMatrix:
    """Cosine similarity to the documents of one index. It belongs to one thread at a time, as its database does.

    What was added is seen by the next search, whoever wrote it; rows of deleted documents go at the latest after
    ``ttl`` seconds, and are never returned, because their document is gone.
    """

    def __init__(self, database: Database, clock: Clock, *, ttl: float) -> None:
        self._database = database
        self._clock = clock
        self._ttl = ttl
        self._space: VectorSpace | None = None
        self._revision = -1
        self._loaded_at = 0.0
        self._ids: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._rows: NDArray[np.float32] = np.empty((0, 0), dtype=np.float32)
        self._places: dict[int, int] = {}

    def nearest(
        self, space: str, vector: Sequence[float], *, limit: int, among: Collection[int] | None = None
    ) -> dict[int, float]:
        """Return the row ids of the most similar documents with their cosine; none when the space is not active.

        ``among`` restricts the search to those row ids.
        """
        self._refresh(space)
        if not len(self._ids):
            return {}
        similarities = self._rows @ np.asarray(vector, dtype=np.float32)
        places = np.arange(len(self._ids))
        if among is not None:
            places = np.nonzero(np.isin(self._ids, np.fromiter(among, dtype=np.int64)))[0]
            similarities = similarities[places]
        if len(places) > limit:
            best = np.argpartition(-similarities, limit)[:limit]
            places, similarities = places[best], similarities[best]
        return dict(zip(self._ids[places].tolist(), similarities.tolist(), strict=True))

    def similarity(self, ids: Sequence[int], vector: Sequence[float]) -> dict[int, float]:
        """Return the cosine of some documents that have a vector."""
        known = [(row_id, self._places[row_id]) for row_id in ids if row_id in self._places]
        if not known:
            return {}
        similarities = self._rows[[place for _, place in known]] @ np.asarray(vector, dtype=np.float32)
        return {row_id: float(value) for (row_id, _), value in zip(known, similarities, strict=True)}

    def _refresh(self, space: str) -> None:
        """Bring the matrix to the index's revision."""
        wanted = next((one for one in self._database.vector_spaces() if one.active and one.name == space), None)
        if wanted is None or wanted != self._space:
            self._space = wanted
            self._clear()
        if wanted is None:
            return
        revision = self._database.vector_revision()
        if revision == self._revision:
            return
        now = self._clock.monotonic()
        if now - self._loaded_at > self._ttl:
            self._clear()
        self._add(wanted)
        if self._revision < 0:
            self._loaded_at = now
        self._revision = revision

    def _clear(self) -> None:
        self._revision = -1
        self._ids = np.empty(0, dtype=np.int64)
        self._rows = np.empty((0, 0), dtype=np.float32)
        self._places = {}

    def _add(self, space: VectorSpace) -> None:
        """Read what has changed since our revision, and put it in the place of older rows or at the end."""
        changed = list(
            stored.read(self._database.connection, space, self._database.vector_backend, after_revision=self._revision)
        )
        if not changed:
            return
        fresh = np.frombuffer(b"".join(vector for _, vector in changed), dtype=np.float32).reshape(len(changed), -1)
        new = [place for place, (row_id, _) in enumerate(changed) if row_id not in self._places]
        if len(self._ids) and len(new) < len(changed):
            rows = self._rows.copy()
            for place, (row_id, _) in enumerate(changed):
                if row_id in self._places:
                    rows[self._places[row_id]] = fresh[place]
            self._rows = rows
        if new:
            start = len(self._ids)
            ids = np.array([changed[place][0] for place in new], dtype=np.int64)
            self._rows = np.concatenate([self._rows, fresh[new]]) if start else np.ascontiguousarray(fresh[new])
            self._ids = np.concatenate([self._ids, ids])
            self._places.update({int(row_id): start + place for place, row_id in enumerate(ids)})
