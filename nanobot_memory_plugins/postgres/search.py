"""What a search asks of the server: words in BM25's order, rows, and vectors, over one connection."""

import math
import re
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Query, Scope, Tier
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.postgres.connection import Connection, clean, run
from nanobot_memory_plugins.postgres.passages import ROW_COLUMNS, Owner
from nanobot_memory_plugins.storage.bm25 import K1, B
from nanobot_memory_plugins.storage.document_rows import CandidateRow
from nanobot_memory_plugins.storage.documents import timestamp
from nanobot_memory_plugins.storage.filters import SCOPE_FIELDS, WHOSE_FIELDS, wanted_of
from nanobot_memory_plugins.storage.segmentation import MAX_QUERY_TERMS

NO_COPIES: Final = "(c.machine = %(machine)s OR c.path <> 'memory/ENTRIES.md')"
"""Passages of entries are this machine's own: they are in the file of each, and are the same."""
_WILD, _ESCAPED = re.compile(r"[\\%_]"), r"\\\g<0>"
_UPPER, _LOWER = string.ascii_uppercase, string.ascii_lowercase


def passing(query: Query, machine: str) -> tuple[str, dict[str, Any]]:
    """Return the conditions that passages pass a query's filters, and their values."""
    values = _Values({"machine": machine})
    parts = [NO_COPIES, *_scope(query.scope, values)]
    allowed = {
        "origin": sorted(origin.value for origin in query.origins),
        "source": sorted(map(clean, query.sources)),
    }
    parts += [
        f"c.{column} = ANY({values.add(allowed_values)})"
        for column, allowed_values in allowed.items()
        if allowed_values
    ]
    if query.since is not None:
        parts.append(f'c."timestamp" >= {values.add(timestamp(query.since))}')
    if query.until is not None:
        parts.append(f'c."timestamp" <= {values.add(timestamp(query.until))}')
    if query.tags:
        folded = [clean(tag).translate(str.maketrans(_UPPER, _LOWER)) for tag in sorted(query.tags)]
        below = [f"{_WILD.sub(_ESCAPED, tag)}/%" for tag in folded]
        lowered = f"translate(t, '{_UPPER}', '{_LOWER}')"
        parts.append(
            "EXISTS (SELECT 1 FROM jsonb_array_elements_text(c.tags::jsonb) t "
            f"WHERE {lowered} = ANY({values.add(folded)}) OR {lowered} LIKE ANY({values.add(below)}))"
        )
    return " AND ".join(parts), values.named


class _Values:
    """The values of conditions, each under a name of its own."""

    def __init__(self, named: dict[str, Any]) -> None:
        self.named = named

    def add(self, value: Any) -> str:
        """Return the placeholder of a value."""
        name = f"w{len(self.named)}"
        self.named[name] = value
        return f"%({name})s"


def _scope(scope: Scope | Visibility, values: _Values) -> Iterator[str]:
    """Yield what `Scope.allows` and `Visibility.allows` say."""
    if isinstance(scope, Scope):
        for name in SCOPE_FIELDS:
            if value := getattr(scope, name):
                yield f'c."{name}" = {values.add(clean(value))}'
        return
    yield f"c.agent = ANY({values.add(['', clean(scope.agent)])})"
    if scope.is_everything:
        return
    ways = [" AND ".join(f"c.\"{name}\" = ''" for name in WHOSE_FIELDS)]
    ways += [
        " AND ".join(f'c."{name}" = {values.add(clean(value))}' for name, value in wanted_of(owner).items())
        for owner in scope.owners
    ]
    yield f"({' OR '.join(f'({way})' for way in ways)})"


# Terms of a long query whose frequency is looked up.
_MOST_COMPARED = 300


@dataclass
class ServerWords:
    """The full-text side of the shared memory, for one search."""

    connection: Connection
    owner: Owner
    _known: dict[str, int] = field(default_factory=dict)
    _size: tuple[int, float] | None = None

    def candidates(self, terms: Sequence[str], query: Query, limit: int) -> list[int]:
        """Return the ids of the best passages that hold any of the terms, by BM25."""
        found = self.frequencies(terms)
        if not found:
            return []
        documents, average = self._counted()
        conditions, values = passing(query, self.owner.machine)
        if query.tier is Tier.LIGHT:
            values["head"] = list(found)
            conditions += " AND string_to_array(c.head_terms, ' ') && %(head)s::text[]"
        sql = (
            "SELECT c.id FROM (SELECT p.passage, sum(q.idf * p.count * (%(k)s + 1) "
            "/ (p.count + %(k)s * (1 - %(b)s + %(b)s * p.length / %(mean)s))) AS score "
            "FROM unnest(%(terms)s::bigint[], %(idf)s::float8[]) AS q(term, idf) "
            "JOIN nanobot_memory.posting p ON p.term = q.term GROUP BY p.passage) s "
            f"JOIN nanobot_memory.passage c ON c.id = s.passage WHERE {conditions} "
            "ORDER BY s.score DESC, c.id LIMIT %(limit)s"
        )
        values |= {
            "terms": [self.owner.term(term) for term in found],
            "idf": [_idf(number, documents) for number in found.values()],
            "mean": average,
            "k": K1,
            "b": B,
            "limit": limit,
        }
        return [int(row[0]) for row in run(self.connection, sql, values)]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many passages contain each term; those that none contains are missing."""
        missing = {self.owner.term(term): term for term in terms if term not in self._known}
        if missing:
            sql = "SELECT p.term, count(*) FROM nanobot_memory.posting p WHERE p.term = ANY(%s) GROUP BY p.term"
            found = {int(term): int(number) for term, number in run(self.connection, sql, (list(missing),))}
            self._known |= {term: found.get(hashed, 0) for hashed, term in missing.items()}
        return {term: self._known[term] for term in terms if self._known[term] > 0}

    def telling(self, terms: Sequence[str]) -> tuple[str, ...]:
        """Return at most as many terms as a query may have: of more, the rarest that occur anywhere, in their order."""
        if len(terms) <= MAX_QUERY_TERMS:
            return tuple(terms)
        found = self.frequencies(terms[:_MOST_COMPARED])
        rarest = set(sorted(found, key=lambda term: found[term])[:MAX_QUERY_TERMS])
        return tuple(term for term in terms if term in rarest)

    def documents(self) -> int:
        """Return how many passages there are, on all machines together."""
        return self._counted()[0]

    def _counted(self) -> tuple[int, float]:
        """Return how many passages there are, and how many terms they have in the mean."""
        if self._size is None:
            row = run(self.connection, "SELECT t.passages, t.terms FROM nanobot_memory.tenant t").fetchone()
            passages, terms = row or (0, 0)
            self._size = int(passages), terms / passages if passages and terms else 1.0
        return self._size


@dataclass
class ServerRows:
    """The passages of the shared memory as rows."""

    connection: Connection
    owner: Owner

    def by_ids(self, ids: Iterable[int]) -> list[CandidateRow]:
        """Return the rows with these ids, in the ids' order; deleted ones are missing."""
        numbers = list(ids)
        if not numbers:
            return []
        found = {row.id: row for row in self._read_rows(f"WHERE {NO_COPIES} AND c.id = ANY(%(ids)s)", {"ids": numbers})}
        return [found[number] for number in numbers if number in found]

    def around(self, rows: Sequence[CandidateRow]) -> list[CandidateRow]:
        """Return the passages directly before and after some, in the same file of the same machine."""
        places = [(*self.owner.place(row.path), row.ordinal + step) for row in rows for step in (-1, 1) if row.id]
        if not places:
            return []
        machines, paths, ordinals = (list(column) for column in zip(*dict.fromkeys(places), strict=True))
        join = (
            "JOIN unnest(%(machines)s::text[], %(paths)s::text[], %(ordinals)s::int[]) AS w(machine, path, ordinal) "
            f"USING (machine, path, ordinal) WHERE {NO_COPIES} "
            # Those that are as good as each other stay in this order, whatever plan finds them.
            "ORDER BY c.machine, c.path, c.ordinal"
        )
        return self._read_rows(join, {"machines": machines, "paths": paths, "ordinals": ordinals})

    def newest(self, query: Query, limit: int) -> list[CandidateRow]:
        """Return what passes a query's filters, the newest first; what has no time fills what is left, if it passes."""
        conditions, values = passing(query, self.owner.machine)
        timed = 'AND c."timestamp" IS NOT NULL ORDER BY c."timestamp" DESC, c.path DESC, c.ordinal DESC LIMIT %(limit)s'
        rows = self._read_rows(f"WHERE {conditions} {timed}", {**values, "limit": limit})
        if len(rows) < limit and query.since is None and query.until is None:
            timeless = 'AND c."timestamp" IS NULL ORDER BY c.path DESC, c.ordinal DESC LIMIT %(limit)s'
            rows += self._read_rows(f"WHERE {conditions} {timeless}", {**values, "limit": limit - len(rows)})
        return rows

    def by_key(self, key: str) -> CandidateRow | None:
        """Return the row with this key; that of another machine's begins with its name."""
        machine, rest = self.owner.place(key)
        number = self.owner.passage(rest, machine)
        return next(iter(self.by_ids([number])), None)

    def _read_rows(self, source: str, values: dict[str, Any]) -> list[CandidateRow]:
        sql = f"SELECT {ROW_COLUMNS} FROM nanobot_memory.passage c {source}"
        return [CandidateRow._make(row) for row in run(self.connection, sql, {**values, "machine": self.owner.machine})]


@dataclass
class ServerVectors:
    """The vectors of the shared memory, compared one by one: that is exact, and fast enough for a tenant's own."""

    connection: Connection
    owner: Owner

    def can_compare(self, model: str, dimension: int) -> bool:
        """Tell whether anything has a vector of a model."""
        sql = "SELECT EXISTS (SELECT 1 FROM nanobot_memory.embedding e WHERE e.model = %s)"
        row = run(self.connection, sql, (model,)).fetchone()
        return bool(row and row[0])

    def nearest(self, model: str, vector: NDArray[np.float32], query: Query, limit: int) -> dict[int, float]:
        """Return the ids of the passages that pass the filters and are most similar, with their cosine."""
        conditions, values = passing(query, self.owner.machine)
        return self._compared(
            model, vector, f"JOIN nanobot_memory.passage c ON c.id = e.id WHERE {conditions}", values, limit
        )

    def similarity(self, model: str, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some passages; those without a vector are missing."""
        numbers = [number for number in ids if number]
        return self._compared(model, vector, "WHERE e.id = ANY(%(ids)s)", {"ids": numbers}, len(numbers))

    def _compared(
        self, model: str, vector: NDArray[np.float32], source: str, values: dict[str, Any], limit: int
    ) -> dict[int, float]:
        sql = (
            f"SELECT e.id, e.vector <#> %(vector)s::halfvec AS distance FROM nanobot_memory.embedding e {source} "
            "AND e.model = %(model)s AND e.vector IS NOT NULL ORDER BY distance LIMIT %(limit)s"
        )
        written = "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"
        found = run(self.connection, sql, {**values, "vector": written, "model": model, "limit": limit})
        return {int(row[0]): -float(row[1]) for row in found}


def _idf(number: int, documents: int) -> float:
    """Return the weight of a term that occurs in a number of documents, as FTS5 computes it."""
    return max(math.log((documents - number + 0.5) / (number + 0.5)), 1e-6) if number < documents else 1e-6
