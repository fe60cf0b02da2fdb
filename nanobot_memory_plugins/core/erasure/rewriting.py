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
from nanobot_memory_plugins.core.files.appending import file_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Older places of memories, below the workspace: they were copied, and left to their owner.
_LEGACY = ("MEMORY.md", "notes/*.md", "notes/**/*.md")
_LOCK_SECONDS = 10.0
_ATTEMPTS = 10
# What a write that broke off leaves: of any file of ours, and of an erasure.
_LEFT_BEHIND = re.compile(r"\..+\.[0-9a-f]{16}(?P<erasure>\.erase)?\.tmp")


def rewrite(paths: MemoryPaths, path: Path, clean: Callable[[bytes], bytes]) -> bool:
    """Put what ``clean`` makes of a file in its place, whole or not at all, and say whether that was another.

    Nobody waits for the cleaning: what was appended meanwhile is cleaned anew, at last with the lock held. Editors take
    no lock: what one wrote in the last instant is put back and cleaned. Raises `MemoryFileError`.
    """
    try:
        for number in range(_ATTEMPTS):
            raw = read_regular(path)
            cleaned = clean(raw)
            if cleaned == raw:
                return number > 0
            with file_lock(paths).acquire(timeout=_LOCK_SECONDS):
                now = read_regular(path)
                if now != raw:
                    if number < _ATTEMPTS // 2:
                        continue
                    raw, cleaned = now, clean(now)
                replaced = _replace(path, cleaned)
                if replaced != raw:
                    _replace(path, replaced)
        raise MemoryFileError("somebody else writes it all the time")
    except Timeout as error:
        raise MemoryFileError("another process has it locked") from error


def remove_empty(paths: MemoryPaths, path: Path) -> None:
    """Remove a file in which nothing is left."""
    with file_lock(paths), suppress(OSError):
        if path.stat().st_size == 0:
            path.unlink()


def is_of_a_write(path: Path) -> bool:
    """Return whether a file is a temporary one of ours, by its name."""
    return _LEFT_BEHIND.fullmatch(path.name) is not None


def is_copy(path: Path) -> bool:
    """Return whether a file of ours is a backup of another one."""
    return path.suffix == ".bak"


def is_markdown_of_ours(paths: MemoryPaths, path: Path) -> bool:
    """Return whether a file is one of the Markdown files below the memory folder, whoever wrote in it."""
    if path.suffix != ".md" or not path.is_relative_to(paths.memory):
        return False
    return not any(part.startswith(".") for part in path.relative_to(paths.memory).parts)


def is_left_behind(paths: MemoryPaths, path: Path) -> bool:
    """Return whether a temporary file is of a process that died: one that lives holds the lock while it writes."""
    match = _LEFT_BEHIND.fullmatch(path.name)
    if match is None:
        return False
    if match["erasure"]:  # erasures are done one after the other
        return True
    try:
        with file_lock(paths).acquire(timeout=_LOCK_SECONDS):
            return path.exists()
    except Timeout:
        return False


def files_below(paths: MemoryPaths, *, elsewhere: Collection[str] = ()) -> Iterator[Path]:
    """Yield the memory files, and those of older places, without links and folders named in ``elsewhere``."""
    yield from _files_in(paths.memory, elsewhere)
    for pattern in _LEGACY:
        yield from sorted(path for path in paths.workspace.glob(pattern) if path.is_file() and not path.is_symlink())


def _files_in(folder: Path, elsewhere: Collection[str]) -> Iterator[Path]:
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_symlink():
                continue
            if path.is_dir():
                if path.name not in elsewhere:
                    yield from _files_in(path, elsewhere)
            elif path.is_file():
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
