"""What a search asks of the server: words in BM25's order, rows, and vectors, over one connection."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Query, Scope, Tier
from nanobot_memory_plugins.postgres.database.connection import Connection, TenantConnection, run, table
from nanobot_memory_plugins.postgres.database.growth import NEAREST_FROM
from nanobot_memory_plugins.postgres.database.passages import OF_MACHINE, row_columns, rows_of
from nanobot_memory_plugins.postgres.database.row_security import words_of
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.weights import question_of
from nanobot_memory_plugins.postgres.database.where import clean, of_tenant, passing, without_copies
from nanobot_memory_plugins.search.candidate_rows import CandidateRow
from nanobot_memory_plugins.search.segmentation import MAX_QUERY_TERMS

# Terms of a long query whose frequency is looked up.
_MOST_COMPARED = 300
# Rows of a large tenant that a query looks at: its rarest terms first. So many lose one of five hundred of the best
# hundred (facts in docs/postgres.md).
_MOST_ROWS = 8_000
# How far a search by the index over vectors looks: it finds 97 of the nearest hundred.
_WIDTH = 400


@dataclass
class ServerWords:
    """The full-text side of the shared memory, for one search."""

    connection: Connection
    whose: TenantOwner
    _known: dict[str, int] = field(default_factory=dict)
    _state: tuple[int, bool] | None = None

    def candidates(self, terms: Sequence[str], query: Query, limit: int) -> list[int]:
        """Return the ids of the best passages that hold any of the terms, by BM25."""
        found = self.frequencies(terms)
        if not found:
            return []
        tenant, documents = self.whose.tenant, self.documents()
        conditions, values = passing(tenant, query)
        hashed = {tenant.term(term): _idf(number, documents) for term, number in found.items()}
        conditions += f" AND {without_copies(tenant)}"
        values |= {"question": question_of(hashed), "limit": limit, "machine": self.whose.machine}
        source, score = f"{table('chunk')} c", "c.bm25 <#> %(question)s::sparsevec"
        if self._tenant()[1]:
            rarest = sorted(found, key=lambda term: found[term])
            kept = max(1, sum(place <= _MOST_ROWS for place in accumulate(found[term] for term in rarest)))
            values["terms"] = [tenant.term(term) for term in rarest[:kept]]
            if isinstance(self.connection, TenantConnection):
                source, score = words_of("c", "%(terms)s", "%(question)s"), "c.score"
            else:
                conditions += " AND c.large AND c.terms && %(terms)s::bigint[]"
        else:
            conditions += f" AND ({score}) < 0"
        if query.tier is Tier.LIGHT:
            values["head"] = list(found)
            conditions += " AND string_to_array(c.head_terms, ' ') && %(head)s::text[]"
        sql = f"SELECT c.id FROM {source} WHERE {conditions} ORDER BY {score}, c.id LIMIT %(limit)s"
        return [int(row[0]) for row in run(self.connection, sql, values)]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many passages each term stands; those that stand nowhere are missing."""
        missing = [term for term in dict.fromkeys(terms) if term not in self._known]
        if missing:
            hashed = [self.whose.tenant.term(term) for term in missing]
            counted = self._counted(hashed) if self._tenant()[1] else self._counted_now(hashed)
            self._known |= {term: counted.get(number, 0) for term, number in zip(missing, hashed, strict=True)}
        return {term: self._known[term] for term in terms if self._known[term] > 0}

    def telling(self, terms: Sequence[str]) -> tuple[str, ...]:
        """Return at most as many terms as a query may have: of more, the rarest that stand anywhere, in their order."""
        if len(terms) <= MAX_QUERY_TERMS:
            return tuple(terms)
        found = self.frequencies(terms[:_MOST_COMPARED])
        rarest = set(sorted(found, key=lambda term: found[term])[:MAX_QUERY_TERMS])
        return tuple(term for term in terms if term in rarest)

    def documents(self) -> int:
        """Return how many passages there are, on all machines together."""
        return self._tenant()[0]

    def _tenant(self) -> tuple[int, bool]:
        if self._state is None:
            sql = f"SELECT c.documents, c.large FROM {table('tenant')} c WHERE {of_tenant(self.whose.tenant, 'c')}"
            row = run(self.connection, sql).fetchone()
            self._state = (int(row[0]), bool(row[1])) if row else (0, False)
        return self._state

    def _counted(self, hashed: Sequence[int]) -> dict[int, int]:
        sql = (
            f"SELECT c.term, c.documents FROM {table('term')} c "
            f"WHERE {of_tenant(self.whose.tenant, 'c')} AND c.term = ANY(%s)"
        )
        return {int(row[0]): int(row[1]) for row in run(self.connection, sql, (list(hashed),))}

    def _counted_now(self, hashed: Sequence[int]) -> dict[int, int]:
        """Count in the rows of a small tenant: a table of its terms would be larger than its texts."""
        marks = [f"count(*) FILTER (WHERE (c.bm25 <#> '{question_of({term: 1.0})}'::sparsevec) < 0)" for term in hashed]
        sql = f"SELECT {', '.join(marks)} FROM {table('chunk')} c WHERE {of_tenant(self.whose.tenant, 'c')}"
        row = run(self.connection, sql).fetchone()
        return dict(zip(hashed, map(int, row), strict=True)) if row else {}


@dataclass
class ServerRows:
    """The passages of the shared memory as rows."""

    connection: Connection
    whose: TenantOwner

    def by_ids(self, ids: Iterable[int]) -> list[CandidateRow]:
        """Return the rows with these ids, in the ids' order; deleted ones are missing."""
        wanted = list(ids)
        if not wanted:
            return []
        source = f"{self._from()} AND {without_copies(self.whose.tenant)} AND c.id = ANY(%(ids)s)"
        found = {row.id: row for row in self._read(source, {"ids": wanted})}
        return [found[number] for number in wanted if number in found]

    def around(self, rows: Sequence[CandidateRow]) -> list[CandidateRow]:
        """Return the passages directly before and after some, in the same file of the same machine."""
        ids = [row.id for row in rows if row.id]
        if not ids:
            return []
        mine = of_tenant(self.whose.tenant, "a")
        source = (
            f"FROM {table('chunk')} a JOIN {table('chunk')} c ON {of_tenant(self.whose.tenant, 'c')} "
            "AND c.machine = a.machine AND c.path = a.path AND c.ordinal IN (a.ordinal - 1, a.ordinal + 1) "
            f"WHERE {mine} AND a.id = ANY(%(ids)s) AND {without_copies(self.whose.tenant)} "
            # Those that are as good as each other stay in this order, whatever plan finds them.
            "ORDER BY c.machine, c.path, c.ordinal"
        )
        return list({row.id: row for row in self._read(source, {"ids": ids})}.values())

    def newest(self, query: Query, limit: int) -> list[CandidateRow]:
        """Return what passes a query's filters, the newest first; what has no time fills what is left, if it passes."""
        conditions, values = passing(self.whose.tenant, query)
        passes = f"FROM {table('chunk')} c WHERE {conditions} AND {without_copies(self.whose.tenant)} "
        timed = 'AND c."timestamp" IS NOT NULL ORDER BY c."timestamp" DESC, c.path DESC, c.ordinal DESC LIMIT %(limit)s'
        rows = self._read(passes + timed, {**values, "limit": limit})
        if len(rows) < limit and query.since is None and query.until is None:
            timeless = 'AND c."timestamp" IS NULL ORDER BY c.path DESC, c.ordinal DESC LIMIT %(limit)s'
            rows += self._read(passes + timeless, {**values, "limit": limit - len(rows)})
        return rows

    def by_key(self, key: str) -> CandidateRow | None:
        """Return the row with this key; that of another machine's begins with its name."""
        machine, separator, rest = clean(key).partition(OF_MACHINE)
        is_foreign = bool(separator) and "/" not in machine
        number = self.whose.tenant.chunk(*((machine, rest) if is_foreign else (self.whose.machine, clean(key))))
        return next(iter(self.by_ids([number])), None)

    def _from(self) -> str:
        return f"FROM {table('chunk')} c WHERE {of_tenant(self.whose.tenant, 'c')}"

    def _read(self, source: str, values: dict[str, Any]) -> list[CandidateRow]:
        sql = f"SELECT {row_columns()} {source}"
        return rows_of(run(self.connection, sql, {**values, "machine": self.whose.machine}))


@dataclass(frozen=True, slots=True)
class ServerSpace:
    """The vectors of one model on the server."""

    number: int
    dimension: int
    is_indexed: bool = False


@dataclass
class ServerVectors:
    """The vectors of the shared memory: compared one by one where few are meant, which is exact."""

    connection: Connection
    whose: TenantOwner
    nearest_from: int = NEAREST_FROM

    def space(self, name: str, dimension: int) -> ServerSpace | None:
        """Return the space of a model, if this tenant has one that is whole."""
        sql = (
            f"SELECT s.number, t.documents >= %s FROM {table('space')} s "
            f"JOIN {table('active_space')} c ON c.number = s.number JOIN {table('tenant')} t ON t.tenant = c.tenant "
            f"WHERE {of_tenant(self.whose.tenant, 'c')} AND s.name = %s AND s.dimension = %s"
        )
        row = run(self.connection, sql, (self.nearest_from, name, dimension)).fetchone()
        return ServerSpace(int(row[0]), dimension, bool(row[1])) if row else None

    def nearest(self, space: ServerSpace, vector: NDArray[np.float32], query: Query, limit: int) -> dict[int, float]:
        """Return the ids of the passages that pass the filters and are most similar, with their cosine."""
        conditions, values = self._passing(query)
        mine = of_tenant(self.whose.tenant, "e")
        size = int(space.dimension)
        if space.is_indexed and _is_wide(query):
            by_index = self._nearest_by_index(space, vector, query, limit)
            if len(by_index) >= limit:
                return by_index  # else what many machines have copies of stands before all others
        compared = f"(e.vector::halfvec({size})) <#> %(vector)s::halfvec({size})"
        sql = (
            f"SELECT e.id, {compared} AS distance FROM {table('embedding')} e "
            f"JOIN {table('chunk')} c ON c.tenant = e.tenant AND c.id = e.id "
            f"WHERE {mine} AND e.space = {int(space.number)} AND e.vector IS NOT NULL AND {conditions} "
            # Not by the distance itself: an index of the tenant's would be taken, and give back forty.
            f"ORDER BY ({compared}) + 0 LIMIT %(limit)s"
        )
        found = run(self.connection, sql, {**values, "vector": _written(vector), "limit": limit})
        return {int(row[0]): -float(row[1]) for row in found}

    def _nearest_by_index(
        self, space: ServerSpace, vector: NDArray[np.float32], query: Query, limit: int
    ) -> dict[int, float]:
        """Do so by the tenant's index: of the nearest that it knows, those that pass the filters."""
        conditions, values = self._passing(query)
        size = int(space.dimension)
        compared = f"(e.vector::halfvec({size})) <#> %(vector)s::halfvec({size})"
        sql = (
            f"SELECT n.id, n.distance FROM (SELECT e.id, {compared} AS distance FROM {table('embedding')} e "
            f"WHERE {of_tenant(self.whose.tenant, 'e')} AND e.space = {int(space.number)} "
            f"ORDER BY {compared} LIMIT %(width)s) n JOIN {table('chunk')} c ON c.id = n.id "
            f"WHERE {conditions} AND n.distance IS NOT NULL ORDER BY n.distance LIMIT %(limit)s"
        )
        with self.connection.transaction():
            run(self.connection, f"SET LOCAL hnsw.ef_search = {_WIDTH}")
            found = run(
                self.connection, sql, {**values, "vector": _written(vector), "limit": limit, "width": _WIDTH}
            ).fetchall()
        return {int(row[0]): -float(row[1]) for row in found}

    def _passing(self, query: Query) -> tuple[str, dict[str, Any]]:
        conditions, values = passing(self.whose.tenant, query)
        return f"{conditions} AND {without_copies(self.whose.tenant)}", {**values, "machine": self.whose.machine}

    def similarity(self, space: ServerSpace, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some passages; those without a vector are missing."""
        size = int(space.dimension)
        sql = (
            f"SELECT c.id, c.vector <#> %s::halfvec({size}) FROM {table('embedding')} c "
            f"WHERE {of_tenant(self.whose.tenant, 'c')} AND c.space = {int(space.number)} "
            "AND c.vector IS NOT NULL AND c.id = ANY(%s)"
        )
        wanted = [number for number in ids if number]
        return {int(row[0]): -float(row[1]) for row in run(self.connection, sql, (_written(vector), wanted))}


def _is_wide(query: Query) -> bool:
    """Tell whether a query asks for nearly everything: of a narrow one the index would find hardly anything."""
    scope = query.scope
    is_everything = scope == Scope() if isinstance(scope, Scope) else scope.is_everything
    return is_everything and not (query.since or query.until or query.tags or query.origins or query.sources)


def _idf(number: int, documents: int) -> float:
    """Return the worth of a term that stands in a number of documents, as FTS5 has it."""
    return max(math.log((documents - number + 0.5) / (number + 0.5)), 1e-6) if number < documents else 1e-6


def _written(vector: NDArray[np.float32]) -> str:
    return "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"
