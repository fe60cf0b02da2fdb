"""Copies memories from their legacy places.

A ``MEMORY.md`` at the root of the workspace and the folder ``notes/`` are copied below ``memory/``. The originals stay
unchanged; the file ``.migrated_to_v5`` next to them marks them as copied.
"""

import filecmp
import shutil
from collections.abc import Iterator
from pathlib import Path

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import restrict_file
from nanobot_memory_plugins.core.log import logger

MARKER = ".migrated_to_v5"
# The folder for a file whose name below memory/ is taken.
_CONFLICTS = "legacy"


def migrate_legacy(paths: MemoryPaths) -> None:
    """Copy the legacy files of a workspace that were not copied before.

    No existing file is overwritten: where the name is taken by other content, the copy goes to ``memory/legacy/``. A
    folder that cannot be read or written is retried at the next start, with a warning.
    """
    for place, files in _legacy_places(paths.workspace):
        if (place / MARKER).exists() or not files:
            continue
        try:
            for source in files:
                _copy_once(source, paths.memory, source.relative_to(place))
            (place / MARKER).write_text(f"copied to {paths.memory.name}/\n", encoding="utf-8")
        except OSError as error:
            logger.warning("legacy memory in {} was not migrated: {}", place.name, type(error).__name__)
            continue
        logger.info("{} files of legacy memory in {} are below memory/ now", len(files), place.name)


def _legacy_places(workspace: Path) -> Iterator[tuple[Path, list[Path]]]:
    root_file = workspace / "MEMORY.md"
    yield workspace, [root_file] if _is_plain_file(root_file) else []
    notes = workspace / "notes"
    if notes.is_dir() and not notes.is_symlink():
        yield notes, sorted(path for path in notes.rglob("*.md") if _is_plain_file(path))


def _is_plain_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _copy_once(source: Path, memory: Path, name: Path) -> None:
    """Copy one file, unless a copy exists."""
    for target in (memory / name, memory / _CONFLICTS / name):
        if not target.exists():
            target.parent.mkdir(0o700, parents=True, exist_ok=True)
            shutil.copy2(source, target)
            restrict_file(target)
            return
        if target.is_file() and filecmp.cmp(source, target, shallow=False):
            return
    raise FileExistsError(str(memory / name))
