"""Replacing a whole file so that no crash leaves it torn."""

import contextlib
import os
import secrets
import shutil
import stat
import time
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.private import restrict_file
from nanobot_memory_plugins.redaction.script.messages import Sentence

# A temporary file older than this was left behind by a process that died.
_STALE_SECONDS = 60.0


def replace_file(path: Path, data: bytes, *, keeps_backup: bool = True) -> None:
    """Put ``data`` in the place of the file at ``path``, whole or not at all.

    A temporary file in the same folder is written and synced, the previous file is kept as ``<name>.bak`` unless
    ``keeps_backup`` is off (a hard link where the file system has them; then made 0600), the temporary file is renamed,
    and the folder is synced. Whoever reads sees the old file or the new one. The mode of the previous file is kept; a
    new file gets 0600. It takes no lock: hold `locked` for a file to which others append. It blocks for as long as the
    disk takes.

    Raises `MemoryFileError` when it cannot be done; the previous file is then as it was.
    """
    temporary = _temporary_path(path)
    try:
        if path.is_symlink():
            raise MemoryFileError(Sentence("{name} is a symbolic link and is not replaced.", name=path.name))
        if path.exists() and not path.is_file():
            raise MemoryFileError(Sentence("{name} is no regular file and is not replaced.", name=path.name))
        _remove_stale(path)
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600
        _write_new(temporary, data, mode)
        if keeps_backup and path.exists():
            _keep_backup(path)
        os.replace(temporary, path)
        if keeps_backup:
            restrict_file(path.with_name(f"{path.name}.bak"))  # only now: it was one file with ``path``
        sync_folder(path.parent)
    except OSError as error:
        raise MemoryFileError(
            Sentence("{name} cannot be written: {why}.", name=path.name, why=error.strerror or error)
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system offers that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")


def _write_new(path: Path, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        with contextlib.suppress(OSError):
            os.chmod(path, mode)
        os.fsync(file.fileno())


def _keep_backup(path: Path) -> None:
    """Make ``<name>.bak`` the file that ``path`` is now, in one step."""
    temporary = _temporary_path(path)
    try:
        try:
            os.link(path, temporary)
        except OSError:  # a file system without hard links
            shutil.copy2(path, temporary)
        os.replace(temporary, path.with_name(f"{path.name}.bak"))
    finally:
        # Renaming a file onto another link of itself leaves both names (POSIX).
        temporary.unlink(missing_ok=True)


def _remove_stale(path: Path) -> None:
    """Remove temporary files of ``path`` that killed processes left."""
    oldest = time.time() - _STALE_SECONDS
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        with contextlib.suppress(OSError):
            if left.lstat().st_mtime < oldest:
                left.unlink()
