"""Questions to the full-text index."""

from collections.abc import Sequence
from typing import Any

import apsw

from nanobot_memory_plugins.core.values import Query, Tier
from nanobot_memory_plugins.storage.database.connection import query as run
from nanobot_memory_plugins.storage.database.connection import scalar
from nanobot_memory_plugins.storage.search.filters import sql_filter
from nanobot_memory_plugins.storage.segmentation import MAX_QUERY_TERMS, match_expression

# Terms of a long query whose frequency is looked up.
_MOST_COMPARED = 300
_HEAD_ONLY = "{head_terms} : "


class FullText:
    """The full-text side of one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        # Knows for each term in how many documents it stands; lives in this connection only.
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.docs_vocabulary USING fts5vocab('main', 'docs_fts', 'row')"
        )

    def candidates(self, terms: Sequence[str], query: Query, limit: int) -> list[int]:
        """Return the row ids of the best documents that hold any of the terms, by FTS5's BM25."""
        if not terms:
            return []
        expression = match_expression(tuple(terms))
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
        """Return in how many documents each term stands."""
        marks = ", ".join("?" * len(terms))
        sql = f"SELECT term, doc FROM temp.docs_vocabulary WHERE term IN ({marks})"
        return dict(run(self._connection, sql, list(terms))) if terms else {}

    def telling(self, terms: Sequence[str]) -> tuple[str, ...]:
        """Return at most as many terms as a query may have: of more, the rarest that stand anywhere, in their order."""
        if len(terms) <= MAX_QUERY_TERMS:
            return tuple(terms)
        found = self.frequencies(terms[:_MOST_COMPARED])
        rarest = set(sorted(found, key=lambda term: found[term])[:MAX_QUERY_TERMS])
        return tuple(term for term in terms if term in rarest)

    def documents(self) -> int:
        """Return how many documents there are."""
        return int(scalar(self._connection, "SELECT count(*) FROM docs"))
