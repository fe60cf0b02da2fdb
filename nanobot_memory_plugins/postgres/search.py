"""The shared memory as a search sees it: words in BM25's order, rows, and vectors, over one connection."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from nanobot_memory_plugins.core import Level, Query, Tier
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.postgres.connection import Connection, run
from nanobot_memory_plugins.postgres.passages import ROW_COLUMNS, Owner
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.filters import sql_conditions
from nanobot_memory_plugins.storage.question_terms import K1, B
from nanobot_memory_plugins.storage.search.searcher import Found, Meaning, SearchIndex

NO_COPIES: Final = "(c.machine = %(machine)s OR c.path <> 'memory/ENTRIES.md')"
"""Passages of entries are this machine's own: they are in the file of each, and are the same."""
# The collation lowers the letters a to z alone, as SQLite does.
_TAGS: Final = '(SELECT lower(v COLLATE "C") FROM jsonb_array_elements_text(tags::jsonb) v) AS t(value)'


class ServerIndex(SearchIndex):
    """The index over the shared memory, for one search.

    Vectors are compared one by one: that is exact, and fast enough for a tenant's own.
    """

    level = Level.HYBRID

    def __init__(self, connection: Connection, owner: Owner) -> None:
        self._connection = connection
        self._owner = owner
        self._known: dict[str, int] = {}
        # It is on its way with the statement before it, and looked at when it is needed.
        self._size = run(connection, "SELECT t.passages, t.terms FROM nanobot_memory.tenant t")

    def documents(self) -> int:
        return self._counted[0]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        missing = {self._owner.term(term): term for term in terms if term not in self._known}
        if missing:
            sql = "SELECT p.term, count(*) FROM nanobot_memory.posting p WHERE p.term = ANY(%s) GROUP BY p.term"
            found = {int(term): int(number) for term, number in run(self._connection, sql, (list(missing),))}
            self._known |= {term: found.get(hashed, 0) for hashed, term in missing.items()}
        return {term: self._known[term] for term in terms if self._known[term] > 0}

    def best_by_words(self, terms: Sequence[str], asked: Query, limit: int) -> list[int]:
        found = self.frequencies(terms)
        if not found:
            return []
        documents, average = self._counted
        conditions, values = self._filter(asked)
        if asked.tier is Tier.LIGHT:
            values["head"] = list(found)
            conditions += " AND string_to_array(c.head_terms, ' ') && %(head)s::text[]"
        sql = (
            "SELECT s.passage FROM (SELECT p.passage, sum(q.idf * p.count * (%(k)s + 1) "
            "/ (p.count + %(k)s * (1 - %(b)s + %(b)s * p.length / %(mean)s))) AS score "
            "FROM unnest(%(terms)s::bigint[], %(idf)s::float8[]) AS q(term, idf) "
            "JOIN nanobot_memory.posting p ON p.term = q.term GROUP BY p.passage) s "
            f"WHERE {_passing('s.passage', conditions)} ORDER BY s.score DESC, s.passage LIMIT %(limit)s"
        )
        values |= {
            "terms": [self._owner.term(term) for term in found],
            "idf": [_idf(number, documents) for number in found.values()],
            "mean": average,
            "k": K1,
            "b": B,
            "limit": limit,
        }
        return [int(row[0]) for row in run(self._connection, sql, values)]

    def nearest(self, meaning: Meaning, asked: Query, limit: int) -> list[int]:
        conditions, values = self._filter(asked)
        sql = (
            f"SELECT e.id FROM nanobot_memory.embedding e WHERE {_passing('e.id', conditions)} "
            "AND e.model = %(model)s ORDER BY e.vector <#> %(vector)s::halfvec LIMIT %(limit)s"
        )
        return [row[0] for row in run(self._connection, sql, {**values, **_written(meaning), "limit": limit})]

    def rows(self, ids: Sequence[int], meaning: Meaning | None) -> list[Found]:
        return self._read(f"WHERE {NO_COPIES} AND c.id = ANY(%(ids)s) ORDER BY c.id", {"ids": list(ids)}, meaning)

    def around(self, rows: Sequence[Document], meaning: Meaning | None) -> list[Found]:
        places = [(*self._owner.place(row.path), row.ordinal + step) for row in rows for step in (-1, 1)]
        if not places:
            return []
        machines, paths, ordinals = (list(column) for column in zip(*dict.fromkeys(places), strict=True))
        join = (
            "JOIN unnest(%(machines)s::text[], %(paths)s::text[], %(ordinals)s::int[]) AS w(machine, path, ordinal) "
            f"USING (machine, path, ordinal) WHERE {NO_COPIES} "
            # Those that are as good as each other stay in this order, whatever plan finds them.
            "ORDER BY c.machine, c.path, c.ordinal"
        )
        return self._read(join, {"machines": machines, "paths": paths, "ordinals": ordinals}, meaning)

    def newest(self, asked: Query, limit: int) -> list[Document]:
        conditions, values = self._filter(asked)
        order = 'c."timestamp" DESC NULLS LAST, c.path DESC, c.ordinal DESC'
        source = f"WHERE {conditions} ORDER BY {order} LIMIT %(limit)s"
        return [row for row, _ in self._read(source, {**values, "limit": limit})]

    def by_key(self, key: str) -> Document | None:
        """Return the row with this key; that of another machine's begins with its name."""
        machine, rest = self._owner.place(key)
        return next((row for row, _ in self.rows([self._owner.passage(rest, machine)], None)), None)

    @cached_property
    def _counted(self) -> tuple[int, float]:
        """How many passages there are, and how many terms they have in the mean."""
        passages, terms = self._size.fetchone() or (0, 0)
        return int(passages), terms / passages if passages and terms else 1.0

    def _filter(self, asked: Query) -> tuple[str, dict[str, Any]]:
        """Return the conditions that passages pass a query's filters, and their values."""
        values: dict[str, Any] = {"machine": self._owner.machine}

        def mark(value: Any) -> str:
            name = f"w{len(values)}"
            values[name] = clean_markdown(value) if isinstance(value, str) else value
            return f"%({name})s"

        return " AND ".join([NO_COPIES, *sql_conditions(asked, mark, _TAGS)]), values

    def _read(self, source: str, values: Mapping[str, Any], meaning: Meaning | None = None) -> list[Found]:
        cosine, compared = "'NaN'::float8", dict[str, str]()
        if meaning is not None:
            compared = _written(meaning)
            vectors = "FROM nanobot_memory.embedding e WHERE e.id = c.id AND e.model = %(model)s"
            cosine = f"coalesce((SELECT -(e.vector <#> %(vector)s::halfvec) {vectors}), {cosine})"
        sql = f"SELECT {cosine}, {ROW_COLUMNS} FROM nanobot_memory.passage c {source}"
        found = run(self._connection, sql, {**values, **compared, "machine": self._owner.machine})
        return [(Document._make(row), similarity) for similarity, *row in found.fetchall()]


def _passing(id_column: str, conditions: str) -> str:
    """Return the condition that passages meet some others; where all but copies do, none of them is looked up."""
    if conditions == NO_COPIES:
        return f"{id_column} NOT IN (SELECT c.id FROM nanobot_memory.passage c WHERE NOT {NO_COPIES})"
    return f"{id_column} IN (SELECT c.id FROM nanobot_memory.passage c WHERE {conditions})"


def _written(meaning: Meaning) -> dict[str, str]:
    """Return the values of a statement that compares vectors."""
    return {
        "model": meaning.model,
        "vector": "[" + ",".join(f"{number:.6g}" for number in meaning.vector.tolist()) + "]",
    }


def _idf(number: int, documents: int) -> float:
    """Return the weight of a term that occurs in a number of documents, as FTS5 computes it."""
    return max(math.log((documents - number + 0.5) / (number + 0.5)), 1e-6) if number < documents else 1e-6
