"""Reading a file that anybody may have put in the memory folder: a pipe, a device or a link among them."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bytes that a disk leaves where it has lost some, in a row.
_ERASED = b"\xff" * 4
# The share of a file that may be no UTF-8: people keep notes in other encodings, too.
_MOST_UNREADABLE = 0.1
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # to open a named pipe would wait for its writer
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; a folder, a pipe, a socket or a device raises `OSError` at once."""
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return os.fdopen(descriptor, "rb")


def require_regular_file(path: Path) -> None:
    """Raise `OSError` where a path is something else than a file: what opens databases would wait for a pipe."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def read_regular(path: Path) -> bytes:
    """Return the bytes of a regular file. Raises `OSError` as `open_regular` does."""
    with open_regular(path) as file:
        return file.read()


def file_stamp(path: Path | int) -> tuple[int, ...] | None:
    """Return what of a file, or of an open one, changes with its content: nothing of one that is missing.

    None where it cannot be looked at.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def read_inside(path: Path) -> bytes:
    """Return the bytes of a file in a folder of ours, which may be a link to one nearby: in its folder, or one above.

    A link that leads further could bring any file into a prompt: it raises `OSError`, as `open_regular` does.
    """
    if path.is_symlink():
        target = Path(os.path.realpath(path))
        if not any(target.is_relative_to(folder.resolve()) for folder in (path.parent, path.parent.parent)):
            raise OSError(errno.ELOOP, "it is a symbolic link that leads out of the workspace", str(path))
    return read_regular(path)


def describe_damage(data: bytes) -> str:
    """Say how a disk or a crash has damaged the bytes of a Markdown file, or return the empty string."""
    if b"\0" in data:
        return Sentence("it holds NUL bytes")
    if _ERASED in data:
        return Sentence("it holds erased bytes")
    try:
        data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        if text.count("\ufffd") > max(8, _MOST_UNREADABLE * len(text)):
            return Sentence("it is no text")
    return ""


def inode(path: Path | None) -> int:
    """Return the number of the file at a path, 0 where there is none."""
    stamp = path and file_stamp(path)
    return stamp[2] if stamp else 0
