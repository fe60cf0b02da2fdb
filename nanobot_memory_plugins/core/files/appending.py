"""Locked appends to the memory files: each is one write, and is completed or undone."""

import errno
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import SYMLINK_REFUSED, make_private_folder, private_lock, restrict_file
from nanobot_memory_plugins.core.files.reading import file_stamp
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.core.isolation.fork import at_fork
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LOCK_POLL_SECONDS = 0.002
_BUSY = "The memory files are locked by another process."
_MOST_FILES = 1_024
_READ_BYTES = 1 << 20  # bytes per read
_COMMON_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a named pipe must not block the thread
    | getattr(os, "O_BINARY", 0)
)

# One lock per lock file, for the threads of this process that wait for it.
_queues: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
at_fork(_queues.clear)  # the waiting threads of the parent process do not exist in the child


class FileBusyError(MemoryFileError):
    """Another process has the file locked."""


@contextmanager
def workspace_lock(paths: MemoryPaths, name: str, seconds: float) -> Iterator[None]:
    """Hold a lock of the workspace, across processes and threads.

    "files" protects all memory files: appenders hold it for one write, about a millisecond. Hold it while you replace a
    file, and no longer. Raises as `acquire_lock` does.
    """
    deadline = time.monotonic() + seconds
    queue = _queues.setdefault(str(paths.locks / name), threading.Lock())
    if not queue.acquire(timeout=seconds):
        raise FileBusyError(_BUSY)
    try:
        with acquire_lock(paths, name, max(0.0, deadline - time.monotonic())):
            yield
    finally:
        queue.release()


def acquire_lock(paths: MemoryPaths, name: str, seconds: float) -> AbstractContextManager[object]:
    """Acquire a lock of the workspace, and return the context manager that releases it.

    "work" is for tasks that take seconds: a purge, or importing a host's history. Raises `FileBusyError` when the lock
    is not free within ``seconds``, and `MemoryFileError` when it cannot be created.
    """
    from filelock import Timeout

    make_folder(paths, paths.locks)
    path = paths.locks / f"{name}.lock"
    try:
        return private_lock(path).acquire(timeout=seconds, poll_interval=_LOCK_POLL_SECONDS)
    except Timeout as error:
        raise FileBusyError(_BUSY) from error
    except OSError as error:
        raise _memory_file_error(error, paths, path) from error


def make_folder(paths: MemoryPaths, folder: Path) -> None:
    """Create a private folder at or below ``paths.memory``.

    Raises `MemoryFileError`, also when one of the folders is a symbolic link.
    """
    try:
        make_private_folder(folder, below=paths.memory)
    except OSError as error:
        raise _memory_file_error(error, paths, folder) from error


class Appender:
    """Appends to the memory files of one workspace. Not thread-safe."""

    def __init__(self, paths: MemoryPaths, lock_seconds: float) -> None:
        self._paths = paths
        self.lock_seconds = lock_seconds
        # The stamp of each file after the last append, and its number of line breaks then.
        self._line_breaks: BoundedDict[Path, tuple[object, int]] = BoundedDict(_MOST_FILES)
        self._unsynced: dict[Path, bool] = {}  # path -> whether the file was created

    def append(self, path: Path, data: bytes) -> int:
        """Append ``data`` to a file in one write, under the lock, and return the line on which it starts, from 1.

        An incomplete last line, left by a crash, is terminated first, and in a Markdown file a blank line precedes
        ``data``. An incomplete write is undone. Raises `FileBusyError` when the lock is not free within
        ``lock_seconds``, and `MemoryFileError` with the cause for every other failure.
        """
        try:
            make_folder(self._paths, path.parent)
            with workspace_lock(self._paths, "files", self.lock_seconds):
                return self._append(path, data)
        except OSError as error:
            raise _memory_file_error(error, self._paths, path) from error

    def sync(self) -> None:
        """Flush everything that was appended to the disk. Raises `MemoryFileError`."""
        unsynced, self._unsynced = self._unsynced, {}
        failed: MemoryFileError | None = None
        for path, new in unsynced.items():
            try:
                descriptor = os.open(path, os.O_RDWR | _COMMON_FLAGS)
            except OSError:
                continue  # moved or removed in the meantime
            try:
                os.fsync(descriptor)
            except OSError as error:
                failed = _memory_file_error(error, self._paths, path)
            finally:
                os.close(descriptor)
            if new:
                sync_folder(path.parent)
        if failed is not None:
            raise failed

    def _append(self, path: Path, data: bytes) -> int:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _COMMON_FLAGS, 0o600)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise MemoryFileError(Sentence("{relative} is no regular file.", relative=self._paths.relative(path)))
            if path.parent != self._paths.memory:  # Markdown files keep the mode that people gave them
                restrict_file(path)
            breaks = self._count_line_breaks(path, descriptor)
            separator = _separator(path, descriptor, status.st_size)
            _write_whole(descriptor, separator + data, status.st_size)
            self._unsynced[path] = self._unsynced.get(path, False) or status.st_size == 0
            self._line_breaks[path] = file_stamp(descriptor), breaks + len(separator) + data.count(b"\n")
            return breaks + len(separator) + 1
        finally:
            os.close(descriptor)

    def _count_line_breaks(self, path: Path, descriptor: int) -> int:
        """Return the number of line breaks in a file. The file is read only when another process has changed it."""
        stamp, breaks = self._line_breaks.get(path, (None, 0))
        if stamp is not None and stamp == file_stamp(descriptor):
            return breaks
        os.lseek(descriptor, 0, os.SEEK_SET)
        return sum(block.count(b"\n") for block in iter(lambda: os.read(descriptor, _READ_BYTES), b""))


def _separator(path: Path, descriptor: int, size: int) -> bytes:
    """Return the line breaks that must precede a new record."""
    os.lseek(descriptor, max(0, size - 3), os.SEEK_SET)
    tail = os.read(descriptor, 3)
    is_markdown = path.suffix == ".md"
    if tail and not tail.endswith(b"\n"):
        return b"\n\n" if is_markdown else b"\n"
    if is_markdown and tail not in (b"", b"\n") and not tail.endswith((b"\n\n", b"\n\r\n")):
        return b"\n"
    return b""


def _write_whole(descriptor: int, data: bytes, size: int) -> None:
    """Write all of ``data`` at the end of a file of ``size`` bytes, or nothing. Raises `OSError`."""
    view, written = memoryview(data), 0
    try:
        while written < len(view):
            # A first write is short only when the disk is full or a limit is reached. The second one then raises
            # the reason, which a short write does not tell.
            count = os.write(descriptor, view[written:])
            if count == 0:
                raise OSError(errno.EIO, "nothing could be written")
            written += count
    except OSError:
        if written and os.fstat(descriptor).st_size == size + written:
            os.ftruncate(descriptor, size)
        raise


def _memory_file_error(error: OSError, paths: MemoryPaths, path: Path) -> MemoryFileError:
    """Return the error that describes a failed operation on ``path``."""
    if error.strerror == SYMLINK_REFUSED:
        return MemoryFileError(
            Sentence("{name} cannot be written: {why}.", name=paths.relative(error.filename), why=SYMLINK_REFUSED),
            hint=Sentence("Replace it by a real folder, and move into that what the link leads to."),
        )
    return MemoryFileError(
        Sentence(
            "{name} cannot be written: {why}.", name=paths.relative(path), why=error.strerror or type(error).__name__
        )
    )
