"""The passages of the index, as they pass between files, database and search, and how they are stored."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.values import Origin, Scope, Tier
from nanobot_memory_plugins.storage.segmentation import segment


class Document(NamedTuple):
    """One indexed passage, as it is stored: a chunk of a Markdown section, a structured note, or a transcript message.

    ``key`` is unique over the whole index and the same whenever the same file is read again. ``path`` is
    relative to the workspace, with forward slashes; ``offset`` is the byte in the file where the record starts and
    ``line`` its line, from 1. ``ordinal`` orders the passages of one file. ``source`` is one of ``long_term``,
    ``note``, ``observation``, ``summary``, ``transcript`` and ``document``. ``id``, ``timestamp`` and the terms are the
    index's: one that was read from a file has none of them.
    """

    key: str
    path: str
    line: int
    offset: int
    ordinal: int
    source: str
    text: str
    origin: str
    agent: str
    user: str
    channel: str
    session: str
    group_chat: str
    project: str
    heading: str
    tldr: str
    json_tags: str
    speaker: str
    iso_time: str | None
    id: int = 0
    timestamp: float | None = None
    body_terms: str = ""
    head_terms: str = ""

    @classmethod
    def of(
        cls,
        *,
        key: str,
        path: str,
        line: int,
        offset: int,
        source: str,
        text: str,
        origin: Origin,
        ordinal: int = 0,
        scope: Scope = Scope(),
        heading: str = "",
        tldr: str = "",
        tags: Sequence[str] = (),
        speaker: str = "",
        time: datetime | None = None,
    ) -> "Document":
        """Make one of what a file says, without what a database cannot hold."""
        owner = (scope.agent, scope.user, scope.channel, scope.session, scope.group_chat, scope.project)
        json_tags = json.dumps(list(map(clean_markdown, tags)), ensure_ascii=False)
        about = (heading, tldr, json_tags, speaker, time.isoformat() if time else None)
        values = (key, path, line, offset, ordinal, source, text, origin.value, *owner, *about)
        # What is printable holds neither half of a surrogate pair nor NUL.
        clean = [clean_markdown(one) if isinstance(one, str) and not one.isprintable() else one for one in values]
        return cls._make([*clean, 0, None, "", ""])

    @property
    def scope(self) -> Scope:
        """Whose it is."""
        return Scope(self.agent, self.user, self.channel, self.session, self.group_chat, self.project)

    @property
    def tags(self) -> tuple[str, ...]:
        """What it is tagged with."""
        return tuple(json.loads(self.json_tags)) if self.json_tags != _NO_TAGS else ()

    @property
    def time(self) -> datetime | None:
        """When it was said, or since when it is kept."""
        return datetime.fromisoformat(self.iso_time) if self.iso_time else None

    @property
    def said_at(self) -> datetime | None:
        """When it was said: a scored entry holds from its ``time`` on, which is no day of its words."""
        return None if holds_entries(self.path) else self.time

    @property
    def stored(self) -> tuple[Any, ...]:
        """The values of `DOCUMENT_COLUMNS`."""
        return self[: len(COLUMN_NAMES)]

    def terms(self, tier: Tier) -> str:
        """Return the terms that a search of a tier looks at."""
        return self.head_terms if tier is Tier.LIGHT else f"{self.body_terms} {self.head_terms}".strip()

    def with_terms(self) -> "Document":
        """Return it with its time and terms, as an index has it."""
        seconds, body, head = _kept_terms(self)
        return self._replace(timestamp=seconds, body_terms=body, head_terms=head)


COLUMN_NAMES = (*Document._fields[:16], "tags", "speaker", "time")
"""The columns that hold a document's own fields, in their order."""
DOCUMENT_COLUMNS = ", ".join(f'"{name}"' for name in COLUMN_NAMES)
INDEX_COLUMNS = ("id", "timestamp", "body_terms", "head_terms")
"""The columns that an index adds, in the order of the fields behind those."""
_NO_TAGS = "[]"


def timestamp(time: datetime) -> float:
    """Return seconds since 1970; a time without a zone is taken as UTC, on every machine."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def holds_entries(path: str) -> bool:
    """Say whether a file holds the scored entries."""
    return path.endswith("ENTRIES.md")


class FileState(NamedTuple):
    """How far one file is indexed: the manifest's row.

    Everything before ``offset`` is in the index; ``prefix_hash`` is the SHA-256 of those bytes. ``line`` is the line
    that starts at ``offset``, ``ordinal`` the next ordinal to give out.
    """

    path: str
    offset: int
    prefix_hash: str
    size: int
    mtime_ns: int
    line: int = 1
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one step of the indexer changes, applied in one transaction.

    The documents are added, in the place of those with the same keys; those with ``removed_keys`` are
    dropped. ``state`` is None when the file is gone: everything of it is dropped.
    """

    path: str
    state: FileState | None
    documents: tuple[Document, ...] = ()
    removed_keys: frozenset[str] = field(default_factory=frozenset)


class FileIndex(Protocol):
    """An index over the files of one workspace. The indexer's thread alone uses it.

    What is written here of its methods holds for every index. Each may raise `StoreError`.
    """

    def file_states(self) -> dict[str, FileState]:
        """Return the manifest: how far each file is indexed, by its path."""

    def apply(self, change: FileChange, /) -> None:
        """Apply what one step of the indexer found, whole or not at all."""

    def keys_from(self, path: str, offset: int) -> Sequence[str]:
        """Return the keys of a file's documents that start at a byte or after it."""

    def has_key(self, key: str) -> bool:
        """Tell whether a document is in the index."""

    def drop_older_than(self, source: str, before: datetime) -> int:
        """Drop the documents of a source from before a moment. Return how many went."""

    def texts_without_vector(self, space: str, limit: int, /) -> dict[int, str]:
        """Return texts to embed by the ids of their documents, which have no vector in a space yet."""

    def put_vectors(self, space: str, vectors: Sequence[tuple[int, Sequence[float]]], /) -> None:
        """Store vectors by the documents' ids."""

    def close(self) -> None:
        """Close the index."""


def embedding_text(document: Document) -> str:
    """Return what is embedded: the passage with its heading, date and speaker before it."""
    said_at = document.said_at
    date = f"[{said_at:%Y-%m-%d}] " if said_at else ""
    speaker = f"{document.speaker}: " if document.speaker else ""
    heading = f"{document.heading}\n" if document.heading else ""
    return f"{heading}{date}{speaker}{document.text}"


def derived_of(document: Document) -> tuple[float | None, str, str]:
    """Return what an index keeps of a document: its timestamp, and the terms of its body and of what it is about.

    Who said it and when are part of the body: questions name people and days.
    """
    time = document.time
    said_at = document.said_at
    date = f"{said_at:%Y-%m-%d}" if said_at else ""
    body = segment(f"{document.speaker}\n{date}\n{document.text}")
    about = "\n".join(filter(None, (document.heading, document.tldr, *document.tags)))
    return timestamp(time) if time else None, body, about and segment(about)


# Documents of which the terms are kept for the next search: segmenting takes longer than scoring.
_kept_terms = lru_cache(maxsize=8_192)(derived_of)
