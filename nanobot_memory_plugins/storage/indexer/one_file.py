"""Bringing an index up to date with one file."""

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
from nanobot_memory_plugins.storage.sources.places import SourceFile
from nanobot_memory_plugins.storage.sources.reader import read_pieces

PASSING_SOURCE: Final = "observation"
"""The kind of documents that leave the index when they are old; their notes stay."""


def index_file(
    index: FileIndex,
    source: SourceFile,
    state: FileState | None,
    chunking: Chunking,
    *,
    most_held: int,
    oldest: datetime | None,
    is_stopping: Callable[[], bool],
) -> FileState | None:
    """Index a file of which ``state`` is indexed, and return the state reached.

    At most ``most_held`` documents are in memory at a time; observations from before ``oldest`` are left out. Where the
    bytes before the manifest's offset are as they were, reading goes on from there; else the file is read anew, and
    what is no longer in it is dropped at the end, in the transaction that completes it. None when it is to stop before
    the end; what was complete by then is kept. Raises OSError when the file cannot be read, and what the index raises.
    """
    with open_regular(source.path) as file:
        status = os.fstat(file.fileno())
        source = replace(source, size=status.st_size, mtime_ns=status.st_mtime_ns)
        begin, digest = _start(file, source, state)
        # What the index has of the part that is read now. Whatever of it does not come again, goes.
        former = frozenset(index.keys_from(source.relative, begin.offset))
        remaining = set(former)
        reached, offset, line, ordinal = begin, begin.offset, begin.line, begin.ordinal
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
            is_taken=lambda key: begin.offset > 0 and key not in former and index.has_key(key),
        ):
            if is_stopping():
                return None
            digest.update(piece.raw)
            for document in piece.documents:
                remaining.discard(document.key)
                if not _is_too_old(document, oldest):
                    batch.append(document)
            offset, line = offset + len(piece.raw), line + piece.raw.count(b"\n")
            ordinal += len(piece.documents)
            if piece.closed:  # until the end is reached, the file must not look unchanged
                reached = FileState(source.relative, offset, digest.copy().hexdigest(), offset, 0, line, ordinal)
            if len(batch) >= most_held:
                # Progress counts once nothing former is left that might have to go.
                so_far = begin if former else reached
                write(so_far._replace(size=so_far.offset, mtime_ns=0))
        reached = reached._replace(size=source.size, mtime_ns=source.mtime_ns)
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


def _is_too_old(document: Document, oldest: datetime | None) -> bool:
    return (
        oldest is not None
        and document.source == PASSING_SOURCE
        and document.time is not None
        and timestamp(document.time) < timestamp(oldest)
    )
