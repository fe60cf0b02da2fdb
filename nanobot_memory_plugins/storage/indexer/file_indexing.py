"""Brings an index up to date with one file."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import BinaryIO, Final

from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileIndex, FileState, timestamp
from nanobot_memory_plugins.storage.sources.pieces import read_blocks
from nanobot_memory_plugins.storage.sources.reader import read_pieces
from nanobot_memory_plugins.storage.sources.source_files import SourceFile

EXPIRING_SOURCE: Final = "observation"
"""The source of documents that are deleted from the index when they are old; the notes stay in their files."""


def index_file(
    index: FileIndex,
    source: SourceFile,
    state: FileState | None,
    chunking: Chunking,
    *,
    max_pending: int,
    oldest: datetime | None,
    is_stopping: Callable[[], bool],
) -> FileState | None:
    """Index a file from ``state`` on, the part that is indexed already, and return the new state.

    At most ``max_pending`` documents are in memory at a time; observations from before ``oldest`` are left out. Reading
    continues at the manifest's offset if the bytes before it are unchanged. Else the whole file is read, and documents
    that are no longer in it are deleted in the last transaction. Returns None when it has to stop before the end; what
    was complete by then is kept. Raises OSError when the file cannot be read, and what the index raises.
    """
    with open_regular(source.path) as file:
        status = os.fstat(file.fileno())
        source = replace(source, size=status.st_size, mtime_ns=status.st_mtime_ns)
        start, digest = _resume_point(file, source, state)
        # Documents that the index has of the part to read. Those that are not read again are deleted.
        indexed_keys = frozenset(index.keys_from(source.relative, start.offset))
        missing_keys = set(indexed_keys)
        reached, offset, line, ordinal = start, start.offset, start.line, start.ordinal
        batch: list[Document] = []

        def write(state: FileState, removed: frozenset[str] = frozenset()) -> None:
            index.apply(FileChange(state.path, state, tuple(batch), removed))
            batch.clear()

        for piece in read_pieces(
            file,
            source,
            chunking,
            offset=offset,
            line=line,
            ordinal=ordinal,
            is_used=lambda key: start.offset > 0 and key not in indexed_keys and index.has_key(key),
        ):
            if is_stopping():
                return None
            digest.update(piece.raw)
            for document in piece.documents:
                missing_keys.discard(document.key)
                if not _is_too_old(document, oldest):
                    batch.append(document)
            offset, line = offset + len(piece.raw), line + piece.raw.count(b"\n")
            ordinal += len(piece.documents)
            if piece.closed:  # mtime 0: until the end is reached the file must not look unchanged
                reached = FileState(source.relative, offset, digest.copy().hexdigest(), offset, 0, line, ordinal)
            if len(batch) >= max_pending:
                # Progress is recorded only if there is no earlier document that may have to be deleted.
                so_far = start if indexed_keys else reached
                write(so_far._replace(size=so_far.offset, mtime_ns=0))
        reached = reached._replace(size=source.size, mtime_ns=source.mtime_ns)
        write(reached, frozenset(missing_keys))
        return reached


def _resume_point(file: BinaryIO, source: SourceFile, state: FileState | None) -> tuple[FileState, "hashlib._Hash"]:
    """Return the state from which to continue, and the hash of the bytes before its offset."""
    if state is not None and 0 < state.offset <= source.size and source.kind.is_resumable:
        digest = hashlib.sha256()
        for block in read_blocks(file, state.offset):
            digest.update(block)
        if digest.hexdigest() == state.prefix_hash:
            return state, digest
    digest = hashlib.sha256()
    return FileState(source.relative, 0, digest.hexdigest(), 0, 0), digest


def _is_too_old(document: Document, oldest: datetime | None) -> bool:
    return (
        oldest is not None
        and document.source == EXPIRING_SOURCE
        and document.time is not None
        and timestamp(document.time) < timestamp(oldest)
    )
