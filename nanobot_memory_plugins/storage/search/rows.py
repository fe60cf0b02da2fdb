"""Rows of the index as candidates of a search."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import apsw
import numpy as np

from nanobot_memory_plugins.core import Query, Scope, Tier
from nanobot_memory_plugins.search.candidates import Candidates
from nanobot_memory_plugins.search.documents import Document
from nanobot_memory_plugins.search.filters import passes_beside_scope, sql_filter
from nanobot_memory_plugins.search.indexed_text import storable
from nanobot_memory_plugins.search.lexical import LexicalScores
from nanobot_memory_plugins.search.scan import remembered
from nanobot_memory_plugins.storage.database.connection import query as run
from nanobot_memory_plugins.storage.database.rows import DOCUMENT_COLUMNS, document_from_row, document_values

# SQLite's default number of bound values in one statement is larger; this keeps the statements few and small.
_AT_ONCE = 400
_COLUMNS = "d.id, d.body_terms, d.head_terms, d.traits, " + ", ".join(
    f"d.{column.strip()}" for column in DOCUMENT_COLUMNS.split(",")
)
_DOCUMENT = slice(4, None)


class Row(NamedTuple):
    """A row as it is stored, with id 0 what is not in the index. Of hundreds, few are needed as documents."""

    id: int
    body: str
    head: str
    traits: int
    key: str
    path: str
    line: int
    offset: int
    ordinal: int
    source: str
    text: str
    content_hash: str
    origin: str
    agent: str
    user: str
    channel: str
    session: str
    group_chat: str
    project: str
    heading: str
    tldr: str
    tags: str
    speaker: str
    iso_time: str | None

    @classmethod
    def of(cls, document: Document) -> "Row":
        """Return a document that the index does not hold yet."""
        return cls(0, *remembered(document), *document_values(document))

    @property
    def document(self) -> Document:
        """The document that it stores."""
        return document_from_row(tuple(self)[_DOCUMENT])

    @property
    def time(self) -> datetime | None:
        """When it was said."""
        return datetime.fromisoformat(self.iso_time) if self.iso_time else None

    def terms(self, tier: Tier) -> str:
        """Return the terms that a search of a tier looks at."""
        return self.head if tier is Tier.LIGHT else f"{self.body} {self.head}".strip()


def passing(rows: Iterable[Row], query: Query) -> list[Row]:
    """Return the rows that pass a query's filters. Their scopes are few, and each is looked at once."""
    allowed: dict[tuple[str, ...], bool] = {}
    found = []
    for row in rows:
        scope = (row.agent, row.user, row.channel, row.session, row.group_chat)
        if scope not in allowed:
            allowed[scope] = query.scope.allows(Scope(*scope))
        if allowed[scope] and passes_beside_scope(row, query):
            found.append(row)
    return found


def candidates_of(rows: Sequence[Row], words: LexicalScores, similar: dict[int, float]) -> Candidates:
    """Return rows as the candidates of a search, with the cosines that are known by id."""
    column = dict(zip(Row._fields, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(Row._fields, ())
    return Candidates(
        words=words,
        similarity=np.array([similar.get(row_id, np.nan) for row_id in column["id"]], dtype=np.float64),
        traits=np.array(column["traits"], dtype=np.int64),
        paths=column["path"],
        ordinals=np.array(column["ordinal"], dtype=np.int64),
        speakers=[speaker.casefold() for speaker in column["speaker"]],
        origins=column["origin"],
        times=[datetime.fromisoformat(time) if time else None for time in column["iso_time"]],
        always_fresh=np.array(column["source"], dtype=np.str_) == "long_term",
        projects=column["project"],
    )


class Rows:
    """Reads rows over one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def by_ids(self, ids: Iterable[int]) -> list[Row]:
        """Return the rows with these ids, in the ids' order; deleted ones are missing."""
        wanted = list(ids)
        found: dict[int, Row] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            found |= {row.id: row for row in self._read(f"FROM docs d WHERE d.id IN ({marks})", part)}
        return [found[row_id] for row_id in wanted if row_id in found]

    def around(self, rows: Sequence[Row]) -> list[Row]:
        """Return the passages directly before and after some, in the same file."""
        places = dict.fromkeys((row.path, row.ordinal + step) for row in rows for step in (-1, 1) if row.id)
        if not places:
            return []
        marks = ", ".join(["(?, ?)"] * len(places))
        sql = f"FROM (VALUES {marks}) w JOIN docs d ON d.path = w.column1 AND d.ordinal = w.column2"
        return self._read(sql, [value for place in places for value in place])

    def newest(self, query: Query, limit: int) -> list[Row]:
        """Return what passes a query's filters and has a time, the newest first."""
        conditions, values = sql_filter(query)
        where = f"d.timestamp IS NOT NULL{' AND ' + conditions if conditions else ''}"
        order = "ORDER BY d.timestamp DESC, d.path DESC, d.ordinal DESC"
        # Ids are put in order first: all texts would be carried along.
        newest = f"SELECT d.id FROM docs d WHERE {where} {order} LIMIT ?"
        return list(self._read(f"FROM docs d WHERE d.id IN ({newest}) {order}", [*values, limit]))

    def by_key(self, key: str) -> Row | None:
        """Return the row with this key."""
        return next(iter(self._read("FROM docs d WHERE d.key = ?", [storable(key)])), None)

    def _read(self, source: str, values: Sequence[Any]) -> list[Row]:
        return list(map(Row._make, run(self._connection, f"SELECT {_COLUMNS} {source}", values)))
