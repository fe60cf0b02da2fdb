"""The search side of the SQLite index: FTS5, rows, and the matrix of vectors."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.core import Level, Query, Tier
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import COLUMN_NAMES, INDEX_COLUMNS, Document
from nanobot_memory_plugins.storage.filters import sql_conditions
from nanobot_memory_plugins.storage.search.searcher import Meaning, ScoredDocument, SearchIndex
from nanobot_memory_plugins.storage.search.vector_matrix import VectorMatrix, matrix_of
from nanobot_memory_plugins.storage.segmentation import match_expression
from nanobot_memory_plugins.storage.sqlite import fetch_all, fetch_value

# Some 190,000 vectors of the built-in model. With sqlite-vec, more are compared on disk.
RESIDENT_BYTES = 400_000_000
_FLOAT_BYTES = 4
# With filters, this multiple of the limit is tried among the most similar passages before all passages are filtered.
_FILTER_FACTOR = 4
_COLUMNS = ", ".join(f'd."{name}"' for name in (*COLUMN_NAMES, *INDEX_COLUMNS))
_TAGS = "(SELECT lower(value) AS value FROM json_each(tags)) t"


class SqliteIndex(SearchIndex):
    """The index over one database, for one thread at a time.

    If the vectors take more than ``resident_bytes`` they stay on disk, where sqlite-vec compares them.
    """

    def __init__(self, database: Database, *, resident_bytes: int = RESIDENT_BYTES) -> None:
        self._database = database
        self._connection = database.connection
        self._resident_bytes = resident_bytes
        self._matrix: VectorMatrix = matrix_of(database)
        self.level = Level.HYBRID if database.has_vec else Level.NUMPY
        # Lists for each term how many documents contain it; a temporary table of this connection.
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.docs_vocabulary USING fts5vocab('main', 'docs_fts', 'row')"
        )

    def documents(self) -> int:
        return int(fetch_value(self._connection, "SELECT count(*) FROM docs"))

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        sql = f"SELECT term, doc FROM temp.docs_vocabulary WHERE term IN ({_placeholders(terms)})"
        return dict(fetch_all(self._connection, sql, terms))

    def candidates(
        self, query: Query, terms: Sequence[str], meaning: Meaning | None, limit: int, neighbour_seeds: int
    ) -> list[ScoredDocument]:
        by_words = self._best_by_words(terms, query, limit)
        by_meaning = self._nearest(meaning, query, limit) if meaning is not None else []
        best = {*by_words, *by_meaning}
        first = {*by_words[:neighbour_seeds], *by_meaning[:neighbour_seeds]}
        around = (
            "SELECT n.id FROM docs f JOIN docs n ON n.path = f.path AND n.ordinal IN (f.ordinal - 1, f.ordinal + 1) "
            f"WHERE f.id IN ({_placeholders(first)})"
        )
        rows = self._read_rows(
            f"FROM docs d WHERE d.id IN ({_placeholders(best)}) OR d.id IN ({around})", [*best, *first]
        )
        return self._with_cosines(rows, meaning if by_meaning else None)

    def newest(self, query: Query, limit: int) -> list[Document]:
        conditions, values = _filter(query)
        source = f"FROM docs d WHERE TRUE {conditions} ORDER BY timestamp DESC, path DESC, ordinal DESC LIMIT ?"
        return self._read_rows(source, [*values, limit])

    def by_key(self, key: str) -> Document | None:
        return next(iter(self._read_rows("FROM docs d WHERE d.key = ?", [clean_markdown(key)])), None)

    def _best_by_words(self, terms: Sequence[str], query: Query, limit: int) -> list[int]:
        if not terms:
            return []
        expression = match_expression(terms)
        if query.tier is Tier.LIGHT:
            expression = f"{{head_terms}} : ({expression})"
        conditions, values = _filter(query)
        join = "JOIN docs d ON d.id = docs_fts.rowid" if conditions else ""
        sql = f"SELECT docs_fts.rowid FROM docs_fts {join} WHERE docs_fts MATCH ? {conditions} ORDER BY rank LIMIT ?"
        return [row_id for (row_id,) in fetch_all(self._connection, sql, [expression, *values, limit])]

    def _nearest(self, meaning: Meaning, query: Query, limit: int) -> list[int]:
        model = meaning.model, len(meaning.vector)
        if self._database.vector_model() != model:
            return []
        conditions, values = _filter(query)
        if not self._are_resident(len(meaning.vector)):
            return list(self._nearest_on_disk(meaning, limit, conditions, values)) if self._database.has_vec else []
        if self._matrix.read(self._database) != model:
            return []
        if not conditions:
            return self._matrix.nearest(meaning.vector, None, limit)
        best = self._matrix.nearest(meaning.vector, None, _FILTER_FACTOR * limit)
        marks = ", ".join(["(?)"] * len(best))
        sql = f"SELECT id FROM (VALUES {marks}) w CROSS JOIN docs ON id = w.column1 WHERE TRUE {conditions}"
        passing = fetch_all(self._connection, sql, [*best, *values]) if best else []
        if len(passing) < limit:
            passing = fetch_all(self._connection, f"SELECT id FROM docs WHERE TRUE {conditions}", values)
        return self._matrix.nearest(meaning.vector, [row_id for (row_id,) in passing], limit)

    def _are_resident(self, dimension: int) -> bool:
        count = len(self._matrix.places) or self._database.counts()[1]
        return count * dimension * _FLOAT_BYTES <= self._resident_bytes

    def _with_cosines(self, rows: Sequence[Document], meaning: Meaning | None) -> list[ScoredDocument]:
        cosines: Mapping[int, float] = {}
        if meaning is not None:
            ids = [row.id for row in rows]
            if self._are_resident(len(meaning.vector)):
                cosines = self._matrix.cosines(meaning.vector, ids)
            else:
                cosines = self._nearest_on_disk(meaning, len(ids), f"AND v.doc_id IN ({_placeholders(ids)})", ids)
        return [(row, cosines.get(row.id, math.nan)) for row in rows]

    def _nearest_on_disk(
        self, meaning: Meaning, limit: int, conditions: str, values: Sequence[Any]
    ) -> dict[int, float]:
        """Return the cosines of the most similar documents by id, best first, computed on disk by sqlite-vec."""
        sql = (
            "SELECT v.doc_id, vec_distance_cosine(v.vector, ?) AS distance FROM vectors v JOIN docs d "
            f"ON d.id = v.doc_id WHERE distance IS NOT NULL {conditions} ORDER BY distance LIMIT ?"
        )
        rows = fetch_all(self._connection, sql, [meaning.vector.tobytes(), *values, limit])
        return {row_id: 1.0 - distance for row_id, distance in rows}

    def _read_rows(self, source: str, values: Sequence[Any]) -> list[Document]:
        return list(map(Document._make, fetch_all(self._connection, f"SELECT {_COLUMNS} {source}", values)))


def _filter(query: Query) -> tuple[str, list[Any]]:
    """Return the SQL conditions of a query, each after an AND, and their values."""
    values: list[Any] = []

    def placeholder(value: Any) -> str:
        values.append(clean_markdown(value) if isinstance(value, str) else value)
        return "?"

    return "".join(f" AND {condition}" for condition in sql_conditions(query, placeholder, _TAGS)), values


def _placeholders(values: Collection[Any]) -> str:
    return ", ".join("?" * len(values))
