"""Writing a file anew without what is to be forgotten, so that no copy of what it was is left beside it."""

import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path

from filelock import Timeout

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, file_lock
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.redaction.script.messages import Sentence

LEGACY = ("MEMORY.md", "notes/*.md", "notes/**/*.md")
"""Older places of memories, below the workspace: they were copied, and left to their owner."""

_LOCK_SECONDS = 10.0
_ATTEMPTS = 10
# What a write that broke off leaves: of any file of ours, and of an erasure.
_LEFT_BEHIND = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{16}(?P<erasure>\.erase)?\.tmp")


def rewrite(path: Path, clean: Callable[[bytes], bytes], *, lock: Path) -> bool:
    """Put what ``clean`` makes of a file in its place, whole or not at all, and say whether that was another.

    Editors take no lock. What one wrote in the last instant is put back and cleaned. Raises `MemoryFileError`.
    """
    try:
        with private_lock(lock).acquire(timeout=_LOCK_SECONDS):
            for number in range(_ATTEMPTS):
                raw = read_regular(path)
                cleaned = clean(raw)
                if cleaned == raw:
                    return number > 0
                replaced = _replace(path, cleaned)
                if replaced != raw:
                    _replace(path, replaced)
            raise MemoryFileError("somebody else writes it all the time")
    except Timeout as error:
        raise MemoryFileError("another process has it locked") from error


def lock_of(paths: MemoryPaths, path: Path) -> Path:
    """Return the lock file that guards a file of ours, its folder made where it is missing."""
    own = path.parent / ".lock"
    if own.exists():
        return own
    file_lock(paths, path)
    return paths.lock(path)


def is_of_a_write(path: Path) -> bool:
    """Return whether a file is a temporary one of ours, by its name."""
    return _LEFT_BEHIND.fullmatch(path.name) is not None


def is_left_behind(paths: MemoryPaths, path: Path) -> bool:
    """Return whether a temporary file is of a process that died: of one that lives its file is locked."""
    match = _LEFT_BEHIND.fullmatch(path.name)
    if match is None:
        return False
    if match["erasure"]:  # erasures are done one after the other
        return True
    lock = private_lock(lock_of(paths, path.with_name(match["name"])))
    try:
        lock.acquire(timeout=_LOCK_SECONDS)
    except Timeout:
        return False
    lock.release()
    return path.exists()


def files_below(folder: Path, *, elsewhere: Collection[str]) -> Iterator[Path]:
    """Yield the files in a folder and below it, without links and without the folders named in ``elsewhere``."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_symlink():
                continue
            if path.is_dir():
                if path.name not in elsewhere:
                    yield from files_below(path, elsewhere=elsewhere)
            elif path.is_file():
                yield path


def leftovers(folder: Path) -> Iterator[Path]:
    """Yield the temporary files in a folder and below it."""
    for path in sorted(folder.rglob(".*.tmp")):
        if path.is_file() and not path.is_symlink():
            yield path


def _replace(path: Path, data: bytes) -> bytes:
    """Put ``data`` in the place of a file, with its mode, and return what that was at this moment."""
    if path.is_symlink() or not path.is_file():
        raise MemoryFileError("it is no regular file")
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}.erase.tmp")
    old = path.with_name(f".{path.name}.{secrets.token_hex(8)}.erase.tmp")
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(new, flags, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.chmod(new, mode)
            os.fsync(file.fileno())
        try:
            os.link(path, old)
        except OSError:  # a file system without hard links
            shutil.copy2(path, old)
        os.replace(new, path)
        replaced = read_regular(old)
    except OSError as error:
        raise MemoryFileError(
            Sentence("it cannot be replaced: {why}", why=error.strerror or type(error).__name__)
        ) from error
    finally:
        new.unlink(missing_ok=True)
        old.unlink(missing_ok=True)
        sync_folder(path.parent)
    return replaced
