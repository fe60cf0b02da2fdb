"""The work of the process that owns the index, on one open index: bringing it up to date with the files."""

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final

from nanobot_memory_plugins.core import Clock, logger
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileIndex, FileState, timestamp
from nanobot_memory_plugins.storage.sources.pieces import read_blocks
from nanobot_memory_plugins.storage.sources.places import Places, SourceFile
from nanobot_memory_plugins.storage.sources.reader import read_pieces

# A file that changed less than this before it was read may change again without a new time: the kernel's clock
# for files ticks every 4 to 10 ms, and some file systems count in whole seconds.
_TICK_NS, _COARSE_TICK_NS = 20_000_000, 2_000_000_000
PASSING_SOURCE: Final = "observation"
"""The kind of documents that leave the index when they are old; their notes stay."""
_EXPIRY_INTERVAL = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How files are indexed.

    At most ``batch_documents`` are held in memory at a time. ``observation_max_age`` is None when observations stay for
    ever.
    """

    chunking: Chunking = field(default_factory=Chunking)
    batch_documents: int = 1_000
    observation_max_age: timedelta | None = timedelta(days=30)


class IndexSession:
    """Compares the files with the manifest, and brings the index up to date. Used by one thread.

    ``path`` is the index's file, where it has one.
    """

    def __init__(
        self,
        index: FileIndex,
        path: Path | None,
        places: Places,
        settings: IndexSettings,
        clock: Clock,
        stopping: Callable[[], bool],
    ) -> None:
        self._index = index
        self._path, self._inode = path, inode(path)
        self._places = places
        self._settings = settings
        self._clock = clock
        self._stopping = stopping
        self._states: dict[str, FileState] = index.file_states()
        self._doubtful: set[str] = set()
        self._expired_at: datetime | None = None
        self._has_looked = False

    def changed(self) -> list[SourceFile | str]:
        """Return the files that differ from the manifest, then the names of those that are gone.

        At first the last changed come first, since they are asked for most; later they come in the order of changes.
        Raises OSError where the files cannot be looked at for now.
        """
        self._expire()
        sources = self._places.find(whole=True)
        gone = self._states.keys() - {source.relative for source in sources}
        changed = [
            source
            for source in sources
            if source.relative in self._doubtful or not source.is_as(self._states.get(source.relative))
        ]
        if self._has_looked:
            changed.sort(key=lambda source: (source.mtime_ns, source.relative))
        self._has_looked = True
        return [*changed, *sorted(gone)]

    def remove(self, relative: str) -> None:
        """Drop everything of a file that is gone."""
        self._index.apply(FileChange(relative, None))
        self._states.pop(relative, None)
        self._doubtful.discard(relative)

    def update(self, source: SourceFile) -> None:
        """Bring the index up to date with one file.

        Raises OSError when the file cannot be read, and what the index raises.
        """
        looked_at = time.time_ns()  # as the file system counts; the injected clock may have another date
        reached = self._read_on(source, self._states.get(source.relative))
        if reached is None:
            self._states = self._index.file_states()
            return
        self._states[source.relative] = reached
        tick = _COARSE_TICK_NS if reached.mtime_ns % 1_000_000_000 == 0 else _TICK_NS
        if abs(looked_at - reached.mtime_ns) < tick:  # a time far ahead is of another clock: it does not come again
            self._doubtful.add(source.relative)
        else:
            self._doubtful.discard(source.relative)

    def is_replaced(self) -> bool:
        """Tell whether another file is where the index was, or none."""
        return inode(self._path) != self._inode

    def _expire(self) -> None:
        """Drop observations that are too old, at the start and once a day."""
        now, oldest = self._clock.now(), self._oldest()
        # A clock that was set back must not put it off for longer than a day either.
        if oldest is None or (self._expired_at is not None and abs(now - self._expired_at) < _EXPIRY_INTERVAL):
            return
        self._expired_at = now
        if dropped := self._index.drop_older_than(PASSING_SOURCE, oldest):
            logger.info("{} observations that are too old left the index; their notes stay", dropped)

    def _oldest(self) -> datetime | None:
        """Return from when on observations are kept, None where all are."""
        age = self._settings.observation_max_age
        return self._clock.now() - age if age is not None else None

    def _read_on(self, source: SourceFile, state: FileState | None) -> FileState | None:
        """Index a file of which ``state`` is indexed, in batches of bounded size, and return the state reached.

        Where the bytes before the manifest's offset are as they were, reading goes on from there; else the file is read
        anew, and what is no longer in it is dropped at the end, in the transaction that completes it. None when it is
        to stop before the end; what was complete by then is kept.
        """
        index, settings, oldest = self._index, self._settings, self._oldest()
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
                settings.chunking,
                offset=offset,
                line=line,
                ordinal=ordinal,
                is_taken=lambda key: begin.offset > 0 and key not in former and index.has_key(key),
            ):
                if self._stopping():
                    return None
                digest.update(piece.raw)
                remaining.difference_update(document.key for document in piece.documents)
                batch += [document for document in piece.documents if not _is_too_old(document, oldest)]
                offset, line = offset + len(piece.raw), line + piece.raw.count(b"\n")
                ordinal += len(piece.documents)
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


def _is_too_old(document: Document, oldest: datetime | None) -> bool:
    return (
        oldest is not None
        and document.source == PASSING_SOURCE
        and document.time is not None
        and timestamp(document.time) < timestamp(oldest)
    )


def inode(path: Path | None) -> int:
    """Return the number of the file at a path, 0 where there is none."""
    try:
        return path.stat().st_ino if path is not None else 0
    except OSError:
        return 0
