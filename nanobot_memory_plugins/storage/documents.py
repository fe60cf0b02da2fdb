"""The rows of the index, as they pass between the file readers, the database and the search."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from nanobot_memory_plugins.core.values import Origin, Scope


@dataclass(frozen=True, slots=True)
class Document:
    """One indexed passage: a chunk of a Markdown section, a structured note, or a transcript message.

    ``key`` is unique over the whole index and the same whenever the same file is read again. ``path`` is
    relative to the workspace, with forward slashes; ``offset`` is the byte in the file where the record starts and
    ``line`` its line, from 1. ``ordinal`` orders the passages of one file. ``source`` is one of ``long_term``,
    ``note``, ``observation``, ``summary``, ``transcript`` and ``document``.
    """

    key: str
    path: str
    line: int
    offset: int
    ordinal: int
    source: str
    text: str
    origin: Origin
    scope: Scope = Scope()
    heading: str = ""
    tldr: str = ""
    tags: tuple[str, ...] = ()
    speaker: str = ""
    time: datetime | None = None

    @property
    def said_at(self) -> datetime | None:
        """When it was said: a scored entry holds from its ``time`` on, which is no day of its words."""
        return None if holds_entries(self.path) else self.time


def timestamp(time: datetime) -> float:
    """Return seconds since 1970; a time without a zone is taken as UTC, on every machine."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def holds_entries(path: str) -> bool:
    """Say whether a file holds the scored entries."""
    return path.endswith("ENTRIES.md")


@dataclass(frozen=True, slots=True)
class FileState:
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


class TextToEmbed(NamedTuple):
    """A document that waits for its vector."""

    id: int
    text: str


class FileIndex(Protocol):
    """An index over the files of one workspace. The indexer's thread alone uses it.

    Every method may raise `StoreError`.
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

    def documents_without_vector(self, space: str, limit: int, /) -> Sequence[TextToEmbed]:
        """Return documents that have no vector in a space yet, with the text to embed."""

    def put_vectors(self, space: str, vectors: Sequence[tuple[int, Sequence[float]]], /) -> None:
        """Store vectors by the documents' ids."""

    def close(self) -> None:
        """Close the index."""
