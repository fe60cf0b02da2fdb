"""Bringing the index up to date with one file."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from nanobot_memory_plugins.core.files import open_regular
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileRecord, FileState
from nanobot_memory_plugins.storage.indexer.database import FileIndex
from nanobot_memory_plugins.storage.sources.pieces import Chunking, FilePiece, Keys, read_blocks
from nanobot_memory_plugins.storage.sources.places import SourceFile
from nanobot_memory_plugins.storage.sources.reader import read_pieces, resumable


@dataclass(frozen=True, slots=True)
class StepSettings:
    """How files are read and written: how texts are cut, and how many documents are held at most at a time.

    ``records``: the index is given what the documents were made of as well.
    """

    chunking: Chunking = field(default_factory=Chunking)
    batch_documents: int = 1_000
    records: bool = False


class FileStep:
    """Reads what is new in a file and writes it to the database, in batches of bounded size.

    Where the bytes before the manifest's offset are as they
    were, reading goes on from there; else the file is read anew, and what is no longer in it is dropped at
    the end, in the transaction that completes it.
    """

    def __init__(self, database: FileIndex, settings: StepSettings) -> None:
        self._database = database
        self._settings = settings

    def run(self, source: SourceFile, state: FileState | None, stopping: Callable[[], bool]) -> FileState | None:
        """Index ``source``, of which ``state`` is indexed, and return the state reached.

        None when ``stopping`` said so before the end; what was complete by then is kept. Raises OSError
        when the file cannot be read, and what the database raises.
        """
        with open_regular(source.path) as file:
            found = os.fstat(file.fileno())
            source = replace(source, size=found.st_size, mtime_ns=found.st_mtime_ns)
            pass_ = _Pass(self._database, source, *_start(file, source, state), records=self._settings.records)
            file.seek(pass_.begin.offset)
            for piece in read_pieces(file, source, pass_.begin.offset, pass_.begin.line, self._settings.chunking):
                if stopping():
                    return None
                pass_.take(piece)
                if len(pass_.batch) >= self._settings.batch_documents:
                    pass_.write_batch()
            return pass_.complete()

    def remove(self, relative: str) -> None:
        """Drop everything of a file that is gone."""
        self._database.apply(FileChange(path=relative, state=None, replace=True))


class _Pass:
    """One reading of one file, from ``begin`` on."""

    def __init__(
        self, database: FileIndex, source: SourceFile, begin: FileState, digest: "hashlib._Hash", *, records: bool
    ) -> None:
        self._database = database
        self._keeps_records, self._records = records, list[FileRecord]()
        self._source = source
        self._digest = digest
        self.begin = begin
        # What the index has of the part that is read now. Whatever of it does not come again, goes.
        self._former = frozenset(database.keys_from(source.relative, begin.offset))
        self._remaining = set(self._former)
        self._keys = Keys(self._stands_before if begin.offset else lambda key: False)
        self._reached = begin
        self._offset, self._line, self._ordinal = begin.offset, begin.line, begin.ordinal
        self.batch: list[Document] = []

    def _stands_before(self, key: str) -> bool:
        return key not in self._former and self._database.has_key(key)

    def take(self, piece: FilePiece) -> None:
        """Add one piece to the batch."""
        self._digest.update(piece.raw)
        documents = self._keys.number(piece.documents, self._ordinal)
        if self._keeps_records and piece.documents:
            self._records.append(FileRecord(piece.documents[0].key, self._offset, piece.raw))
        self._ordinal += len(documents)
        self._remaining.difference_update(document.key for document in documents)
        self.batch += documents
        self._offset += len(piece.raw)
        self._line += piece.raw.count(b"\n")
        if piece.closed:
            self._reached = FileState(
                path=self._source.relative,
                offset=self._offset,
                prefix_hash=self._digest.copy().hexdigest(),
                size=self._offset,
                mtime_ns=0,  # until the end is reached, the file must not look unchanged
                line=self._line,
                ordinal=self._ordinal,
            )

    def write_batch(self) -> None:
        """Write what was read so far. Progress counts once nothing former is left that might have to go."""
        state = self.begin if self._former else self._reached
        self._apply(replace(state, size=state.offset, mtime_ns=0), frozenset())

    def complete(self) -> FileState:
        """Write the rest, drop what is no longer in the file, and record the file as it was when it was opened."""
        state = replace(self._reached, size=self._source.size, mtime_ns=self._source.mtime_ns)
        self._apply(state, frozenset(self._remaining))
        return state

    def _apply(self, state: FileState, removed: frozenset[str]) -> None:
        self._database.apply(
            FileChange(
                path=state.path,
                state=state,
                documents=tuple(self.batch),
                removed_keys=removed,
                records=tuple(self._records),
            )
        )
        self.batch, self._records = [], []


def _start(file: BinaryIO, source: SourceFile, state: FileState | None) -> tuple[FileState, "hashlib._Hash"]:
    """Return where to read on from, and the hash of the bytes before it."""
    if state is not None and 0 < state.offset <= source.size and resumable(source.kind):
        digest = hashlib.sha256()
        for block in read_blocks(file, state.offset):
            digest.update(block)
        if digest.hexdigest() == state.prefix_hash:
            return state, digest
    digest = hashlib.sha256()
    beginning = FileState(source.relative, offset=0, prefix_hash=digest.hexdigest(), size=0, mtime_ns=0)
    return beginning, digest
