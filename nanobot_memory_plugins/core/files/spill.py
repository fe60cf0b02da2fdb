"""Where records wait while another process has their file locked.

A spill file belongs to the process that made it, which holds the lock file beside it for as long as it
lives. What a dead process left is merged by the next one that starts.
"""

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import Appender, FileBusyError, make_folder
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.files.spill_format import SpilledRecord, merge_into, read_spill
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Nobody else holds this lock for longer than it takes to see that the spill file is missing.
_OWN_LOCK_SECONDS = 1.0


class SpillFile:
    """The spill file of this process. It is made when it is first needed."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self.path = paths.spill / f"{os.getpid()}-{secrets.token_hex(8)}.spill"
        self._lock: FileLock | None = None
        self._count = 0  # records in the file
        self._waiting: dict[Path, set[int]] = {}  # the numbers of those that are not home yet

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def holds(self, target: Path) -> bool:
        """Return whether records for ``target`` wait."""
        return target in self._waiting

    def add(self, appender: Appender, target: Path, data: bytes) -> int:
        """Put a record in the spill file and return the line of its bytes. Raises `MemoryFileError`."""
        make_folder(self._paths, self._paths.spill)
        if self._lock is None:
            lock = private_lock(_lock_of(self.path))
            try:
                lock.acquire(timeout=_OWN_LOCK_SECONDS)
            except (OSError, Timeout) as error:
                raise MemoryFileError(Sentence("The spill file cannot be locked: {error}.", error=error)) from error
            self._lock = lock
        record = SpilledRecord(target, data).encoded(self._paths)
        line = appender.append_unlocked(self.path, record) + 1
        self._waiting.setdefault(target, set()).add(self._count)
        self._count += 1
        return line

    def merge(
        self, appender: Appender, merged: Callable[[Path], None], *, only: Path | None = None, wait: bool
    ) -> None:
        """Bring home what waits, for all files or only one.

        ``merged`` is called with each file that was appended to. Files that are still locked keep waiting.
        Raises `MemoryFileError` when a file cannot be written or the spill file not be read; what waits is
        kept.
        """
        failure: MemoryFileError | None = None
        for target in sorted(self._waiting) if only is None else [only]:
            try:
                if merge_into(appender, target, partial(self._read, target), wait=wait):
                    merged(target)
            except FileBusyError:
                continue
            except MemoryFileError as error:
                failure = error
                continue
            del self._waiting[target]
        if failure is not None:
            raise failure
        if not self._waiting and self._count:
            appender.sync()
            self._count = 0
            _remove(self.path)

    def _read(self, target: Path) -> list[SpilledRecord]:
        """Return what waits for ``target``, and nothing that has been merged before."""
        numbers = self._waiting[target]
        return [r for n, r in enumerate(read_spill(self._paths, self.path)) if n in numbers]

    def close(self) -> None:
        """Give up the spill file. What still waits is merged by whoever starts next."""
        if self._lock is not None:
            if not self._count:
                _remove(_lock_of(self.path))
            self._lock.release()
            self._lock = None
        self._waiting.clear()


def merge_abandoned(paths: MemoryPaths, appender: Appender, merged: Callable[[Path], None]) -> tuple[int, bool]:
    """Merge the spill files of processes that live no more.

    Returns how many records were appended, and whether it is worth trying again soon because a file was
    locked. A spill file that cannot be understood stays where it is.
    """
    appended, again = 0, False
    if paths.spill.is_symlink():
        return appended, again  # what is merged is removed, and these files are somebody else's
    for path in _oldest_first(paths.spill.glob("*.spill")):
        lock = private_lock(_lock_of(path))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue  # its process lives
        except OSError:
            logger.warning("The spill file {} cannot be locked and stays where it is", path.name)
            continue
        try:
            by_target = _by_target(read_spill(paths, path)) if path.is_file() else {}
            failure: MemoryFileError | None = None
            for target, records in by_target.items():
                try:
                    count = merge_into(appender, target, partial(iter, records), wait=True)
                except MemoryFileError as error:
                    failure = error
                    again = again or isinstance(error, FileBusyError)
                    continue
                if count:
                    appended += count
                    merged(target)
            if failure is not None:
                raise failure
            appender.sync()
            _remove(path)
            _remove(_lock_of(path))
        except FileBusyError:
            logger.debug("The spill file {} waits for a file that is locked", path.name)
        except MemoryFileError as error:
            logger.warning("The spill file {} stays where it is: {}", path.name, error)
        finally:
            lock.release()
    _remove_orphaned_locks(paths)
    return appended, again


def _by_target(records: Iterable[SpilledRecord]) -> dict[Path, list[SpilledRecord]]:
    result: dict[Path, list[SpilledRecord]] = {}
    for record in records:
        result.setdefault(record.target, []).append(record)
    return result


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")


def _oldest_first(paths: Iterable[Path]) -> list[Path]:
    def modified(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0

    return sorted(paths, key=modified)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _remove_orphaned_locks(paths: MemoryPaths) -> None:
    """Remove lock files whose spill file is gone and whose process lives no more."""
    for path in paths.spill.glob("*.lock"):
        if path.with_suffix(".spill").exists():
            continue
        lock = private_lock(path)
        with contextlib.suppress(OSError, Timeout):
            lock.acquire(timeout=0)
            try:
                _remove(path)
            finally:
                lock.release()
