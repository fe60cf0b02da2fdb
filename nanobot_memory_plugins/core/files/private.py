"""Private folders, locks and files: accessible to their owner only, and never behind a symbolic link."""

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
    """Create a folder and its missing parents with mode 0700, whatever the umask is.

    Every folder from ``folder`` up to ``below`` (exclusive; by default its parent) is restricted to its owner if this
    user owns it, and refused if it is a link. ``below`` and the folders above may be links, and keep their mode. Raises
    `OSError`; for a link with ``ELOOP`` and the link's name.
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
        _restrict_mode(current, status, _FOLDER_MODE)


def restrict_file(path: Path) -> None:
    """Restrict a file to its owner. A link, a file with several names, or another user's file stays unchanged."""
    with contextlib.suppress(OSError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            _restrict_mode(path, status, _FILE_MODE)


def private_lock(path: Path) -> "FileLock":
    """Return a lock whose file is private, and which any thread may release.

    Without a mode filelock would create the file with 0666 minus the umask.
    """
    from filelock import FileLock  # slow to import, because it imports asyncio

    restrict_file(path)
    return FileLock(path, mode=_FILE_MODE, thread_local=False)


def _restrict_mode(path: Path, status: os.stat_result, mode: int) -> None:
    # Systems without file owners have no such modes either.
    if stat.S_IMODE(status.st_mode) & ~mode & 0o777 and status.st_uid == getattr(os, "geteuid", lambda: None)():
        with contextlib.suppress(OSError):
            os.chmod(path, stat.S_IMODE(status.st_mode) & mode)
