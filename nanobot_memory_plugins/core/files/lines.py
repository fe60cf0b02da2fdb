"""Which line the end of a file is on, without reading the file every time."""

import os
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core.text.markdown import PIECE
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_TAIL = 64  # bytes that tell a file that has grown from one that was written anew
_MOST_FILES = 1024


@dataclass(frozen=True, slots=True)
class _Known:
    device: int
    inode: int
    size: int
    modified_ns: int
    tail: bytes
    breaks: int


class LineCounter:
    """Remembers the number of line breaks of files, and counts on in what is new."""

    def __init__(self) -> None:
        self._known: BoundedDict[Path, _Known] = BoundedDict(_MOST_FILES)

    def knows(self, path: Path) -> bool:
        """Return whether the file has been counted before."""
        return path in self._known

    def count(self, path: Path, descriptor: int) -> int:
        """Return the number of line breaks in the file that ``descriptor`` has open for reading."""
        status = os.fstat(descriptor)
        known = self._known.get(path)
        start = breaks = 0
        if known is not None and (known.device, known.inode) == (status.st_dev, status.st_ino):
            if (known.size, known.modified_ns) == (status.st_size, status.st_mtime_ns):
                return known.breaks
            if status.st_size > known.size and _tail(descriptor, known.size) == known.tail:
                start, breaks = known.size, known.breaks
        while start < status.st_size:
            block = read_at(descriptor, start, min(PIECE, status.st_size - start))
            if not block:
                break
            breaks += block.count(b"\n")
            start += len(block)
        self._remember(path, descriptor, start, breaks)
        return breaks

    def grown(self, path: Path, descriptor: int, breaks: int) -> None:
        """Remember that the file has ``breaks`` line breaks now."""
        self._remember(path, descriptor, os.fstat(descriptor).st_size, breaks)

    def _remember(self, path: Path, descriptor: int, size: int, breaks: int) -> None:
        status = os.fstat(descriptor)
        tail = _tail(descriptor, size)
        self._known[path] = _Known(status.st_dev, status.st_ino, size, status.st_mtime_ns, tail, breaks)


def read_at(descriptor: int, offset: int, length: int) -> bytes:
    """Return up to ``length`` bytes from ``offset``."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, length)


def _tail(descriptor: int, size: int) -> bytes:
    start = max(0, size - _TAIL)
    return read_at(descriptor, start, size - start)
