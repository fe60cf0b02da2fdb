"""The indexer's thread."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import filelock

from nanobot_memory_plugins.core import Clock, Embedder, NanobotMemoryError, StoreError, logger
from nanobot_memory_plugins.core.files import MemoryPaths, make_missing, private_lock
from nanobot_memory_plugins.storage.indexer.backlog import Backlog, Marker
from nanobot_memory_plugins.storage.indexer.database import FileIndex
from nanobot_memory_plugins.storage.indexer.session import IndexSession, SessionSettings
from nanobot_memory_plugins.storage.indexer.vectors import VectorFiller
from nanobot_memory_plugins.storage.indexer.watching import Watcher
from nanobot_memory_plugins.storage.sources.migration import migrate_legacy
from nanobot_memory_plugins.storage.sources.notices import is_well, warn_once
from nanobot_memory_plugins.storage.sources.places import Places


class Ownership:
    """The lock of ``.storage/indexer.lock``: one process holds it, and loses it by ending, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # The lock is taken in the indexer's thread, and asked about in others.
        self._lock = private_lock(path, thread_local=False)
        self._inode = 0

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._lock.is_locked

    def try_acquire(self) -> bool:
        """Take the lock if it is free; return whether it is held now. Raises OSError when it cannot be used."""
        if self.held:
            return True
        make_missing(self._path.parent)
        try:
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            return False
        self._inode = self._path.stat().st_ino
        return True

    def lost(self) -> bool:
        """Tell whether the lock file was removed or replaced, so that another process may hold a new one."""
        try:
            return self._path.stat().st_ino != self._inode
        except OSError:
            return True

    def release(self) -> None:
        """Give the lock back; without it nothing happens."""
        try:
            self._lock.release(force=True)
        except OSError as error:
            logger.warning("cannot release the indexer's lock: {}", type(error).__name__)


# Seconds. How often a process that is not the owner tries to become it, and how often the owner looks around:
# for a database that was replaced, and at all files, in case a notification was lost or there are none.
_RETRY_OWNERSHIP = 2.0
_TICK = 1.0
_SCAN_WATCHED, _SCAN_UNWATCHED = 30.0, 2.0
_REST_AFTER_FAILURE = 5.0


@dataclass(frozen=True, slots=True)
class IndexerState:
    """What the indexer of this process is doing, for people. ``trouble`` names the last failure, or is empty."""

    owning: bool = False
    ready: bool = False
    waiting_files: int = 0
    trouble: str = ""


class Indexer:
    """Keeps the index of a workspace up to date, in a thread, while this process owns it.

    ``database`` is its file, where it has one; ``open_database`` is called in that thread. When it looks around by
    itself goes by ``clock``; how long it waits to be woken, and takes to stop, by the machine's own.
    `notify` and `barrier` may be called from any thread.
    """

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        lock: Path,
        database: Path | None,
        open_database: Callable[[], FileIndex],
        embedder: Callable[[], Embedder | None],
        settings: SessionSettings,
        clock: Clock,
        watch: bool = True,
    ) -> None:
        self._paths = paths
        self._places = Places(paths)
        self._ownership = Ownership(lock)
        self._database_path = database
        self._open_database = open_database
        self._embedder = embedder
        self._settings = settings
        self._clock = clock
        self._watch = watch
        self._backlog = Backlog()
        self._barriers: list[Marker] = []
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._look_soon = self._suspect = False
        self._drain_until = 0.0
        self._state = IndexerState()
        self._thread = threading.Thread(target=self._run, name="nanobot-memory-index", daemon=True)

    @property
    def state(self) -> IndexerState:
        """What the indexer was doing a moment ago."""
        return self._state

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def notify(self, path: Path) -> None:
        """Learn that a file has changed. Without the ownership nothing happens: the owner watches."""
        if self._state.owning and self._places.kind(path) is not None:
            self._backlog.add(path)
            self._wake.set()

    def barrier(self) -> Marker:
        """Return a future that completes once everything that stands in the files now has been looked at.

        It does so only while this process owns the index; cancel it when it is not wanted any more.
        """
        marker: Marker = Future()
        with self._lock:
            if self._stop.is_set():
                marker.cancel()
                return marker
            self._barriers.append(marker)
        self._wake.set()
        return marker

    def check_database(self) -> None:
        """Open the database anew, with the checks that opening makes: a search found it unusable."""
        self._suspect = True
        self._wake.set()

    def stop(self, drain: float = 5.0) -> None:
        """Finish the files that were accepted, for at most ``drain`` seconds, and end the thread."""
        with self._lock:
            self._drain_until = time.monotonic() + drain
            self._stop.set()
        self._wake.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(drain + 5.0)
            if self._thread.is_alive():
                logger.warning("the indexer's thread did not end in time; it ends with the process")

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                try:
                    if self._ownership.try_acquire():
                        self._own()
                    else:
                        self._pause(_RETRY_OWNERSHIP)
                except Exception as error:  # whatever it is, it must not end the indexing for good
                    self._complain(error)
                    self._fail_markers()
                    self._pause(_REST_AFTER_FAILURE)
                finally:
                    self._ownership.release()
                    self._say(owning=False, ready=False, waiting_files=0)
        finally:
            self._fail_markers()

    def _own(self) -> None:
        migrate_legacy(self._paths.workspace, self._paths)
        watcher = Watcher(self._paths.memory, self._heard)
        with closing(self._open_database()) as database:
            session = IndexSession(
                database, self._database_path, self._places, self._settings, self._clock, self._out_of_time
            )
            filler = VectorFiller(database, self._embedder, self._clock)
            try:
                self._say(owning=True, ready=True, trouble="")
                self._serve(session, filler, watcher if self._watch else None)
            finally:
                self._say(owning=False)
                watcher.stop()
                for marker in self._backlog.clear():
                    marker.cancel()

    def _serve(self, session: IndexSession, filler: VectorFiller, watcher: Watcher | None) -> None:
        """Do what there is to do until told to stop, or until the database or the lock is another one."""
        scan_at = look_at = 0.0
        while not self._must_stop():
            now = self._clock.monotonic()
            if now >= look_at:
                look_at = now + _TICK
                if self._suspect or self._ownership.lost() or session.replaced():
                    self._suspect = False
                    return
                if watcher is not None:
                    watcher.refresh()
                session.expire()
                if session.changed_elsewhere():
                    scan_at = now
            if now >= scan_at or self._barriers or self._look_soon:
                if session.replaced():
                    return  # and look at everything with the new one, before any barrier is answered
                self._look_soon = False
                self._look_at_everything(session)
                scan_at = now + (_SCAN_WATCHED if watcher is not None and watcher.working else _SCAN_UNWATCHED)
            if self._work_one(session, filler) or self._stop.is_set():
                continue
            if not filler.step():
                self._pause(look_at - self._clock.monotonic())

    def _look_at_everything(self, session: IndexSession) -> None:
        with self._lock:
            barriers, self._barriers = self._barriers, []
        for path in session.changed():
            if not self._backlog.is_resting(path):
                self._backlog.add(path)
        for marker in barriers:
            self._backlog.add_marker(marker)

    def _work_one(self, session: IndexSession, filler: VectorFiller) -> bool:
        """Do the next thing of the backlog; return whether there was one."""
        item = self._backlog.take()
        self._say(waiting_files=len(self._backlog))
        if item is None:
            return False
        if isinstance(item, Future):
            if item.set_running_or_notify_cancel():
                item.set_result(None)
            return True
        try:
            if session.bring_up(item):
                filler.more_text()
                is_well(str(self._database_path))
            self._backlog.succeeded(item)
        except StoreError:
            self._backlog.failed(item)
            raise
        except Exception as error:  # one file must not keep the others waiting
            delay = self._backlog.failed(item)
            warn_once(str(item), f"it cannot be indexed ({type(error).__name__}); tried again from {delay:.0f} s on")
        return True

    def _must_stop(self) -> bool:
        """Tell whether the thread has to end now: it was told to, and is done or out of time."""
        return self._out_of_time() or (self._stop.is_set() and not len(self._backlog) and not self._barriers)

    def _out_of_time(self) -> bool:
        return self._stop.is_set() and time.monotonic() >= self._drain_until

    def _heard(self, path: Path) -> None:
        """Queue what the watcher heard of. A folder that came or went may hold files: everything is looked at."""
        if self._places.kind(path) is not None:
            self._backlog.add(path)
        elif self._places.may_hold_files(path):
            self._look_soon = True
        else:
            return
        self._wake.set()

    def _complain(self, error: Exception) -> None:
        trouble = str(error) if isinstance(error, NanobotMemoryError) else type(error).__name__
        # The database opens again meanwhile: well it is when something was written.
        said = f"indexing failed and is tried again every {_REST_AFTER_FAILURE:.0f} s: {trouble}"
        warn_once(str(self._database_path), trouble, said=said)
        self._say(trouble=trouble)

    def _pause(self, seconds: float) -> None:
        self._wake.wait(max(0.0, seconds))
        self._wake.clear()

    def _fail_markers(self) -> None:
        with self._lock:
            barriers, self._barriers = self._barriers, []
        for marker in barriers:
            marker.cancel()

    def _say(self, **changes: Any) -> None:
        self._state = replace(self._state, **changes)
