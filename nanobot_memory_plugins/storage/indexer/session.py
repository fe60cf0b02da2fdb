"""The work of the process that owns the index, on one open index."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from nanobot_memory_plugins.core import Clock, logger
from nanobot_memory_plugins.storage.documents import FileChange, FileState
from nanobot_memory_plugins.storage.indexer.database import FileIndex
from nanobot_memory_plugins.storage.indexer.step import IndexSettings, update_file
from nanobot_memory_plugins.storage.sources.places import Places, SourceFile

# A file that changed less than this before it was read may change again without a new time: the kernel's clock
# for files ticks every 4 to 10 ms, and some file systems count in whole seconds.
_TICK_NS, _COARSE_TICK_NS = 20_000_000, 2_000_000_000
PASSING_SOURCE: Final = "observation"
"""The kind of documents that leave the index when they are old; their notes stay."""
_EXPIRY_INTERVAL = timedelta(days=1)
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


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
        """
        self._expire()
        sources = self._places.find()
        gone = self._states.keys() - {source.relative for source in sources}
        changed = [source for source in sources if not self._is_indexed(source)]
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
        state = self._states.get(source.relative)
        reached = update_file(self._index, source, state, self._settings, self._stopping)
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
        """Drop observations that are too old, at the start and once a day. The index refuses them from then on."""
        now = self._clock.now()
        # A clock that was set back must not put it off for longer than a day either.
        if self._expired_at is not None and abs(now - self._expired_at) < _EXPIRY_INTERVAL:
            return
        self._expired_at = now
        age = self._settings.observation_max_age
        dropped = self._index.drop_older_than(PASSING_SOURCE, now - age if age is not None else _LONG_AGO)
        if dropped:
            logger.info("{} observations that are too old left the index; their notes stay", dropped)

    def _is_indexed(self, source: SourceFile) -> bool:
        state = self._states.get(source.relative)
        return (
            state is not None
            and (state.size, state.mtime_ns) == (source.size, source.mtime_ns)
            and source.relative not in self._doubtful
        )


def inode(path: Path | None) -> int:
    """Return the number of the file at a path, 0 where there is none."""
    try:
        return path.stat().st_ino if path is not None else 0
    except OSError:
        return 0
