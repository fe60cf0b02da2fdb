"""Safe reading of files in the memory folder, where anybody may have put a pipe, a device or a link."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from nanobot_memory_plugins.redaction.script.messages import Sentence

# A run of bytes that a disk returns for lost data.
_LOST_BYTES = b"\xff" * 4
# The share of a file that may be invalid UTF-8: people also keep notes in other encodings.
_MOST_UNREADABLE = 0.1
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # opening a named pipe would wait for its writer
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises `OSError` at once for a folder, a pipe, a socket or a device."""
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return os.fdopen(descriptor, "rb")


def require_regular_file(path: Path) -> None:
    """Raise `OSError` when a path exists and is not a file: opening a database that is a pipe would block."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def read_regular(path: Path) -> bytes:
    """Return the bytes of a regular file. Raises `OSError` as `open_regular` does."""
    with open_regular(path) as file:
        return file.read()


def file_stamp(path: Path | int) -> tuple[int, ...] | None:
    """Return numbers that change with the content of a file, given its path or descriptor.

    The result is empty for a missing file, and None when the file cannot be inspected.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def read_inside(path: Path) -> bytes:
    """Return the bytes of a file that may be a link to another file below its own folder or the parent folder.

    A link that leads elsewhere raises `OSError`, since it could bring any file into a prompt. Raises as `open_regular`
    does.
    """
    if path.is_symlink():
        target = Path(os.path.realpath(path))
        if not any(target.is_relative_to(folder.resolve()) for folder in (path.parent, path.parent.parent)):
            raise OSError(errno.ELOOP, "it is a symbolic link that leads out of the workspace", str(path))
    return read_regular(path)


def describe_damage(data: bytes) -> str:
    """Describe the damage that a disk or a crash did to the bytes of a Markdown file. Return "" for no damage."""
    if b"\0" in data:
        return Sentence("it holds NUL bytes")
    if _LOST_BYTES in data:
        return Sentence("it holds erased bytes")
    try:
        data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        if text.count("\ufffd") > max(8, _MOST_UNREADABLE * len(text)):
            return Sentence("it is no text")
    return ""


def inode(path: Path | None) -> int:
    """Return the inode of the file at a path, or 0 when there is none."""
    stamp = path and file_stamp(path)
    return stamp[2] if stamp else 0
