"""Rows of the index, read over one connection."""

from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from nanobot_memory_plugins.core import Query
from nanobot_memory_plugins.storage.database.connection import query as run
from nanobot_memory_plugins.storage.document_rows import DOCUMENT_COLUMNS, CandidateRow, storable
from nanobot_memory_plugins.storage.filters import sql_filter

# SQLite's default number of bound values in one statement is larger; this keeps the statements few and small.
_AT_ONCE = 400
_COLUMNS = "d.id, d.body_terms, d.head_terms, " + ", ".join(
    f"d.{column.strip()}" for column in DOCUMENT_COLUMNS.split(",")
)


class Rows:
    """Reads rows over one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def by_ids(self, ids: Iterable[int]) -> list[CandidateRow]:
        """Return the rows with these ids, in the ids' order; deleted ones are missing."""
        row_ids = list(ids)
        found: dict[int, CandidateRow] = {}
        for start in range(0, len(row_ids), _AT_ONCE):
            part = row_ids[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            found |= {row.id: row for row in self._read_rows(f"FROM docs d WHERE d.id IN ({marks})", part)}
        return [found[row_id] for row_id in row_ids if row_id in found]

    def around(self, rows: Sequence[CandidateRow]) -> list[CandidateRow]:
        """Return the passages directly before and after some, in the same file."""
        places = dict.fromkeys((row.path, row.ordinal + step) for row in rows for step in (-1, 1) if row.id)
        if not places:
            return []
        marks = ", ".join(["(?, ?)"] * len(places))
        sql = f"FROM (VALUES {marks}) w JOIN docs d ON d.path = w.column1 AND d.ordinal = w.column2"
        return self._read_rows(sql, [value for place in places for value in place])

    def newest(self, query: Query, limit: int) -> list[CandidateRow]:
        """Return what passes a query's filters, the newest first; what has no time fills what is left, if it passes."""
        conditions, values = sql_filter(query)
        where = f"d.timestamp IS NOT NULL{' AND ' + conditions if conditions else ''}"
        # Of each source the newest: an index has them in this order, where all passages would have to be sorted.
        newest = (
            f"SELECT d.timestamp, d.path, d.ordinal, d.id FROM docs d WHERE d.source = ? AND {where} "
            "ORDER BY d.timestamp DESC, d.path DESC, d.ordinal DESC LIMIT ?"
        )
        sources = [source for (source,) in run(self._connection, "SELECT DISTINCT source FROM docs", ())]
        found = [row for source in sources for row in run(self._connection, newest, [source, *values, limit])]
        ids = [row_id for *_, row_id in sorted(found, reverse=True)[:limit]]
        if len(ids) < limit and query.since is None and query.until is None:
            # The index on source and time has these, too, and each source's are together.
            timeless = f"SELECT d.id FROM docs d WHERE d.source = ? AND {where.replace('NOT NULL', 'NULL', 1)} LIMIT ?"
            for source in sources:
                ids += [row_id for (row_id,) in run(self._connection, timeless, [source, *values, limit - len(ids)])]
        return self.by_ids(ids)

    def by_key(self, key: str) -> CandidateRow | None:
        """Return the row with this key."""
        return next(iter(self._read_rows("FROM docs d WHERE d.key = ?", [storable(key)])), None)

    def _read_rows(self, source: str, values: Sequence[Any]) -> list[CandidateRow]:
        return list(map(CandidateRow._make, run(self._connection, f"SELECT {_COLUMNS} {source}", values)))
