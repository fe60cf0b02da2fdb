"""Rows of the index as candidates of a search."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from nanobot_memory_plugins.core import Query, Scope, Tier
from nanobot_memory_plugins.storage.candidates import Candidates
from nanobot_memory_plugins.storage.document_rows import document_from_row, document_values
from nanobot_memory_plugins.storage.documents import Document, holds_entries
from nanobot_memory_plugins.storage.filters import passes_beside_scope
from nanobot_memory_plugins.storage.lexical import LexicalScores
from nanobot_memory_plugins.storage.scan import remembered

_DOCUMENT = slice(4, None)


class CandidateRow(NamedTuple):
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
    def of(cls, document: Document) -> "CandidateRow":
        """Return a document that the index does not hold yet."""
        return cls(0, *remembered(document), *document_values(document))

    @property
    def document(self) -> Document:
        """The document that it stores."""
        return document_from_row(tuple(self)[_DOCUMENT])

    @property
    def time(self) -> datetime | None:
        """When it was said, or since when it is kept."""
        return datetime.fromisoformat(self.iso_time) if self.iso_time else None

    def terms(self, tier: Tier) -> str:
        """Return the terms that a search of a tier looks at."""
        return self.head if tier is Tier.LIGHT else f"{self.body} {self.head}".strip()


def passing(rows: Iterable[CandidateRow], query: Query) -> list[CandidateRow]:
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


def candidates_of(rows: Sequence[CandidateRow], words: LexicalScores, similar: dict[int, float]) -> Candidates:
    """Return rows as the candidates of a search, with the cosines that are known by id."""
    column = (
        dict(zip(CandidateRow._fields, zip(*rows, strict=True), strict=True))
        if rows
        else dict.fromkeys(CandidateRow._fields, ())
    )
    return Candidates(
        words=words,
        similarity=np.array([similar.get(row_id, np.nan) for row_id in column["id"]], dtype=np.float64),
        traits=np.array(column["traits"], dtype=np.int64),
        paths=column["path"],
        ordinals=np.array(column["ordinal"], dtype=np.int64),
        speakers=[speaker.casefold() for speaker in column["speaker"]],
        origins=column["origin"],
        times=[
            # An entry holds from its time on: it was not said then.
            datetime.fromisoformat(time) if time and not holds_entries(path) else None
            for time, path in zip(column["iso_time"], column["path"], strict=True)
        ],
        always_fresh=np.array(column["source"], dtype=np.str_) == "long_term",
        projects=column["project"],
    )
