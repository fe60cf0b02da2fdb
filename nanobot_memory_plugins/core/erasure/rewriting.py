"""The files that an erasure looks into, and writing one anew so that no copy of its old content is left."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from filelock import Timeout

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import file_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import replace_file

# Older places of memories, below the workspace: they were copied, and left to their owner.
_LEGACY = ("MEMORY.md", "notes/*.md", "notes/**/*.md")
# Folders below the memory folder that hold no text of memories.
_WITHOUT_TEXT = frozenset({".locks", ".git"})
_LOCK_SECONDS = 10.0
_ATTEMPTS = 10
# What a write that broke off leaves of any file of ours.
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp")


def rewrite(paths: MemoryPaths, path: Path, clean: Callable[[bytes], bytes]) -> bool:
    """Put what ``clean`` makes of a file in its place, whole or not at all, and say whether that was another.

    Nobody waits for the cleaning: what was appended meanwhile is cleaned anew, at last with the lock held. Editors take
    no lock: what one wrote in the last instant is in the backup, and is put back and cleaned. No backup stays. Raises
    `MemoryFileError`.
    """
    backup = path.with_name(f"{path.name}.bak")
    for attempt in range(_ATTEMPTS):
        raw = read_regular(path)
        cleaned = clean(raw)
        if cleaned == raw:
            return attempt > 0
        try:
            with file_lock(paths).acquire(timeout=_LOCK_SECONDS):
                now = read_regular(path)
                if now != raw:
                    if attempt < _ATTEMPTS // 2:
                        continue
                    raw, cleaned = now, clean(now)
                replace_file(path, cleaned)
                replaced = read_regular(backup)
                if replaced != raw:
                    replace_file(path, replaced, keeps_backup=False)
                backup.unlink()
        except Timeout as error:
            raise MemoryFileError("another process has it locked") from error
    raise MemoryFileError("somebody else writes it all the time")


def remove_empty(paths: MemoryPaths, path: Path) -> None:
    """Remove a file in which nothing is left."""
    with file_lock(paths), suppress(OSError):
        if path.stat().st_size == 0:
            path.unlink()


def is_temporary(path: Path) -> bool:
    """Return whether a file is one that a write of ours makes before it renames it, by its name."""
    return _TEMPORARY.fullmatch(path.name) is not None


def is_copy(path: Path) -> bool:
    """Return whether a file of ours is a backup of another one."""
    return path.suffix == ".bak"


def is_left_behind(paths: MemoryPaths, path: Path) -> bool:
    """Return whether a temporary file is of a process that died: one that lives holds the lock while it writes."""
    try:
        with file_lock(paths).acquire(timeout=_LOCK_SECONDS):
            return path.exists()
    except Timeout:
        return False


def files_below(paths: MemoryPaths) -> Iterator[Path]:
    """Yield the memory files, and those of older places, without links."""
    yield from _files_in(paths.memory)
    for pattern in _LEGACY:
        yield from sorted(path for path in paths.workspace.glob(pattern) if path.is_file() and not path.is_symlink())


def _files_in(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_symlink():
                continue
            if path.is_dir():
                if path.name not in _WITHOUT_TEXT:
                    yield from _files_in(path)
            elif path.is_file():
                yield path
