"""The search side of the shared memory: BM25, rows and vectors over one connection."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from psycopg import Cursor
from psycopg.rows import TupleRow

from nanobot_memory_plugins.core import Level, Query, Tier
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.postgres.connection import Connection, run
from nanobot_memory_plugins.postgres.passages import ROW_COLUMNS, Owner
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.filters import sql_conditions
from nanobot_memory_plugins.storage.question_terms import K1, B
from nanobot_memory_plugins.storage.search.searcher import Meaning, ScoredDocument, SearchIndex

NO_COPIES: Final = "(c.machine = %(machine)s OR c.path <> 'memory/ENTRIES.md')"
"""Passages of scored entries are searched only as this machine's own: every machine has the same ones."""
# The collation lowers only the letters A to Z, as SQLite does.
_TAGS: Final = '(SELECT lower(v COLLATE "C") FROM jsonb_array_elements_text(tags::jsonb) v) AS t(value)'
_FREQUENCIES: Final = (
    "SELECT t.passages, f.* FROM nanobot_memory.tenant t LEFT JOIN (SELECT p.term, count(*) "
    "FROM nanobot_memory.posting p WHERE p.term = ANY(%s) GROUP BY p.term) f ON true"
)
# BM25 as FTS5 computes it, negated: better passages have smaller values, as nearer vectors do.
_WORDS: Final = f"""
SELECT s.id, s.value FROM (
  SELECT p.passage AS id, -sum(
    greatest(ln(greatest((t.passages - p.number)::float8, 0) + 0.5) - ln(p.number::float8 + 0.5), 1e-6)
    * p.count * {K1 + 1} / (p.count + {K1} * ({1 - B} + {B} * p.length * t.passages / t.terms::float8))
  ) AS value
  FROM (
    SELECT p.*, count(*) OVER (PARTITION BY p.term) AS number FROM nanobot_memory.posting p
    WHERE p.term = ANY(%(terms)s)
  ) p CROSS JOIN nanobot_memory.tenant t GROUP BY p.passage
) s"""
_NEAREST: Final = (
    "SELECT s.id, s.vector <#> %(vector)s::halfvec AS value FROM nanobot_memory.embedding s WHERE s.model = %(model)s"
)
# OFFSET 0 forces one index scan per passage, whatever the server's statistics say about the length of a file.
_AROUND: Final = """
SELECT n.id FROM nanobot_memory.passage f CROSS JOIN LATERAL (
  SELECT n.id FROM nanobot_memory.passage n
  WHERE n.machine = f.machine AND n.path = f.path AND n.ordinal IN (f.ordinal - 1, f.ordinal + 1) OFFSET 0
) n WHERE f.id = ANY(ARRAY({first}))"""


class ServerIndex(SearchIndex):
    """The index over the shared memory, for one search.

    It compares all vectors of the tenant, which is exact, and fast enough.
    """

    level = Level.HYBRID

    def __init__(self, connection: Connection, owner: Owner) -> None:
        self._connection = connection
        self._owner = owner
        self._frequencies: dict[int, int] = {}
        self._documents = 0
        # Results of pipelined statements, which are read when they are needed.
        self._pending_results: list[Cursor[TupleRow]] = []

    def documents(self) -> int:
        self.frequencies(())
        return self._documents

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        self._request_frequencies(terms)
        while self._pending_results:
            for documents, hashed, number in self._pending_results.pop():
                self._documents, self._frequencies[hashed] = documents, number
        return {term: number for term in terms if (number := self._frequencies[self._owner.term_hash(term)])}

    def candidates(
        self, query: Query, terms: Sequence[str], meaning: Meaning | None, limit: int, neighbour_seeds: int
    ) -> list[ScoredDocument]:
        self._request_frequencies(terms)
        conditions, values = self._filter(query)
        best = {"words": f"{_WORDS} WHERE {_filter_condition(conditions)}"}
        values |= {"terms": list(map(self._owner.term_hash, terms)), "limit": limit, "neighbour_seeds": neighbour_seeds}
        if query.tier is Tier.LIGHT:
            values["head"] = list(terms)
            head = f"{conditions} AND string_to_array(c.head_terms, ' ') && %(head)s::text[]"
            best = {"words": f"{_WORDS} WHERE {_filter_condition(head)}"}
        if meaning is not None:
            best["nearest"] = f"{_NEAREST} AND {_filter_condition(conditions)}"
        order = "ORDER BY value, id LIMIT"
        selections = (f"{name} AS MATERIALIZED ({sql} {order} %(limit)s)" for name, sql in best.items())
        first = " UNION ALL ".join(f"(SELECT id FROM {name} {order} %(neighbour_seeds)s)" for name in best)
        ids = " UNION ALL ".join([*(f"SELECT id FROM {name}" for name in best), _AROUND.format(first=first)])
        # Equally good documents are in this order, whatever the query plan.
        source = f"WHERE {NO_COPIES} AND c.id = ANY(ARRAY({ids})) ORDER BY c.id"
        return self._read(source, values, meaning, f"WITH {', '.join(selections)} ")

    def newest(self, query: Query, limit: int) -> list[Document]:
        conditions, values = self._filter(query)
        order = 'c."timestamp" DESC NULLS LAST, c.path DESC, c.ordinal DESC'
        source = f"WHERE {conditions} ORDER BY {order} LIMIT %(limit)s"
        return [row for row, _ in self._read(source, {**values, "limit": limit})]

    def by_key(self, key: str) -> Document | None:
        """Return the document with this key, which begins with the name of another machine if it is not this one."""
        machine, rest = self._owner.locate(key)
        values = {"id": self._owner.passage_id(rest, machine)}
        return next((row for row, _ in self._read(f"WHERE {NO_COPIES} AND c.id = %(id)s", values)), None)

    def _request_frequencies(self, terms: Sequence[str]) -> None:
        """Request the number of passages, and of those that contain each new term, without waiting for the answer."""
        missing = [hashed for hashed in map(self._owner.term_hash, terms) if hashed not in self._frequencies]
        if missing or not self._frequencies:
            self._frequencies |= dict.fromkeys(missing, 0)
            self._pending_results.append(run(self._connection, _FREQUENCIES, (missing,)))

    def _filter(self, query: Query) -> tuple[str, dict[str, Any]]:
        """Return the SQL conditions of a query's filters, and their values."""
        values: dict[str, Any] = {"machine": self._owner.machine}

        def placeholder(value: Any) -> str:
            name = f"w{len(values)}"
            values[name] = clean_markdown(value) if isinstance(value, str) else value
            return f"%({name})s"

        return " AND ".join([NO_COPIES, *sql_conditions(query, placeholder, _TAGS)]), values

    def _read(
        self, source: str, values: Mapping[str, Any], meaning: Meaning | None = None, with_clause: str = ""
    ) -> list[ScoredDocument]:
        cosine, compared = "'NaN'::float8", dict[str, str]()
        if meaning is not None:
            compared = _vector_values(meaning)
            vectors = "FROM nanobot_memory.embedding e WHERE e.id = c.id AND e.model = %(model)s"
            cosine = f"coalesce((SELECT -(e.vector <#> %(vector)s::halfvec) {vectors}), {cosine})"
        sql = f"{with_clause}SELECT {cosine}, {ROW_COLUMNS} FROM nanobot_memory.passage c {source}"
        cursor = run(self._connection, sql, {**values, **compared, "machine": self._owner.machine})
        return [(Document._make(row), similarity) for similarity, *row in cursor.fetchall()]


def _filter_condition(conditions: str) -> str:
    """Return the condition that passages ``s`` meet ``conditions``; without filters only the copies are looked up."""
    if conditions == NO_COPIES:
        return f"s.id NOT IN (SELECT c.id FROM nanobot_memory.passage c WHERE NOT {NO_COPIES})"
    return f"s.id IN (SELECT c.id FROM nanobot_memory.passage c WHERE {conditions})"


def _vector_values(meaning: Meaning) -> dict[str, str]:
    """Return the parameters of a statement that compares vectors."""
    return {
        "model": meaning.model,
        "vector": "[" + ",".join(f"{number:.6g}" for number in meaning.vector.tolist()) + "]",
    }
