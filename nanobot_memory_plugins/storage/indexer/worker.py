"""The indexer's thread, and how others wait for what it does."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

import filelock

from nanobot_memory_plugins.core import Clock, Embedder, NanobotMemoryError, StoreError, logger
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.files.reading import inode
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import FileChange, FileIndex, FileState
from nanobot_memory_plugins.storage.indexer.one_file import PASSING_SOURCE, index_file
from nanobot_memory_plugins.storage.sources.migration import migrate_legacy
from nanobot_memory_plugins.storage.sources.pieces import warn_once
from nanobot_memory_plugins.storage.sources.places import Places, SourceFile

# Seconds: how often a process that is not the owner tries to become it, and how often the owner looks at all files;
# with very many of them, so seldom that it takes a fiftieth of the time.
_RETRY_OWNERSHIP, _LOOK, _LOOKS_SHARE = 2.0, 1.0, 50
# Seconds: after the whole failed; after one file failed, or the model, longer each time.
_REST_AFTER_FAILURE, _FIRST_REST, _LONGEST_REST = 5.0, 2.0, 60.0
STUCK_SECONDS = 120.0
"""How long an index may make no progress while it is waited for."""
# Seconds between looks at it, more and more.
_POLL, _LONGEST_POLL = 0.02, 0.5
# A file that changed less than this before it was read may change again without a new time: the kernel's clock
# for files ticks every 4 to 10 ms, and some file systems count in whole seconds.
_TICK_NS, _COARSE_TICK_NS = 20_000_000, 2_000_000_000
_EXPIRY_INTERVAL = timedelta(days=1)
# Texts of one step of the model: some tens of milliseconds with the built-in one, so that new text waits for no longer.
_BATCH = 64
_MODEL = "the model"  # no file has this name


class Indexer:
    """Keeps the index of a workspace up to date, in a thread, while this process owns it.

    The owner holds ``lock``, a file, and loses it by ending, however it ends.

    ``database`` is its file, where it has one; ``open_index`` is called in that thread. It looks at all files every
    second, and at once when it is notified. `notify`, `look` and `has_looked` may be called from any thread. At most
    ``most_held`` documents are in memory at a time. Observations leave the index when they are older than ``max_age``.
    ``owning`` tells whether this process is the owner, ``trouble`` how the indexing failed last, if it did.
    """

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        lock: Path,
        database: Path | None,
        open_index: Callable[[], FileIndex],
        embedder: Callable[[], Embedder | None],
        clock: Clock,
        chunking: Chunking,
        most_held: int = 1_000,
        max_age: timedelta | None = timedelta(days=30),
    ) -> None:
        self.owning = False
        self.trouble = ""
        self._paths = paths
        self._places = Places(paths)
        self._lock_path = lock
        self._ownership = private_lock(lock)
        self._lock_inode = 0
        self._database = database
        self._open_index = open_index
        self._embedder = embedder
        self._clock = clock
        self._chunking, self._most_held, self._max_age = chunking, most_held, max_age
        self._expired_at: datetime | None = None
        # Of the index that this process owns, and has open.
        self._index: FileIndex
        self._index_inode = 0
        self._states: dict[str, FileState] = {}
        self._doubtful: set[str] = set()
        self._complete_for = ""  # the model of which every passage has its vector
        self._looks_begun = self._looks_done = 0
        # What failed, a file by its name or the model: how often, and until when it rests.
        self._failures: dict[str, tuple[int, float]] = {}
        self._logged = ""
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._suspect = False
        self._drain_until = 0.0
        self._thread = threading.Thread(target=self._run, name="nanobot-memory-index", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def notify(self) -> None:
        """Learn that a file has changed. Without the ownership nothing happens: the owner looks."""
        self._wake.set()

    def look(self) -> int:
        """Have all files looked at, and return the number by which `has_looked` knows whether that was done.

        What went wrong before is forgotten: it is tried again at once.
        """
        self.trouble = ""
        number = self._looks_begun + 1
        self.notify()
        return number

    def has_looked(self, number: int) -> bool:
        """Tell whether what was in the files at a `look` was looked at. Only the owner of the index looks."""
        return self._looks_done >= number

    def check_database(self) -> None:
        """Open the index anew, with the checks that opening makes: a search found it unusable."""
        self._suspect = True
        self._wake.set()

    def stop(self, drain: float = 5.0) -> None:
        """Finish the files that were accepted, for at most ``drain`` seconds, and end the thread."""
        self._drain_until = time.monotonic() + drain
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(drain + 5.0)
            if self._thread.is_alive():
                logger.warning("the indexer's thread did not end in time; it ends with the process")

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                if self._takes_ownership():
                    self._own_index()
                else:
                    self._pause(_RETRY_OWNERSHIP)
            except Exception as error:  # whatever it is, it must not end the indexing for good
                self._complain(error)
                self._pause(_REST_AFTER_FAILURE)
            finally:
                self.owning = False
                with suppress(OSError):
                    self._ownership.release(force=True)

    def _takes_ownership(self) -> bool:
        """Take the lock if it is free; return whether it is held now. Raises OSError when it cannot be used."""
        self._lock_path.parent.mkdir(0o700, parents=True, exist_ok=True)
        try:
            self._ownership.acquire(timeout=0)
        except filelock.Timeout:
            return False
        self._lock_inode = inode(self._lock_path)
        return True

    def _own_index(self) -> None:
        """Do what there is to do until told to stop, or until the index or the lock is another one."""
        migrate_legacy(self._paths)
        self._suspect, look_at = False, 0.0
        with closing(self._open_index()) as index:
            self._index, self._index_inode = index, inode(self._database)
            self._states, self._doubtful, self._complete_for = index.file_states(), set(), ""
            self.owning = True
            while not self._is_out_of_time() and self._is_current():
                now = time.monotonic()
                if now >= look_at or self._wake.is_set():
                    look_at = now + self._index_changes()
                elif self._stop.is_set():
                    return
                elif not self._embed_some():
                    self._wake.wait(look_at - now)

    def _index_changes(self) -> float:
        """Index every file that has changed; return the seconds to the next time."""
        self._wake.clear()
        self._looks_begun += 1
        begun = time.monotonic()
        changed = self._changed()
        took = time.monotonic() - begun
        if all(map(self._index_one, changed)):
            self._looks_done = self._looks_begun
        self.trouble = ""
        return max(_LOOK, _LOOKS_SHARE * took)

    def _index_one(self, change: SourceFile | str) -> bool:
        """Index one file that has changed or is gone; return whether that was done with."""
        name = change if isinstance(change, str) else change.relative
        if self._rests(name):
            return True
        if self._is_out_of_time() or not self._is_current():
            return False
        try:
            self._remove(change) if isinstance(change, str) else self._update(change)
        except StoreError:
            raise
        except Exception as error:  # one file must not keep the others waiting
            self._rest(name)
            warn_once(name, f"it cannot be indexed ({type(error).__name__}), and is tried again now and then")
        else:
            self._failures.pop(name, None)
            self._logged = self._complete_for = ""
        return True

    def _changed(self) -> list[SourceFile | str]:
        """Return the files that differ from the manifest, in the order of changes, then the names of those gone.

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
        changed.sort(key=lambda source: (source.mtime_ns, source.relative))
        return [*changed, *sorted(gone)]

    def _remove(self, relative: str) -> None:
        self._index.apply(FileChange(relative, None))
        self._states.pop(relative, None)
        self._doubtful.discard(relative)

    def _update(self, source: SourceFile) -> None:
        """Bring the index up to date with one file."""
        looked_at = time.time_ns()  # as the file system counts; the injected clock may have another date
        reached = index_file(
            self._index,
            source,
            self._states.get(source.relative),
            self._chunking,
            most_held=self._most_held,
            oldest=self._oldest(),
            is_stopping=self._is_out_of_time,
        )
        if reached is None:
            self._states = self._index.file_states()
            return
        self._states[source.relative] = reached
        tick = _COARSE_TICK_NS if reached.mtime_ns % 1_000_000_000 == 0 else _TICK_NS
        if abs(looked_at - reached.mtime_ns) < tick:  # a time far ahead is of another clock: it does not come again
            self._doubtful.add(source.relative)
        else:
            self._doubtful.discard(source.relative)

    def _expire(self) -> None:
        """Drop observations that are too old, at the start and once a day."""
        now, oldest = self._clock.now(), self._oldest()
        # A clock that was set back must not put it off for longer than a day either.
        if oldest is None or (self._expired_at is not None and abs(now - self._expired_at) < _EXPIRY_INTERVAL):
            return
        if dropped := self._index.drop_older_than(PASSING_SOURCE, oldest):
            logger.info("{} observations that are too old left the index; their notes stay", dropped)
        self._expired_at = now

    def _oldest(self) -> datetime | None:
        return self._clock.now() - self._max_age if self._max_age is not None else None

    def _embed_some(self) -> bool:
        """Embed a batch of what has no vector of the present model, newest first; return whether there was one.

        While those of a new model are made, a search compares what there is of them, and by words all the rest.
        """
        embedder = self._embedder()
        if embedder is None or embedder.name == self._complete_for or self._rests(_MODEL):
            return False
        texts = self._index.texts_without_vector(embedder.name, _BATCH)
        if not texts:
            self._complete_for = embedder.name
            return False
        try:
            vectors = embedder.encode(list(texts.values()))
        except Exception as error:  # a model or a remote service may fail in any way
            count, kind, seconds = len(texts), type(error).__name__, self._rest(_MODEL)
            logger.warning("{} texts could not be embedded ({}); trying again in {:.0f} s", count, kind, seconds)
            return False
        self._failures.pop(_MODEL, None)
        self._index.put_vectors(embedder.name, list(zip(texts, vectors, strict=True)))
        return True

    def _rests(self, name: str) -> bool:
        return name in self._failures and time.monotonic() < self._failures[name][1]

    def _rest(self, name: str) -> float:
        """Let what failed rest, longer each time; return for how long."""
        times, _ = self._failures.get(name, (0, 0.0))
        rest = min(_LONGEST_REST, _FIRST_REST * 2.0**times)
        self._failures[name] = times + 1, time.monotonic() + rest
        return rest

    def _is_current(self) -> bool:
        # Where the lock file was removed or replaced, another process may hold a new one.
        is_owner = not self._suspect and inode(self._lock_path) == self._lock_inode
        return is_owner and inode(self._database) == self._index_inode

    def _is_out_of_time(self) -> bool:
        return self._stop.is_set() and time.monotonic() >= self._drain_until

    def _complain(self, error: Exception) -> None:
        trouble = self.trouble = str(error) if isinstance(error, NanobotMemoryError) else type(error).__name__
        if trouble != self._logged:  # until something was written
            self._logged = trouble
            logger.warning("indexing failed and is tried again every {:.0f} s: {}", _REST_AFTER_FAILURE, trouble)

    def _pause(self, seconds: float) -> None:
        self._wake.wait(max(0.0, seconds))
        self._wake.clear()


async def caught_up(waiting: Callable[[], Awaitable[int]], stuck: float, lock: str) -> None:
    """Return once nothing is ``waiting`` to be indexed, by whichever process holds the file ``lock``.

    Raises `StoreError` when that makes no progress for ``stuck`` seconds.
    """
    before, changed_at, pause = -1, time.monotonic(), _POLL
    while left := await waiting():
        if left != before:
            before, changed_at = left, time.monotonic()
        elif time.monotonic() - changed_at > stuck:
            raise StoreError(
                "The index does not get up to date.",
                hint=Sentence("See the log of the process that holds .storage/{lock}, or end that process.", lock=lock),
            )
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_POLL)
