"""The files that an erasure looks into, and writing one anew so that no copy of its old content is left."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import workspace_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import replace_file

# Older places of memories, below the workspace: they were copied, and left to their owner.
_LEGACY = ("MEMORY.md", "notes/*.md", "notes/**/*.md")
# Folders below the memory folder that hold no text of memories.
_WITHOUT_TEXT = frozenset({".locks", ".git"})
_LOCK_SECONDS = 10.0
_ATTEMPTS = 10
# A copy of a file of ours, and what a write leaves that broke off.
_BY_PRODUCT = re.compile(r".+\.(?:bak|damaged)|\..+\.[0-9a-f]{16}\.tmp")


def rewrite(paths: MemoryPaths, path: Path, clean: Callable[[bytes], bytes]) -> bool:
    """Put what ``clean`` makes of a file in its place, whole or not at all, and say whether that was another.

    Nobody waits for the cleaning: what was appended meanwhile is cleaned anew, at last with the lock held. Editors take
    no lock: what one wrote in the last instant is in the backup, and is put back and cleaned. No backup stays, and no
    file in which nothing is left. Raises `MemoryFileError`, and `OSError` where the file cannot be read.
    """
    backup = path.with_name(f"{path.name}.bak")
    for attempt in range(_ATTEMPTS):
        raw = read_regular(path)
        cleaned = clean(raw)
        if cleaned == raw:
            return False
        with workspace_lock(paths, "files", _LOCK_SECONDS):
            now = read_regular(path)
            if now != raw:
                if attempt < _ATTEMPTS // 2:
                    continue
                raw, cleaned = now, clean(now)
            replace_file(path, cleaned)
            replaced = read_regular(backup)
            if replaced != raw:
                replace_file(path, replaced, keeps_backup=False)
            elif not cleaned:
                path.unlink()
            backup.unlink()
        if replaced == raw:
            return True
    raise MemoryFileError("somebody else writes it all the time")


def is_by_product(path: Path) -> bool:
    """Return whether a file is a copy of another one, or one that a write of ours makes before it renames it."""
    return _BY_PRODUCT.fullmatch(path.name) is not None


def remove_copy(paths: MemoryPaths, path: Path) -> None:
    """Remove a by-product, once no process that lives is writing it. Raises `FileBusyError` where one goes on."""
    with workspace_lock(paths, "files", _LOCK_SECONDS):
        path.unlink(missing_ok=True)


def files_below(paths: MemoryPaths) -> Iterator[Path]:
    """Yield the memory files, and those of older places, without links."""
    for folder, names, files in os.walk(paths.memory):
        names[:] = [name for name in names if name not in _WITHOUT_TEXT]
        yield from filter(_is_plain, (Path(folder, name) for name in files))
    for pattern in _LEGACY:
        yield from filter(_is_plain, sorted(paths.workspace.glob(pattern)))


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
