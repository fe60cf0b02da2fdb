"""The files that an erasure searches, and rewriting a file so that no copy of its old content remains."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import workspace_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import replace_file

# Older locations of memories in the workspace: their content was copied, and the files were left where they are.
_LEGACY = ("MEMORY.md", "notes/*.md", "notes/**/*.md")
# Folders in the memory folder that contain no text of memories.
_WITHOUT_TEXT = frozenset({".locks", ".git"})
_LOCK_SECONDS = 10.0
_ATTEMPTS = 10
# The names of backups, and of temporary files that an interrupted write leaves.
_BY_PRODUCT = re.compile(r".+\.(?:bak|damaged)|\..+\.[0-9a-f]{16}\.tmp")


def rewrite(paths: MemoryPaths, path: Path, clean: Callable[[bytes], bytes]) -> bool:
    """Replace a file, in one step, with what ``clean`` makes of it; return whether that changed anything.

    ``clean`` runs without the lock; if the file has changed by then it runs again, in later attempts with the lock
    held. Editors take no lock: if one saved just before the replacement, its text is restored from the backup first.
    No backup remains, and an empty file is removed. Raises `MemoryFileError`, and `OSError` if it cannot be read.
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
    raise MemoryFileError("another process keeps writing to it")


def is_by_product(path: Path) -> bool:
    """Return whether a file is a backup of another one, or a temporary file of a write."""
    return _BY_PRODUCT.fullmatch(path.name) is not None


def remove_copy(paths: MemoryPaths, path: Path) -> None:
    """Remove a by-product once no process is writing it. Raises `FileBusyError` if one does not finish in time."""
    with workspace_lock(paths, "files", _LOCK_SECONDS):
        path.unlink(missing_ok=True)


def memory_files(paths: MemoryPaths) -> Iterator[Path]:
    """Yield the files in the memory folder and in the older locations, without symbolic links."""
    for folder, names, files in os.walk(paths.memory):
        names[:] = [name for name in names if name not in _WITHOUT_TEXT]
        yield from filter(_is_regular_file, (Path(folder, name) for name in files))
    for pattern in _LEGACY:
        yield from filter(_is_regular_file, sorted(paths.workspace.glob(pattern)))


def _is_regular_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
