"""Folders, locks and files of ours: for their owner only, and never behind a symbolic link."""

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import FileLock

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600
SYMLINK_REFUSED = "it is a symbolic link, and nothing is written through it"


def make_private_folder(folder: Path, *, below: Path | None = None) -> None:
    """Make a folder of ours, and what is missing above it, with mode 0700 whatever the umask is.

    Every folder from ``folder`` up to ``below`` (its parent, unless said otherwise) is ours: it is made narrow where
    this user owns it, and refused where it is a link. ``below`` and what is above it keep their owner: they may
    be links, and keep their mode. Raises `OSError`, with ``ELOOP`` and the link's name for a link.
    """
    below = folder.parent if below is None else below
    below.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
    current = below
    for name in folder.relative_to(below).parts:
        current /= name
        with contextlib.suppress(FileExistsError):
            current.mkdir(mode=_FOLDER_MODE)
        status = current.lstat()
        if stat.S_ISLNK(status.st_mode):
            raise OSError(errno.ELOOP, SYMLINK_REFUSED, str(current))
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(current))
        _narrow(current, status, _FOLDER_MODE)


def restrict_file(path: Path) -> None:
    """Take a file of ours from everybody but its owner. A link, a file with other names, or another's stays."""
    with contextlib.suppress(OSError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            _narrow(path, status, _FILE_MODE)


def private_lock(path: Path) -> "FileLock":
    """Return a lock file for its owner only, to be released in any thread.

    filelock gives it 0666 less the umask, unless it gets another mode.
    """
    from filelock import FileLock  # with asyncio, which takes longer than a list of entries

    restrict_file(path)
    return FileLock(path, mode=_FILE_MODE, thread_local=False)


def _narrow(path: Path, status: os.stat_result, mode: int) -> None:
    # Systems without owners have no modes of this kind either.
    if stat.S_IMODE(status.st_mode) & ~mode & 0o777 and status.st_uid == getattr(os, "geteuid", lambda: None)():
        with contextlib.suppress(OSError):
            os.chmod(path, stat.S_IMODE(status.st_mode) & mode)
