"""Atomic replacement of a whole file."""

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

# An older temporary file was left behind by a process that died.
_STALE_SECONDS = 60.0


def replace_file(path: Path, data: bytes, *, keeps_backup: bool = True) -> None:
    """Replace the file at ``path`` by ``data``, completely or not at all.

    The data is written to a temporary file in the same folder and synced; the previous file is kept as ``<name>.bak``
    (with mode 0600) unless ``keeps_backup`` is False; the temporary file is renamed, and the folder is synced. A reader
    sees either the old or the new file. The mode of the previous file is kept; a new file gets 0600. No lock is taken:
    hold `workspace_lock` for a file to which others append. The call blocks on the disk.

    Raises `MemoryFileError` on failure; the previous file is then unchanged.
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
            restrict_file(path.with_name(f"{path.name}.bak"))  # not earlier: it was a hard link of ``path``
        sync_folder(path.parent)
    except OSError as error:
        raise MemoryFileError(
            Sentence("{name} cannot be written: {why}.", name=path.name, why=error.strerror or error)
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to the disk, where the system supports it."""
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
    """Replace ``<name>.bak`` by the current file, atomically."""
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
    """Remove temporary files of ``path`` that killed processes left behind."""
    oldest = time.time() - _STALE_SECONDS
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        with contextlib.suppress(OSError):
            if left.lstat().st_mtime < oldest:
                left.unlink()
