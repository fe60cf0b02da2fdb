"""The passages of the index: the values that files, database and search exchange, and how they are stored."""

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

    ``key`` is unique in the whole index and the same whenever the same file is read again. ``path`` is relative to the
    workspace, with forward slashes; ``offset`` is the byte in the file where the record starts and ``line`` its line,
    from 1. ``ordinal`` orders the passages of one file. ``source`` is one of ``long_term``, ``note``, ``observation``,
    ``summary``, ``transcript`` and ``document``. ``id``, ``timestamp`` and the terms are set by the index; a document
    read from a file has the defaults.
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
        """Create a document from the content of a file, without characters that a database cannot store."""
        owner = (scope.agent, scope.user, scope.channel, scope.session, scope.group_chat, scope.project)
        json_tags = json.dumps(list(map(clean_markdown, tags)), ensure_ascii=False)
        about = (heading, tldr, json_tags, speaker, time.isoformat() if time else None)
        values = (key, path, line, offset, ordinal, source, text, origin.value, *owner, *about)
        # A printable text contains neither lone surrogates nor NUL.
        clean = [
            clean_markdown(value) if isinstance(value, str) and not value.isprintable() else value for value in values
        ]
        return cls._make([*clean, 0, None, "", ""])

    @property
    def scope(self) -> Scope:
        """The scope to which it belongs."""
        return Scope(self.agent, self.user, self.channel, self.session, self.group_chat, self.project)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        return tuple(json.loads(self.json_tags)) if self.json_tags != _NO_TAGS else ()

    @property
    def time(self) -> datetime | None:
        """When it was said, or the day from which a scored entry holds."""
        return datetime.fromisoformat(self.iso_time) if self.iso_time else None

    @property
    def said_at(self) -> datetime | None:
        """When it was said; None for a scored entry, which holds from its ``time`` on but was not said then."""
        return None if holds_entries(self.path) else self.time

    @property
    def stored_values(self) -> tuple[Any, ...]:
        """The values of `DOCUMENT_COLUMNS`."""
        return self[: len(COLUMN_NAMES)]

    def terms(self, tier: Tier) -> str:
        """Return the terms that a search of a tier reads."""
        return self.head_terms if tier is Tier.LIGHT else f"{self.body_terms} {self.head_terms}".strip()

    def with_terms(self) -> "Document":
        """Return a copy with the fields that an index adds."""
        seconds, body, head = _cached_index_fields(self)
        return self._replace(timestamp=seconds, body_terms=body, head_terms=head)


COLUMN_NAMES = (*Document._fields[:16], "tags", "speaker", "time")
"""The columns of a document's own fields, in their order."""
DOCUMENT_COLUMNS = ", ".join(f'"{name}"' for name in COLUMN_NAMES)
INDEX_COLUMNS = ("id", "timestamp", "body_terms", "head_terms")
"""The columns that an index adds, in the order of the remaining fields."""
_NO_TAGS = "[]"


def timestamp(time: datetime) -> float:
    """Return seconds since 1970; a time without a zone counts as UTC, on every machine."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def holds_entries(path: str) -> bool:
    """Return whether a file contains the scored entries."""
    return path.endswith("ENTRIES.md")


class FileState(NamedTuple):
    """How far one file is indexed: a row of the manifest.

    Everything before ``offset`` is in the index; ``prefix_hash`` is the SHA-256 of those bytes. ``line`` is the line
    that starts at ``offset``, ``ordinal`` the next free ordinal.
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
    """The changes of one step of the indexer, applied in one transaction.

    The documents are added, or replace those with the same keys; those with ``removed_keys`` are deleted. ``state`` is
    None when the file is gone: then all its documents are deleted.
    """

    path: str
    state: FileState | None
    documents: tuple[Document, ...] = ()
    removed_keys: frozenset[str] = field(default_factory=frozenset)


class FileIndex(Protocol):
    """An index over the files of one workspace, used only by the indexer's thread.

    The docstrings of its methods hold for every index. Each method may raise `StoreError`.
    """

    def file_states(self) -> dict[str, FileState]:
        """Return the manifest: how far each file is indexed, by its path."""

    def apply(self, change: FileChange, /) -> None:
        """Apply the changes of one step of the indexer, all of them or none."""

    def keys_from(self, path: str, offset: int) -> Sequence[str]:
        """Return the keys of a file's documents that start at a byte or after it."""

    def has_key(self, key: str) -> bool:
        """Return whether a document is in the index."""

    def drop_older_than(self, source: str, before: datetime) -> int:
        """Delete the documents of a source from before a moment, and return their number."""

    def texts_without_vector(self, space: str, limit: int, /) -> dict[int, str]:
        """Return texts to embed by document id: at most ``limit`` documents without a vector in a space."""

    def put_vectors(self, space: str, vectors: Sequence[tuple[int, Sequence[float]]], /) -> None:
        """Store vectors by the documents' ids."""

    def close(self) -> None:
        """Close the index."""


def embedding_text(document: Document) -> str:
    """Return the text to embed: the passage, preceded by its heading, date and speaker."""
    said_at = document.said_at
    date = f"[{said_at:%Y-%m-%d}] " if said_at else ""
    speaker = f"{document.speaker}: " if document.speaker else ""
    heading = f"{document.heading}\n" if document.heading else ""
    return f"{heading}{date}{speaker}{document.text}"


def index_fields_of(document: Document) -> tuple[float | None, str, str]:
    """Return the fields that an index adds to a document: its timestamp, its body terms and its head terms.

    The body includes the speaker and the day, since questions name people and days. The head is heading, tl;dr and
    tags.
    """
    time = document.time
    said_at = document.said_at
    date = f"{said_at:%Y-%m-%d}" if said_at else ""
    body = segment(f"{document.speaker}\n{date}\n{document.text}")
    about = "\n".join(filter(None, (document.heading, document.tldr, *document.tags)))
    return timestamp(time) if time else None, body, about and segment(about)


# The terms of these many documents are cached for the next search: segmenting takes longer than scoring.
_cached_index_fields = lru_cache(maxsize=8_192)(index_fields_of)
