"""Putting the files of an archive into the memory folder, and looking at those that are there."""

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.core.errors import InputError, MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.appending import make_folder
from nanobot_memory_plugins.core.files.private import make_missing
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.core.transfer.archive import Archive
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Room that is left on the disk beside what is unpacked, in bytes.
_SPARE = 1 << 26


def read_plain(path: Path) -> bytes | None:
    """Return a file's bytes, None where there is none. Raises `MemoryFileError`, for a link, too."""
    try:
        if path.is_symlink():
            raise MemoryFileError(
                Sentence("{name} is a symbolic link; memory files are not written through links.", name=path.name)
            )
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise MemoryFileError(Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror)) from error


def put_file(paths: MemoryPaths, path: Path, data: bytes, modified: str, *, durable: bool = True) -> None:
    """Put a file in place in one step, with the time of its last change. Raises `MemoryFileError`.

    Without ``durable`` it is not waited for: `sync_all` does that for many files at once.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        make_folder(paths, paths.memory)
        make_missing(path.parent)
        if not path.parent.resolve().is_relative_to(paths.memory.resolve()):
            raise MemoryFileError(Sentence("{parent} leads out of the memory folder.", parent=path.parent))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        with contextlib.suppress(ValueError, OSError, OverflowError):
            when = datetime.fromisoformat(modified).timestamp()
            os.utime(temporary, (when, when))
        os.replace(temporary, path)
        if durable:
            sync_folder(path.parent)
    except OSError as error:
        raise MemoryFileError(
            Sentence("{relative} cannot be written: {why}.", relative=paths.relative(path), why=error.strerror)
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def sync_all(paths: Iterable[Path]) -> None:
    """Wait until files are on the disk."""
    if hasattr(os, "sync"):
        os.sync()
        return
    for path in paths:
        with contextlib.suppress(OSError), path.open("rb+") as file:
            os.fsync(file.fileno())


def check_room(archive: Archive, paths: MemoryPaths) -> None:
    """Raise `InputError` where what is unpacked would fill the disk."""
    folder = paths.workspace
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if archive.size + _SPARE > free:
        raise InputError(
            Sentence(
                "{name} unpacks to {size:,} bytes; {free:,} are free at {folder}.",
                name=archive.path.name,
                size=archive.size,
                free=free,
                folder=folder,
            ),
            hint="Make room first; nothing was taken.",
        )
