"""One append: under the lock, in one write, whole or undone."""

import contextlib
import errno
import io
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.lines import LineCounter, read_at
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import LINKED, REPLACE_LINK, narrow_file, private_folder, private_lock
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.core.text.markdown import count_breaks
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from filelock import FileLock

_LOCK_POLL_SECONDS = 0.002
_COMMON_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a named pipe must not hold up the thread
    | getattr(os, "O_BINARY", 0)
)


class FileBusyError(MemoryFileError):
    """Another process has the file locked."""


def file_lock(paths: MemoryPaths) -> "FileLock":
    """Return the cross-process lock that guards the memory files against their appenders.

    There is one for all of them: it is held for the time of one write, a millisecond or so, and a lock for each would
    be as many files that mean nothing to people. Hold it while you replace a file, and only that long. The folder of
    the lock files is made. Raises `MemoryFileError` when that cannot be done.
    """
    make_folder(paths, paths.locks)
    return private_lock(paths.locks / "files.lock")


def work_lock(paths: MemoryPaths) -> "FileLock":
    """Return the lock by which one process at a time purges, or takes in a host's history: work of seconds.

    Raises `MemoryFileError` as `file_lock` does.
    """
    make_folder(paths, paths.locks)
    return private_lock(paths.locks / "work.lock", thread_local=False)


def make_folder(paths: MemoryPaths, folder: Path) -> None:
    """Make a folder at or below ``paths.memory``, for its owner only.

    Raises `MemoryFileError`, also where a folder of ours is a symbolic link.
    """
    try:
        private_folder(folder, below=paths.memory)
    except OSError as error:
        raise _failure(error, paths, folder) from error


class OpenFile:
    """A memory file, open and locked."""

    def __init__(self, path: Path, descriptor: int, lines: LineCounter) -> None:
        self.path = path
        self._descriptor = descriptor
        self._lines = lines
        self.size = os.fstat(descriptor).st_size

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes from ``offset``, fewer at the end of the file."""
        with self._reader(offset) as file:
            return file.read(length)

    def append(self, data: bytes) -> int:
        """Append ``data`` in one write and return the line on which it starts, from 1.

        A last line that a crash left without its end is ended first, and a Markdown file gets a blank line
        before ``data``. What could not be written whole is cut off again, and `OSError` raised.
        """
        before = self._lines.count(self.path, self._descriptor)
        lead = self._lead()
        self._write(lead + data if lead else data)
        self._lines.grown(self.path, self._descriptor, before + len(lead) + count_breaks(data))
        return before + len(lead) + 1

    def sync(self) -> None:
        """Wait until the file is on the disk."""
        os.fsync(self._descriptor)

    def _lead(self) -> bytes:
        """Return the line breaks that must stand before a new record."""
        tail = read_at(self._descriptor, max(0, self.size - 3), 3)
        if not tail:
            return b""
        if not tail.endswith(b"\n"):
            return b"\n\n" if self.path.suffix == ".md" else b"\n"
        if self.path.suffix == ".md" and tail != b"\n" and not tail.endswith((b"\n\n", b"\n\r\n")):
            return b"\n"
        return b""

    def _write(self, data: bytes) -> None:
        view, written = memoryview(data), 0
        try:
            while written < len(view):
                # The first write takes it all, unless the disk is full or a limit is near: then a second one
                # tells the reason, which a short write does not.
                count = os.write(self._descriptor, view[written:])
                if count == 0:
                    raise OSError(errno.EIO, "nothing could be written")
                written += count
        except OSError:
            if written and os.fstat(self._descriptor).st_size == self.size + written:
                os.ftruncate(self._descriptor, self.size)
            raise
        self.size += written

    @contextlib.contextmanager
    def _reader(self, offset: int) -> Iterator[io.BufferedReader]:
        with open(os.dup(self._descriptor), "rb") as file:
            file.seek(offset)
            yield file


class Appender:
    """Appends to the memory files of one workspace. It belongs to one thread."""

    def __init__(self, paths: MemoryPaths, lock_seconds: float) -> None:
        self._paths = paths
        self._lock_seconds = lock_seconds
        self._lines = LineCounter()
        self._unsynced: dict[Path, bool] = {}  # path -> whether its name is new in the folder
        self.unsynced_since: float | None = None

    @contextlib.contextmanager
    def opened(self, path: Path, *, wait: bool = True) -> Iterator[OpenFile]:
        """Open ``path`` under its lock.

        Raises `FileBusyError` when the lock is not free within ``lock_seconds`` (at once, with ``wait``
        false), and `MemoryFileError`, which says why, for every other failure, one inside the ``with``
        block included.
        """
        from filelock import Timeout

        try:
            make_folder(self._paths, path.parent)
            self._count_ahead(path)
            lock = file_lock(self._paths)
            timeout = self._lock_seconds if wait else 0
            with lock.acquire(timeout=timeout, poll_interval=_LOCK_POLL_SECONDS), self._open(path) as file:
                yield file
        except Timeout as error:
            raise FileBusyError(
                Sentence("{relative} is locked by another process.", relative=self._paths.relative(path))
            ) from error
        except OSError as error:
            raise _failure(error, self._paths, path) from error

    def append(self, path: Path, data: bytes, *, wait: bool = True) -> int:
        """Append ``data`` to ``path`` and return its line. Raises what `opened` raises."""
        with self.opened(path, wait=wait) as file:
            return file.append(data)

    def sync(self) -> None:
        """Wait until everything that was appended is on the disk. Raises `MemoryFileError`."""
        unsynced, self._unsynced, self.unsynced_since = self._unsynced, {}, None
        failed: tuple[OSError, Path] | None = None
        for path, new in unsynced.items():
            try:
                descriptor = os.open(path, os.O_RDWR | _COMMON_FLAGS)
            except OSError:
                continue  # moved or removed by somebody else since
            try:
                os.fsync(descriptor)
            except OSError as error:
                failed = (error, path)
            finally:
                os.close(descriptor)
            if new:
                sync_folder(path.parent)
        if failed is not None:
            raise _failure(failed[0], self._paths, failed[1])

    @contextlib.contextmanager
    def _open(self, path: Path) -> Iterator[OpenFile]:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _COMMON_FLAGS, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise MemoryFileError(Sentence("{relative} is no regular file.", relative=self._paths.relative(path)))
            if path.parent != self._paths.memory:  # the Markdown beside people's own keeps the mode that they gave it
                narrow_file(path)
            file = OpenFile(path, descriptor, self._lines)
            size = file.size
            yield file
            if file.size != size:
                self._grew(path, new=size == 0)
        finally:
            os.close(descriptor)

    def _grew(self, path: Path, *, new: bool) -> None:
        self._unsynced[path] = new or self._unsynced.get(path, False)
        if self.unsynced_since is None:
            self.unsynced_since = time.monotonic()

    def _count_ahead(self, path: Path) -> None:
        """Count the lines of a file that is met for the first time, before its lock is taken."""
        if self._lines.knows(path):
            return
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | _COMMON_FLAGS)
            try:
                if stat.S_ISREG(os.fstat(descriptor).st_mode):
                    self._lines.count(path, descriptor)
            finally:
                os.close(descriptor)


def _failure(error: OSError, paths: MemoryPaths, path: Path) -> MemoryFileError:
    """Return an error that says in words what was wrong with ``path``."""
    if error.errno == errno.ELOOP and error.strerror == LINKED:
        folder = Path(error.filename).name
        return MemoryFileError(
            Sentence("The folder {folder} is a symbolic link; nothing is written through it.", folder=folder),
            hint=f"{REPLACE_LINK}: {error.filename}",
        )
    name = paths.relative(path)
    if error.errno == errno.ELOOP:
        return MemoryFileError(
            Sentence("{name} is a symbolic link; memory files are not written through links.", name=name)
        )
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return MemoryFileError(Sentence("{name} cannot be written: a file stands where a folder belongs.", name=name))
    return MemoryFileError(
        Sentence("{name} cannot be written: {why}.", name=name, why=error.strerror or type(error).__name__)
    )
