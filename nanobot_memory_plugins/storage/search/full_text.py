"""Questions to the full-text index."""

import itertools
from collections.abc import Sequence
from typing import Any

import apsw

from nanobot_memory_plugins.core import Query, Tier
from nanobot_memory_plugins.storage.database.connection import query as run
from nanobot_memory_plugins.storage.database.connection import scalar
from nanobot_memory_plugins.storage.filters import sql_filter
from nanobot_memory_plugins.storage.segmentation import MAX_QUERY_TERMS, match_expression

# Terms of a long query whose frequency is looked up.
_MOST_COMPARED = 300
# Places of terms that one query may read, one to two a microsecond: 100,000 passages seldom have so many of a query's
# terms. Of a million, the commonest terms of a query are left out beyond it.
_MOST_PLACES = 100_000
# From so many documents on, counts are kept until there are a hundredth more: counting a million takes a tenth of a
# second, and the weight of a term changes by a thousandth.
_COUNTED_ANEW_BELOW, _GROWTH = 5_000, 100
_MOST_KEPT = 50_000
_HEAD_ONLY = "{head_terms} : "


class FullText:
    """The full-text side of one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._documents = 0
        self._newest = 0
        self._frequencies: dict[str, int] = {}
        # Knows for each term how many documents contain it; lives in this connection only.
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.docs_vocabulary USING fts5vocab('main', 'docs_fts', 'row')"
        )

    def candidates(self, terms: Sequence[str], query: Query, limit: int) -> list[int]:
        """Return the row ids of the best documents that hold any of the terms, by FTS5's BM25."""
        if not terms:
            return []
        expression = match_expression(self._affordable(terms))
        if query.tier is Tier.LIGHT:
            expression = f"{_HEAD_ONLY}({expression})"
        conditions, values = sql_filter(query)
        sql = "SELECT docs_fts.rowid FROM docs_fts"
        arguments: list[Any] = [expression]
        if conditions:
            sql += " JOIN docs d ON d.id = docs_fts.rowid"
            arguments += values
        sql += f" WHERE docs_fts MATCH ? {'AND ' + conditions if conditions else ''} ORDER BY rank LIMIT ?"
        return [row[0] for row in run(self._connection, sql, [*arguments, limit])]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many documents contain each term; those that none contains are missing."""
        keep = self.documents() >= _COUNTED_ANEW_BELOW
        known = self._frequencies if keep else {}
        missing = [term for term in terms if term not in known]
        if missing:
            marks = ", ".join("?" * len(missing))
            sql = f"SELECT term, doc FROM temp.docs_vocabulary WHERE term IN ({marks})"
            found = dict.fromkeys(missing, 0) | dict(run(self._connection, sql, missing))
            if keep and len(known) + len(found) <= _MOST_KEPT:
                known |= found
            else:
                known = known | found
        return {term: known[term] for term in terms if known[term]}

    def telling(self, terms: Sequence[str]) -> tuple[str, ...]:
        """Return at most as many terms as a query may have: of more, the rarest that occur anywhere, in their order."""
        if len(terms) <= MAX_QUERY_TERMS:
            return tuple(terms)
        found = self.frequencies(terms[:_MOST_COMPARED])
        rarest = set(sorted(found, key=lambda term: found[term])[:MAX_QUERY_TERMS])
        return tuple(term for term in terms if term in rarest)

    def documents(self) -> int:
        """Return how many documents there are; of many, as of when they were counted last."""
        newest = scalar(self._connection, "SELECT max(id) FROM docs") or 0
        if self._documents < _COUNTED_ANEW_BELOW or abs(newest - self._newest) * _GROWTH > self._documents:
            self._documents = int(scalar(self._connection, "SELECT count(*) FROM docs"))
            self._newest = newest
            self._frequencies = {}
        return self._documents

    def _affordable(self, terms: Sequence[str]) -> tuple[str, ...]:
        """Leave the commonest terms out when all of them occur in too many places together; the rarest stays."""
        if self.documents() <= _MOST_PLACES:
            return tuple(terms)
        found = self.frequencies(terms)
        rarest = sorted(found, key=lambda term: found[term])
        places = list(itertools.accumulate(found[term] for term in rarest))
        kept = set(rarest[: max(1, sum(place <= _MOST_PLACES for place in places))])
        return tuple(term for term in terms if term in kept) or tuple(terms)
