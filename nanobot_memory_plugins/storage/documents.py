"""The rows of the index, as they pass between the file readers, the database and the search."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

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
class FileRecord:
    """One record of a file as it is there: a message, or a note. ``key`` is that of its first document."""

    key: str
    offset: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one step of the indexer changes, applied in one transaction.

    The documents are added, in the place of those with the same keys; those with ``removed_keys`` are
    dropped. ``state`` is None when the file is gone: everything of it is dropped. ``records`` are what the documents
    were made of, for an index that keeps them.
    """

    path: str
    state: FileState | None
    documents: tuple[Document, ...] = ()
    removed_keys: frozenset[str] = field(default_factory=frozenset)
    records: tuple[FileRecord, ...] = ()
