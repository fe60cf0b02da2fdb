"""The indexer's thread, and waiting for its progress."""

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
from nanobot_memory_plugins.storage.indexer.file_indexing import EXPIRING_SOURCE, index_file
from nanobot_memory_plugins.storage.sources.migration import migrate_legacy
from nanobot_memory_plugins.storage.sources.pieces import warn_once
from nanobot_memory_plugins.storage.sources.source_files import SourceFile, SourceFinder

# Seconds between attempts to become the owner, and between scans of all files; a scan of very many files is so rare
# that it takes no more than a fiftieth of the time.
_RETRY_SECONDS, _SCAN_SECONDS, _SCAN_DIVISOR = 2.0, 1.0, 50
# Seconds to wait after the indexing failed; after one file or the model failed, doubled each time up to a limit.
_FAILURE_SECONDS, _FIRST_BACKOFF, _LONGEST_BACKOFF = 5.0, 2.0, 60.0
STUCK_SECONDS = 120.0
"""How long an index may make no progress before `wait_until_indexed` gives up."""
# Seconds between checks of the progress, at first and at most.
_POLL, _LONGEST_POLL = 0.02, 0.5
# A file that changed less than this before it was read may change again without a new modification time: the kernel's
# clock for files ticks every 4 to 10 ms, and some file systems count in whole seconds.
_TICK_NS, _COARSE_TICK_NS = 20_000_000, 2_000_000_000
_EXPIRY_INTERVAL = timedelta(days=1)
# Texts per step of the model: some tens of milliseconds with the built-in one, so that new text waits no longer.
_BATCH = 64
_MODEL = "the model"  # no file has this name


class Indexer:
    """Keeps the index of a workspace up to date, in a thread, while this process owns it.

    The owner holds the file lock ``lock``, which the system releases however the process ends.

    ``database`` is the file of the index, if it is one; the thread calls ``open_index``. It scans all files every
    second, and at once after `notify`. `notify`, `request_scan` and `has_scanned` may be called from any thread. At
    most ``max_pending`` documents are in memory at a time. Observations older than ``max_age`` are deleted from the
    index. ``is_owner`` tells whether this process is the owner, and ``trouble`` is the last failure, or empty.
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
        max_pending: int = 1_000,
        max_age: timedelta | None = timedelta(days=30),
    ) -> None:
        self.is_owner = False
        self.trouble = ""
        self._paths = paths
        self._sources = SourceFinder(paths)
        self._lock_path = lock
        self._lock = private_lock(lock)
        self._lock_inode = 0
        self._database = database
        self._open_index = open_index
        self._embedder = embedder
        self._clock = clock
        self._chunking, self._max_pending, self._max_age = chunking, max_pending, max_age
        self._expired_at: datetime | None = None
        # The state of the index while this process owns it and has it open.
        self._index: FileIndex
        self._index_inode = 0
        self._states: dict[str, FileState] = {}
        self._unsettled: set[str] = set()
        self._embedded_model = ""  # the model for which every passage has a vector
        self._scans_started = self._scans_finished = 0
        # Failures by file name, or `_MODEL`: how often it failed, and when it is tried again.
        self._failures: dict[str, tuple[int, float]] = {}
        self._last_report = ""
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._must_reopen = False
        self._drain_until = 0.0
        self._thread = threading.Thread(target=self._run, name="nanobot-memory-index", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def notify(self) -> None:
        """Wake the thread because a file has changed. Unless this process is the owner, nothing happens."""
        self._wake.set()

    def request_scan(self) -> int:
        """Request an immediate scan of all files, clear the last trouble, and return the number for `has_scanned`."""
        self.trouble = ""
        number = self._scans_started + 1
        self.notify()
        return number

    def has_scanned(self, number: int) -> bool:
        """Return whether the scan with a number from `request_scan` is finished. Only the owner of the index scans."""
        return self._scans_finished >= number

    def reopen(self) -> None:
        """Reopen the index, which checks it: a search found it unusable."""
        self._must_reopen = True
        self._wake.set()

    def stop(self, drain: float = 5.0) -> None:
        """Finish the pending files, for at most ``drain`` seconds, and end the thread."""
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
                if self._acquire_lock():
                    self._run_as_owner()
                else:
                    self._pause(_RETRY_SECONDS)
            except Exception as error:  # no error may end the indexing for good
                self._report_failure(error)
                self._pause(_FAILURE_SECONDS)
            finally:
                self.is_owner = False
                with suppress(OSError):
                    self._lock.release(force=True)

    def _acquire_lock(self) -> bool:
        """Take the lock if it is free, and return whether this process holds it. Raises OSError when it is unusable."""
        self._lock_path.parent.mkdir(0o700, parents=True, exist_ok=True)
        try:
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            return False
        self._lock_inode = inode(self._lock_path)
        return True

    def _run_as_owner(self) -> None:
        """Index and embed until the indexer is stopped, or the file of the index or of the lock is replaced."""
        migrate_legacy(self._paths)
        self._must_reopen, next_scan = False, 0.0
        with closing(self._open_index()) as index:
            self._index, self._index_inode = index, inode(self._database)
            self._states, self._unsettled, self._embedded_model = index.file_states(), set(), ""
            self.is_owner = True
            while not self._must_stop() and self._is_still_owner():
                now = time.monotonic()
                if now >= next_scan or self._wake.is_set():
                    next_scan = now + self._index_changes()
                elif self._stop.is_set():
                    return
                elif not self._embed_batch():
                    self._wake.wait(next_scan - now)

    def _index_changes(self) -> float:
        """Index every changed file, and return the seconds until the next scan."""
        self._wake.clear()
        self._scans_started += 1
        started = time.monotonic()
        changed = self._find_changes()
        took = time.monotonic() - started
        if all(map(self._index_change, changed)):
            self._scans_finished = self._scans_started
        self.trouble = ""
        return max(_SCAN_SECONDS, _SCAN_DIVISOR * took)

    def _index_change(self, change: SourceFile | str) -> bool:
        """Index one file that has changed or is gone, and return whether the scan may go on."""
        name = change if isinstance(change, str) else change.relative
        if self._is_backing_off(name):
            return True
        if self._must_stop() or not self._is_still_owner():
            return False
        try:
            self._remove(change) if isinstance(change, str) else self._update(change)
        except StoreError:
            raise
        except Exception as error:  # one file must not hold up the others
            self._back_off(name)
            warn_once(name, f"it cannot be indexed ({type(error).__name__}), and is tried again now and then")
        else:
            self._failures.pop(name, None)
            self._last_report = self._embedded_model = ""
        return True

    def _find_changes(self) -> list[SourceFile | str]:
        """Return the files that differ from the manifest, oldest change first, then the names of deleted files.

        Raises OSError when the files cannot be listed for now.
        """
        self._expire()
        sources = self._sources.find(raise_errors=True)
        deleted = self._states.keys() - {source.relative for source in sources}
        changed = [
            source
            for source in sources
            if source.relative in self._unsettled or not source.is_unchanged_since(self._states.get(source.relative))
        ]
        changed.sort(key=lambda source: (source.mtime_ns, source.relative))
        return [*changed, *sorted(deleted)]

    def _remove(self, relative: str) -> None:
        self._index.apply(FileChange(relative, None))
        self._states.pop(relative, None)
        self._unsettled.discard(relative)

    def _update(self, source: SourceFile) -> None:
        """Bring the index up to date with one file."""
        read_at = time.time_ns()  # as the file system counts; the injected clock may have another date
        reached = index_file(
            self._index,
            source,
            self._states.get(source.relative),
            self._chunking,
            max_pending=self._max_pending,
            oldest=self._expiry_limit(),
            is_stopping=self._must_stop,
        )
        if reached is None:
            self._states = self._index.file_states()
            return
        self._states[source.relative] = reached
        tick = _COARSE_TICK_NS if reached.mtime_ns % 1_000_000_000 == 0 else _TICK_NS
        if abs(read_at - reached.mtime_ns) < tick:  # a time far in the future is another clock's: no change repeats it
            self._unsettled.add(source.relative)
        else:
            self._unsettled.discard(source.relative)

    def _expire(self) -> None:
        """Delete observations that are too old, at the start and once a day."""
        now, oldest = self._clock.now(), self._expiry_limit()
        # Even a clock that was set back must not delay it by more than a day.
        if oldest is None or (self._expired_at is not None and abs(now - self._expired_at) < _EXPIRY_INTERVAL):
            return
        if dropped := self._index.drop_older_than(EXPIRING_SOURCE, oldest):
            logger.info("{} observations that are too old left the index; their notes stay", dropped)
        self._expired_at = now

    def _expiry_limit(self) -> datetime | None:
        return self._clock.now() - self._max_age if self._max_age is not None else None

    def _embed_batch(self) -> bool:
        """Embed a batch of texts without a vector of the present model, newest first; return whether there was one.

        Until all vectors of a new model exist, a search compares the existing ones and finds the rest by words.
        """
        embedder = self._embedder()
        if embedder is None or embedder.name == self._embedded_model or self._is_backing_off(_MODEL):
            return False
        texts = self._index.texts_without_vector(embedder.name, _BATCH)
        if not texts:
            self._embedded_model = embedder.name
            return False
        try:
            vectors = embedder.encode(list(texts.values()))
        except Exception as error:  # a model or a remote service may raise anything
            count, kind, seconds = len(texts), type(error).__name__, self._back_off(_MODEL)
            logger.warning("{} texts could not be embedded ({}); trying again in {:.0f} s", count, kind, seconds)
            return False
        self._failures.pop(_MODEL, None)
        self._index.put_vectors(embedder.name, list(zip(texts, vectors, strict=True)))
        return True

    def _is_backing_off(self, name: str) -> bool:
        return name in self._failures and time.monotonic() < self._failures[name][1]

    def _back_off(self, name: str) -> float:
        """Record a failure, and return the seconds until the next attempt, which double each time."""
        times, _ = self._failures.get(name, (0, 0.0))
        rest = min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2.0**times)
        self._failures[name] = times + 1, time.monotonic() + rest
        return rest

    def _is_still_owner(self) -> bool:
        # If the lock file was removed or replaced, another process may hold a new one.
        is_owner = not self._must_reopen and inode(self._lock_path) == self._lock_inode
        return is_owner and inode(self._database) == self._index_inode

    def _must_stop(self) -> bool:
        return self._stop.is_set() and time.monotonic() >= self._drain_until

    def _report_failure(self, error: Exception) -> None:
        trouble = self.trouble = str(error) if isinstance(error, NanobotMemoryError) else type(error).__name__
        if trouble != self._last_report:  # cleared when something was indexed
            self._last_report = trouble
            logger.warning("indexing failed and is tried again every {:.0f} s: {}", _FAILURE_SECONDS, trouble)

    def _pause(self, seconds: float) -> None:
        self._wake.wait(max(0.0, seconds))
        self._wake.clear()


async def wait_until_indexed(remaining: Callable[[], Awaitable[int]], stuck_seconds: float, lock: str) -> None:
    """Wait until ``remaining`` returns 0: then the process that holds the file ``lock`` has indexed everything.

    Raises `StoreError` when there is no progress for ``stuck_seconds`` seconds.
    """
    last_remaining, progress_at, pause = -1, time.monotonic(), _POLL
    while remaining_now := await remaining():
        if remaining_now != last_remaining:
            last_remaining, progress_at = remaining_now, time.monotonic()
        elif time.monotonic() - progress_at > stuck_seconds:
            raise StoreError(
                "The index does not get up to date.",
                hint=Sentence("See the log of the process that holds .storage/{lock}, or end that process.", lock=lock),
            )
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_POLL)
