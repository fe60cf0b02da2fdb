"""The SQLite index as a search sees it: FTS5, rows, and the matrix of vectors."""

import itertools
from collections.abc import Iterable, Sequence
from heapq import nlargest
from operator import itemgetter
from typing import Any

from nanobot_memory_plugins.core import Level, Query, Tier
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import COLUMN_NAMES, INDEX_COLUMNS, Document, storable
from nanobot_memory_plugins.storage.filters import sql_conditions
from nanobot_memory_plugins.storage.search.searcher import Vector
from nanobot_memory_plugins.storage.search.vector_matrix import VectorMatrix, matrix_of
from nanobot_memory_plugins.storage.segmentation import match_expression
from nanobot_memory_plugins.storage.sqlite import query, scalar

# Some 190,000 vectors of the built-in model. More are compared on the disk, where sqlite-vec is there to do it.
RESIDENT_BYTES = 400_000_000
_FLOAT_BYTES = 4
# Places of terms that one query may read, one to two a microsecond: 100,000 passages seldom have so many of a query's
# terms. Of a million, the commonest terms of a query are left out beyond it.
_MOST_PLACES = 100_000
# From so many documents on, counts are kept until there are a hundredth more: counting a million takes a tenth of a
# second, and the weight of a term changes by a thousandth.
_COUNTED_ANEW_BELOW, _GROWTH = 5_000, 100
_MOST_KEPT = 50_000
_COLUMNS = ", ".join(f'd."{name}"' for name in (*COLUMN_NAMES, *INDEX_COLUMNS))
_TAGS = "(SELECT lower(value) AS value FROM json_each(tags)) t"


class SqliteIndex:
    """The `SearchIndex` over one database. It belongs to one thread at a time, as its database does.

    Vectors that take more than ``resident_bytes`` stay on the disk, where sqlite-vec compares them.
    """

    def __init__(self, database: Database, *, resident_bytes: int = RESIDENT_BYTES) -> None:
        self._database = database
        self._connection = database.connection
        self._resident_bytes = resident_bytes
        self._matrix: VectorMatrix = matrix_of(database)
        self._documents = 0
        self._newest = 0
        self._frequencies: dict[str, int] = {}
        self.level = Level.HYBRID if database.has_vec else Level.NUMPY
        # Knows for each term how many documents contain it; lives in this connection only.
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.docs_vocabulary USING fts5vocab('main', 'docs_fts', 'row')"
        )

    def documents(self) -> int:
        """Return how many documents there are; of many, as of when they were counted last."""
        newest = scalar(self._connection, "SELECT max(id) FROM docs") or 0
        if self._documents < _COUNTED_ANEW_BELOW or abs(newest - self._newest) * _GROWTH > self._documents:
            self._documents = int(scalar(self._connection, "SELECT count(*) FROM docs"))
            self._newest = newest
            self._frequencies = {}
        return self._documents

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many documents contain each term; those that none contains are missing."""
        keep = self.documents() >= _COUNTED_ANEW_BELOW
        known = self._frequencies if keep else {}
        missing = [term for term in terms if term not in known]
        if missing:
            sql = f"SELECT term, doc FROM temp.docs_vocabulary WHERE term IN ({_marks(missing)})"
            known = known | dict.fromkeys(missing, 0) | dict(query(self._connection, sql, missing))
            if keep and len(known) <= _MOST_KEPT:
                self._frequencies = known
        return {term: known[term] for term in terms if known[term]}

    def best_by_words(self, terms: Sequence[str], asked: Query, limit: int) -> list[int]:
        """Return the row ids of the best documents that hold any of the terms, by FTS5's BM25."""
        if not terms:
            return []
        expression = match_expression(self._affordable(terms))
        if asked.tier is Tier.LIGHT:
            expression = f"{{head_terms}} : ({expression})"
        conditions, values = _filter(asked)
        join = "JOIN docs d ON d.id = docs_fts.rowid" if conditions else ""
        sql = f"SELECT docs_fts.rowid FROM docs_fts {join} WHERE docs_fts MATCH ? {conditions} ORDER BY rank LIMIT ?"
        return [row_id for (row_id,) in query(self._connection, sql, [expression, *values, limit])]

    def can_compare(self, model: str, dimension: int) -> bool:
        """Tell whether there are vectors of a model that can be compared now."""
        if self._database.vector_model() != (model, dimension):
            return False
        if not self._are_resident(dimension):
            return self._database.has_vec
        return self._matrix.read(self._database) == (model, dimension)

    def nearest(self, model: str, vector: Vector, asked: Query, limit: int) -> dict[int, float]:
        """Return the row ids of the documents that pass the query's filters and are most similar, with their cosine."""
        if not self._are_resident(len(vector)):
            return self._nearest_on_disk(vector, limit, *_filter(asked))
        if asked.tags:  # those of few: what has them is compared
            conditions, values = _filter(asked)
            ids = [
                row_id for (row_id,) in query(self._connection, f"SELECT id FROM docs WHERE TRUE {conditions}", values)
            ]
            return dict(nlargest(limit, self._matrix.similarity(vector, ids).items(), key=itemgetter(1)))
        return self._matrix.nearest(vector, asked, limit)

    def similarity(self, model: str, vector: Vector, ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""
        if not self._are_resident(len(vector)):
            return self._nearest_on_disk(vector, len(ids), f"AND v.doc_id IN ({_marks(ids)})", ids)
        return self._matrix.similarity(vector, ids)

    def rows(self, ids: Iterable[int]) -> list[Document]:
        """Return the rows with these ids, in the ids' order; deleted ones are missing."""
        row_ids = list(ids)
        found = {row.id: row for row in self._read_rows(f"FROM docs d WHERE d.id IN ({_marks(row_ids)})", row_ids)}
        return [found[row_id] for row_id in row_ids if row_id in found]

    def around(self, rows: Sequence[Document]) -> list[Document]:
        """Return the passages directly before and after some, in the same file."""
        places = dict.fromkeys((row.path, row.ordinal + step) for row in rows for step in (-1, 1))
        if not places:
            return []
        marks = ", ".join(["(?, ?)"] * len(places))
        sql = f"FROM (VALUES {marks}) w JOIN docs d ON d.path = w.column1 AND d.ordinal = w.column2"
        return self._read_rows(sql, [value for place in places for value in place])

    def newest(self, asked: Query, limit: int) -> list[Document]:
        """Return what passes a query's filters, the newest first; what has no time fills what is left, if it passes."""
        conditions, values = _filter(asked)
        sql = f"SELECT id FROM docs WHERE TRUE {conditions} ORDER BY timestamp DESC, path DESC, ordinal DESC LIMIT ?"
        return self.rows(row_id for (row_id,) in query(self._connection, sql, [*values, limit]))

    def by_key(self, key: str) -> Document | None:
        """Return the row with this key."""
        return next(iter(self._read_rows("FROM docs d WHERE d.key = ?", [storable(key)])), None)

    def _affordable(self, terms: Sequence[str]) -> Sequence[str]:
        """Leave the commonest terms out when all of them occur in too many places together; the rarest stays."""
        if self.documents() <= _MOST_PLACES:
            return terms
        found = self.frequencies(terms)
        rarest = sorted(found, key=lambda term: found[term])
        places = list(itertools.accumulate(found[term] for term in rarest))
        kept = set(rarest[: max(1, sum(place <= _MOST_PLACES for place in places))])
        return [term for term in terms if term in kept] or terms

    def _are_resident(self, dimension: int) -> bool:
        held = len(self._matrix.places) or self._database.counts()[1]
        return held * dimension * _FLOAT_BYTES <= self._resident_bytes

    def _nearest_on_disk(self, vector: Vector, limit: int, conditions: str, values: Sequence[Any]) -> dict[int, float]:
        """Return what is most similar, compared by sqlite-vec where it is stored."""
        sql = (
            "SELECT v.doc_id, vec_distance_cosine(v.vector, ?) AS distance FROM vectors v JOIN docs d "
            f"ON d.id = v.doc_id WHERE distance IS NOT NULL {conditions} ORDER BY distance LIMIT ?"
        )
        found = query(self._connection, sql, [vector.tobytes(), *values, limit])
        return {row_id: 1.0 - distance for row_id, distance in found}

    def _read_rows(self, source: str, values: Sequence[Any]) -> list[Document]:
        return list(map(Document._make, query(self._connection, f"SELECT {_COLUMNS} {source}", values)))


def _filter(asked: Query) -> tuple[str, list[Any]]:
    """Return the conditions of a query, to follow others, and their values."""
    values: list[Any] = []

    def mark(value: Any) -> str:
        values.append(storable(value) if isinstance(value, str) else value)
        return "?"

    return "".join(f" AND {condition}" for condition in sql_conditions(asked, mark, _TAGS)), values


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
