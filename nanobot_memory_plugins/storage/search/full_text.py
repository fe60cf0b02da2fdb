"""Questions to the full-text index."""

from collections.abc import Sequence
from typing import Any

import apsw

from nanobot_memory_plugins.core.values import Query, Tier
from nanobot_memory_plugins.storage.database.connection import query as run
from nanobot_memory_plugins.storage.database.connection import scalar
from nanobot_memory_plugins.storage.search.filters import sql_filter
from nanobot_memory_plugins.storage.segmentation import match_expression

# The columns of a row as `document_from_row` takes them are the database's business; these are its own words for them.
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

    def allowed(self, query: Query) -> list[int] | None:
        """Return the row ids that pass the query's filters, or None when it has none."""
        conditions, values = sql_filter(query)
        if not conditions:
            return None
        return [row[0] for row in run(self._connection, f"SELECT d.id FROM docs d WHERE {conditions}", values)]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many documents each term stands."""
        marks = ", ".join("?" * len(terms))
        sql = f"SELECT term, doc FROM temp.docs_vocabulary WHERE term IN ({marks})"
        return dict(run(self._connection, sql, list(terms))) if terms else {}

    def documents(self) -> int:
        """Return how many documents there are."""
        return int(scalar(self._connection, "SELECT count(*) FROM docs"))
