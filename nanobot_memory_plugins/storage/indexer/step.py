"""Bringing the index up to date with one file."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import BinaryIO

from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileRecord, FileState
from nanobot_memory_plugins.storage.indexer.database import FileIndex
from nanobot_memory_plugins.storage.sources.pieces import Chunking, Keys, read_blocks
from nanobot_memory_plugins.storage.sources.places import SourceFile
from nanobot_memory_plugins.storage.sources.reader import read_pieces


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How files are indexed.

    At most ``batch_documents`` are held in memory at a time. ``observation_max_age`` is None when observations stay for
    ever. With ``records`` the index is given what the documents were made of as well.
    """

    chunking: Chunking = field(default_factory=Chunking)
    batch_documents: int = 1_000
    observation_max_age: timedelta | None = timedelta(days=30)
    records: bool = False


def update_file(
    index: FileIndex, source: SourceFile, state: FileState | None, settings: IndexSettings, stopping: Callable[[], bool]
) -> FileState | None:
    """Index a file of which ``state`` is indexed, in batches of bounded size, and return the state reached.

    Where the bytes before the manifest's offset are as they were, reading goes on from there; else the file is read
    anew, and what is no longer in it is dropped at the end, in the transaction that completes it. None when
    ``stopping`` said so before the end; what was complete by then is kept. Raises OSError when the file cannot be read,
    and what the index raises.
    """
    with open_regular(source.path) as file:
        status = os.fstat(file.fileno())
        source = replace(source, size=status.st_size, mtime_ns=status.st_mtime_ns)
        begin, digest = _start(file, source, state)
        # What the index has of the part that is read now. Whatever of it does not come again, goes.
        former = frozenset(index.keys_from(source.relative, begin.offset))
        remaining = set(former)
        keys = Keys((lambda key: key not in former and index.has_key(key)) if begin.offset else lambda key: False)
        reached, offset, line, ordinal = begin, begin.offset, begin.line, begin.ordinal
        batch: list[Document] = []
        records: list[FileRecord] = []

        def write(state: FileState, removed: frozenset[str] = frozenset()) -> None:
            index.apply(FileChange(state.path, state, tuple(batch), removed, tuple(records)))
            batch.clear()
            records.clear()

        file.seek(offset)
        for piece in read_pieces(file, source, offset, line, settings.chunking):
            if stopping():
                return None
            digest.update(piece.raw)
            documents = keys.number(piece.documents, ordinal)
            if settings.records and piece.documents:
                records.append(FileRecord(piece.documents[0].key, offset, piece.raw))
            remaining.difference_update(document.key for document in documents)
            batch += documents
            offset, line = offset + len(piece.raw), line + piece.raw.count(b"\n")
            ordinal += len(documents)
            if piece.closed:  # until the end is reached, the file must not look unchanged
                reached = FileState(source.relative, offset, digest.copy().hexdigest(), offset, 0, line, ordinal)
            if len(batch) >= settings.batch_documents:
                # Progress counts once nothing former is left that might have to go.
                so_far = begin if former else reached
                write(replace(so_far, size=so_far.offset, mtime_ns=0))
        reached = replace(reached, size=source.size, mtime_ns=source.mtime_ns)
        write(reached, frozenset(remaining))
        return reached


def _start(file: BinaryIO, source: SourceFile, state: FileState | None) -> tuple[FileState, "hashlib._Hash"]:
    """Return where to read on from, and the hash of the bytes before it."""
    if state is not None and 0 < state.offset <= source.size and source.kind.is_resumable:
        digest = hashlib.sha256()
        for block in read_blocks(file, state.offset):
            digest.update(block)
        if digest.hexdigest() == state.prefix_hash:
            return state, digest
    digest = hashlib.sha256()
    return FileState(source.relative, 0, digest.hexdigest(), 0, 0), digest
