"""The vectors of a space at one moment, in memory, with what queries filter by."""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Query, Scope
from nanobot_memory_plugins.core.values import Whose
from nanobot_memory_plugins.storage.database import VectorSpace
from nanobot_memory_plugins.storage.filters import SCOPE_FIELDS, WHOSE_FIELDS, wanted_of
from nanobot_memory_plugins.storage.search.vector_codes import COMPARED_FOR_EACH, VectorCodes
from nanobot_memory_plugins.storage.timestamps import timestamp

FILTERED = (*SCOPE_FIELDS, "origin", "source")
# What has changed is kept apart until it is this share of the whole, or more than this: then both are made one again.
_TAIL_SHARE, _LONGEST_TAIL = 16, 2_048
# When the whole has grown by this factor at once, its centre is taken anew.
_GROWTH = 1.5


class Labels:
    """Numbers for the combinations of `FILTERED` that occur: as many as sessions, not as documents. Any thread's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: dict[tuple[str, ...], int] = {}
        self._codes: tuple[dict[str, int], ...] = tuple({} for _ in FILTERED)
        self._table = np.empty((0, len(FILTERED)), dtype=np.int32)

    def of(self, rows: Sequence[tuple[str, ...]]) -> NDArray[np.int32]:
        """Return the number of each row's combination."""
        with self._lock:
            return np.array([self._numbers.setdefault(row, len(self._numbers)) for row in rows], dtype=np.int32)

    def allowed(self, query: Query) -> NDArray[np.bool_] | None:
        """Return for each number whether its combination passes the query's filters; None when there are none."""
        ways = _ways(query)
        if ways is None:
            return None
        with self._lock:
            table, codes = self._grown_table(), self._codes
            allowed = np.zeros(len(table), dtype=np.bool_)
            for way in ways:
                fits = np.ones(len(table), dtype=np.bool_)
                for column, name in enumerate(FILTERED):
                    if name in way:
                        fits &= np.isin(table[:, column], [codes[column].get(value, -1) for value in way[name]])
                allowed |= fits
            return allowed

    def _grown_table(self) -> NDArray[np.int32]:
        known = len(self._table)
        if known < len(self._numbers):
            new = [
                [code.setdefault(value, len(code)) for code, value in zip(self._codes, row, strict=True)]
                for row in list(self._numbers)[known:]
            ]
            self._table = np.concatenate([self._table, np.array(new, dtype=np.int32)])
        return self._table


@dataclass(frozen=True, slots=True, eq=False)
class VectorPart:
    """Vectors by rising row id. ``times`` are seconds since 1970, NaN without a time."""

    ids: NDArray[np.int64]
    codes: VectorCodes
    labels: NDArray[np.int32]
    times: NDArray[np.float64]

    @classmethod
    def of(
        cls, ids: NDArray[np.int64], codes: VectorCodes, labels: NDArray[np.int32], times: NDArray[np.float64]
    ) -> "VectorPart":
        """Make a part of vectors in any order; those whose ids rise already are not copied."""
        if len(ids) < 2 or bool((ids[1:] > ids[:-1]).all()):
            return cls(ids, codes, labels, times)
        order = np.argsort(ids)
        nothing = np.empty(0, dtype=np.intp)
        return cls(ids[order], codes.joined(order, codes, nothing), labels[order], times[order])

    def joined(self, mine: NDArray[np.intp], other: "VectorPart", theirs: NDArray[np.intp]) -> "VectorPart":
        """Return some of these vectors with some of another part's."""
        return VectorPart.of(
            np.concatenate([self.ids[mine], other.ids[theirs]]),
            self.codes.joined(mine, other.codes, theirs),
            np.concatenate([self.labels[mine], other.labels[theirs]]),
            np.concatenate([self.times[mine], other.times[theirs]]),
        )

    def without(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the places of the vectors that have none of some ids."""
        alive = np.ones(len(self.ids), dtype=np.bool_)
        places, _ = self.find(ids)
        alive[places] = False
        return np.flatnonzero(alive)

    def find(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the places of those of some ids that are here, and which of them are."""
        places = np.searchsorted(self.ids, ids)
        here = np.zeros(len(ids), dtype=np.bool_)
        within = places < len(self.ids)
        here[within] = self.ids[places[within]] == ids[within]
        return places[here], here


@dataclass(frozen=True, slots=True, eq=False)
class VectorSnapshot:
    """The vectors of a space at a revision. Never changed, only replaced.

    ``tail`` holds what has changed since ``base`` was read, and ``alive`` says what of the base is still so.
    """

    space: VectorSpace
    revision: int
    base: VectorPart
    tail: VectorPart
    alive: NDArray[np.bool_]

    @classmethod
    def of(cls, space: VectorSpace, revision: int, base: VectorPart) -> "VectorSnapshot":
        """Return a snapshot without a tail."""
        nothing = np.empty(0, dtype=np.intp)
        empty = VectorPart(
            base.ids[:0], base.codes.joined(nothing, base.codes, nothing), base.labels[:0], base.times[:0]
        )
        return cls(space, revision, base, empty, np.ones(len(base.ids), dtype=np.bool_))

    def __len__(self) -> int:
        """Return how many vectors there are."""
        return int(np.count_nonzero(self.alive)) + len(self.tail.ids)

    def with_changes(self, revision: int, changed: VectorPart, alive_ids: NDArray[np.int64] | None) -> "VectorSnapshot":
        """Return what this becomes with some vectors new or changed; of the others, ``alive_ids`` are still there."""
        alive = self.alive.copy()
        alive[self.base.find(changed.ids)[0]] = False
        tail = self.tail.joined(self.tail.without(changed.ids), changed, np.arange(len(changed.ids)))
        if alive_ids is not None:
            alive &= np.isin(self.base.ids, alive_ids)
            kept = np.flatnonzero(np.isin(tail.ids, alive_ids))
            tail = tail.joined(kept, tail, np.empty(0, dtype=np.intp))
        moved = len(tail.ids) + len(alive) - int(np.count_nonzero(alive))
        if moved > max(_LONGEST_TAIL, len(alive) // _TAIL_SHARE):
            whole = self.base.joined(np.flatnonzero(alive), tail, np.arange(len(tail.ids)))
            if len(whole.ids) > _GROWTH * len(alive):
                whole = replace(whole, codes=whole.codes.with_own_centre())
            return VectorSnapshot.of(self.space, revision, whole)
        return replace(self, revision=revision, tail=tail, alive=alive)

    def nearest(
        self, vector: NDArray[np.float32], labels: NDArray[np.bool_] | None, query: Query, limit: int
    ) -> dict[int, float]:
        """Return the row ids that pass the filters and are most similar, with their cosine."""
        ids: list[NDArray[np.int64]] = []
        cosines: list[NDArray[np.float32]] = []
        for part, alive in ((self.base, self.alive), (self.tail, None)):
            places = part.codes.likely(vector, _allowed(part, alive, labels, query), COMPARED_FOR_EACH * limit)
            ids.append(part.ids[places])
            cosines.append(part.codes.cosines(vector, places))
        row_ids, similarities = np.concatenate(ids), np.concatenate(cosines)
        if len(row_ids) > limit:
            best = np.argpartition(-similarities, limit)[:limit]
            row_ids, similarities = row_ids[best], similarities[best]
        return dict(zip(row_ids.tolist(), similarities.tolist(), strict=True))

    def similarity(self, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""
        wanted = np.array(ids, dtype=np.int64)
        found: dict[int, float] = {}
        for part, alive in ((self.base, self.alive), (self.tail, None)):
            places, here = part.find(wanted)
            known = wanted[here]
            if alive is not None:
                living = alive[places]
                places, known = places[living], known[living]
            found |= zip(known.tolist(), part.codes.cosines(vector, places).tolist(), strict=True)
        return found


def _allowed(
    part: VectorPart, alive: NDArray[np.bool_] | None, labels: NDArray[np.bool_] | None, query: Query
) -> NDArray[np.bool_] | None:
    """Return which vectors of a part pass the query's filters; None when all do."""
    masks = []
    if alive is not None and not alive.all():
        masks.append(alive)
    if labels is not None:
        masks.append(labels[part.labels])
    if query.since is not None:
        masks.append(part.times >= timestamp(query.since))
    if query.until is not None:
        masks.append(part.times <= timestamp(query.until))
    return np.logical_and.reduce(masks) if masks else None


def _ways(query: Query) -> list[Mapping[str, Collection[str]]] | None:
    """Return in which ways a combination passes the query's filters, as the values of each; None when all pass.

    It is what `sql_filter` says in SQL.
    """
    common: dict[str, Collection[str]] = {}
    if query.origins:
        common["origin"] = {origin.value for origin in query.origins}
    if query.sources:
        common["source"] = query.sources
    scope = query.scope
    if isinstance(scope, Scope):
        common |= {name: {value} for name in SCOPE_FIELDS if (value := getattr(scope, name))}
        return [common] if common else None
    common["agent"] = {"", scope.agent}
    if scope.is_everything:
        return [common]
    return [{**common, **{name: {""} for name in WHOSE_FIELDS}}, *({**common, **_only(one)} for one in scope.whose)]


def _only(one: Whose) -> dict[str, Collection[str]]:
    return {name: {value} for name, value in wanted_of(one).items()}
