"""The vectors of the active space, resident as codes.

sqlite-vec keeps the vectors durably; comparing them in memory is some thirty times faster. The codes follow the index:
every search asks for its revision, which costs one small query, and reads only what has changed. The connections of
one process share them. Many vectors are read by a thread of its own, and until it has done so searches are by words.
"""

import threading
import weakref
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from heapq import nlargest
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Clock, Query, logger
from nanobot_memory_plugins.storage.database import Database, Moment, VectorBackend, VectorSpace
from nanobot_memory_plugins.storage.database import spaces as stored
from nanobot_memory_plugins.storage.database.connection import query as run
from nanobot_memory_plugins.storage.filters import sql_filter
from nanobot_memory_plugins.storage.search.vector_codes import bytes_for
from nanobot_memory_plugins.storage.search.vector_loading import LoadingEndedError, read_changes, read_snapshot
from nanobot_memory_plugins.storage.search.vector_snapshot import Labels, VectorSnapshot

# Some 270,000 vectors of the built-in model. What is beyond is not held.
RESIDENT_BYTES = 300_000_000
# Vectors that are not held are compared where they are stored as long as that takes some hundredths of a second.
COMPARED_ON_DISK_BYTES = 41_000_000
# Vectors that a search reads itself: they take it some hundredths of a second. More are left to a thread, which the
# search waits for as long as it can be spared from the limit of a recall.
_READ_AT_ONCE = 4_096
_PATIENCE = 0.1
# Seconds until vectors that could not be read are tried again.
_RETRY = 30.0


@dataclass(slots=True, weakref_slot=True)
class _Shared:
    """What the searchers of one database file have in common."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    snapshot: VectorSnapshot | None = None
    loaded_at: float = 0.0
    retry_at: float = float("-inf")
    loading: threading.Thread | None = None
    labels: Labels = field(default_factory=Labels)
    counted: tuple[VectorSpace, int, int] | None = None  # how many vectors there were at which revision


_shared_lock = threading.Lock()
_shared: "weakref.WeakValueDictionary[tuple[int, int, str], _Shared]" = weakref.WeakValueDictionary()


def _shared_by(database: Database) -> _Shared:
    """Return what belongs to the file that the database has open, and not to a copy or to another one in its place."""
    status = database.path.stat()
    with _shared_lock:
        return _shared.setdefault((status.st_dev, status.st_ino, database.identity()), _Shared())


class VectorMatrix:
    """Cosine similarity to the documents of one index. It belongs to one thread at a time, as its database does.

    What was written is seen by the next search, whoever wrote it; when it is more than some thousand vectors, as soon
    as a thread has read them, about a second for 100,000. A program that writes vectors without counting a revision is
    noticed after at most ``ttl`` seconds. Vectors whose codes take more than ``resident_bytes`` are not held.
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
        found = next((one for one in spaces if one.active and (one.name, one.dimension) == (name, dimension)), None)
        if found is None or (self._snapshot(found) is None and not self._is_small(found)):
            return None
        return found

    def nearest(self, space: VectorSpace, vector: NDArray[np.float32], query: Query, limit: int) -> dict[int, float]:
        """Return the row ids of the documents that pass the query's filters and are most similar, with their cosine.

        The choice is near to exact where there are many, see `VectorCodes`; the cosines are.
        """
        if query.tags:  # those of few: what has them is compared
            conditions, values = sql_filter(query)
            rows = run(self._database.connection, f"SELECT d.id FROM docs d WHERE {conditions}", values)
            found = self.similarity(space, vector, [row[0] for row in rows])
            return dict(nlargest(limit, found.items(), key=itemgetter(1)))
        snapshot = self._snapshot(space)
        if snapshot is not None:
            return snapshot.nearest(vector, self._shared.labels.allowed(query), query, limit)
        if not self._is_small(space):
            return {}
        connection, backend = self._database.connection, self._database.vector_backend
        return stored.nearest(connection, space, backend, vector, limit, sql_filter(query))

    def similarity(self, space: VectorSpace, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""
        snapshot = self._snapshot(space)
        if snapshot is not None:
            return snapshot.similarity(vector, ids)
        if not self._is_small(space):
            return {}
        pairs = stored.read(self._database.connection, space, self._database.vector_backend, only=ids)
        return {row_id: float(np.frombuffer(blob, np.float32) @ vector) for row_id, blob in pairs}

    def _is_small(self, space: VectorSpace) -> bool:
        """Tell whether vectors that are not held can be compared where they are stored."""
        count = self._count(space, self._database.moment().revision)
        return count * space.dimension * 4 <= COMPARED_ON_DISK_BYTES

    def _count(self, space: VectorSpace, revision: int) -> int:
        """Return how many vectors there are. Counting a million takes longer than a search by words."""
        known = self._shared.counted
        if known is None or known[:2] != (space, revision):
            known = self._shared.counted = (space, revision, stored.count(self._database.connection, space))
        return known[2]

    def _snapshot(self, space: VectorSpace) -> VectorSnapshot | None:
        """Return the vectors as they are now; None while they are being read, and when they are too many to be held."""
        database, shared = self._database, self._shared
        moment, now = database.moment(), self._clock.monotonic()
        seen, self._seen = self._seen, moment
        self._foreign |= seen is not None and seen.version != moment.version and seen.commits == moment.commits
        with shared.lock:
            known = shared.snapshot if shared.snapshot and shared.snapshot.space == space else None
            anew = known is None or (self._foreign and now - shared.loaded_at >= self._ttl)
            if known is not None and not anew and known.revision >= moment.revision:
                return known
            if bytes_for(self._count(space, moment.revision), space.dimension) > self._resident_bytes:
                shared.snapshot = None
                return None
            after = known.revision if known is not None and not anew else -1
            if stored.count(database.connection, space, after_revision=after) <= _READ_AT_ONCE:
                if known is None or anew:
                    shared.snapshot = read_snapshot(database, space, shared.labels)
                    shared.loaded_at, self._foreign = now, False
                else:
                    shared.snapshot = read_changes(database, known, shared.labels, moment.revision)
                return shared.snapshot
            if anew:
                shared.loaded_at, self._foreign = now, False
            loading = self._begin_loading(space, now)
        if loading is not None:
            loading.join(_PATIENCE)
        # What is still being read is not there; what is a little old is better than nothing.
        newest = shared.snapshot
        return newest if newest is not None and newest.space == space else None

    def _begin_loading(self, space: VectorSpace, now: float) -> threading.Thread | None:
        """Let a thread read the whole space, unless one does. The lock is held."""
        shared = self._shared
        if shared.loading is not None and shared.loading.is_alive():
            return shared.loading
        if now < shared.retry_at:
            return None
        shared.retry_at = now + _RETRY
        # It ends soon after the last searcher is gone, and the interpreter waits for it.
        database = self._database
        what = (weakref.ref(shared), database.path, database.vector_backend is VectorBackend.VEC0, space)
        shared.loading = threading.Thread(target=_load, args=what, name="nanobot-memory-vectors")
        shared.loading.start()
        return shared.loading


def _load(shared: "weakref.ref[_Shared]", path: Path, allow_vec: bool, space: VectorSpace) -> None:
    """Read a space over a connection of its own and put it into ``shared``, unless its file was replaced meanwhile."""
    target = shared()
    if target is None:
        return
    labels = target.labels
    del target
    try:
        with closing(Database.open(path, read_only=True, allow_vec=allow_vec)) as database:
            if _shared_by(database) is not shared():
                return
            snapshot = read_snapshot(database, space, labels, wanted=lambda: shared() is not None)
    except LoadingEndedError:
        return
    except Exception as error:  # searches go on by words, and it is tried again
        logger.warning("the vectors could not be read: {}", type(error).__name__)
        return
    target = shared()
    if target is not None:
        with target.lock:
            target.snapshot = snapshot
            target.retry_at = float("-inf")
