"""Which files of a workspace are indexed, and what each of them is."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from loguru import logger

from nanobot_memory_plugins.core.files import MemoryPaths

_DAY_NOTE = re.compile(r"\d{4}-\d{2}-\d{2}\.md")
_LONG_TERM = frozenset({"MEMORY.md", "ENTRIES.md"})
_warned: set[str] = set()


class Kind(StrEnum):
    """What a file is, and with that how it is read."""

    LONG_TERM = "long_term"
    DAY_NOTES = "note"
    TRANSCRIPT = "transcript"
    DOCUMENT = "document"
    SPILL = "spill"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to index. ``relative`` is its name in the index, from the workspace with forward slashes."""

    path: Path
    relative: str
    kind: Kind
    size: int
    mtime_ns: int


def kind_of_target(relative: str) -> Kind:
    """Return the kind of the Markdown file that ``relative`` names, from the workspace with forward slashes."""
    folder, _, name = relative.rpartition("/")
    if "/" in folder:
        return Kind.DOCUMENT
    if name in _LONG_TERM:
        return Kind.LONG_TERM
    return Kind.DAY_NOTES if _DAY_NOTE.fullmatch(name) else Kind.DOCUMENT


class Places:
    """Finds the memory files of one workspace."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        # A workspace or a memory folder that is itself a link is its owner's arrangement; links inside
        # them must not lead out, or anybody who may write a note could have any file indexed.
        self._inside = (paths.workspace.resolve(), paths.memory.resolve())

    def find(self) -> list[SourceFile]:
        """Return every file that is to be indexed now, the ones changed last first."""
        found = [source for path in self._walk() if (source := self.look(path)) is not None]
        return sorted(found, key=lambda source: (-source.mtime_ns, source.relative))

    def look(self, path: Path) -> SourceFile | None:
        """Return what ``path`` is now, or None when it is gone, or is not ours to index."""
        kind, relative = self.kind(path), self.relative(path)
        if kind is None or relative is None:
            return None
        try:
            found = os.stat(path)
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode) or not self._stays_inside(path):
            return None
        return SourceFile(path, relative, kind, found.st_size, found.st_mtime_ns)

    def path(self, relative: str) -> Path:
        """Return the file that a name in the index stands for."""
        return self._paths.workspace / relative

    def relative(self, path: Path) -> str | None:
        """Return the name of ``path`` in the index, or None when it is not below the memory folder."""
        if not path.is_relative_to(self._paths.memory):
            return None
        return path.relative_to(self._paths.workspace).as_posix()

    def kind(self, path: Path) -> Kind | None:
        """Return what kind of memory file the name ``path`` stands for, or None."""
        try:
            parts = path.relative_to(self._paths.memory).parts
        except ValueError:
            return None
        if not parts or not _storable(path):
            return None
        name = parts[-1]
        if path.parent == self._paths.spill:
            return Kind.SPILL if name.endswith(".spill") else None
        if any(part.startswith(".") for part in parts):
            return None
        if path.parent == self._paths.sessions:
            return Kind.TRANSCRIPT if name.endswith(".jsonl") else None
        if not name.endswith(".md"):
            return None
        return kind_of_target("/".join(path.relative_to(self._paths.workspace).parts))

    def may_hold_files(self, path: Path) -> bool:
        """Tell whether ``path`` may be a folder with files to index, or has been one."""
        if not path.is_relative_to(self._paths.memory) or path.suffix:
            return False
        return not any(part.startswith(".") for part in path.relative_to(self._paths.memory).parts)

    def _walk(self) -> Iterator[Path]:
        for folder, folders, files in os.walk(self._paths.memory):
            here = Path(folder)
            folders[:] = [name for name in folders if not name.startswith(".") or here / name == self._paths.spill]
            yield from (here / name for name in files)

    def _stays_inside(self, path: Path) -> bool:
        if not path.is_symlink():
            return True
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return False
        return any(target.is_relative_to(folder) for folder in self._inside)


def _storable(path: Path) -> bool:
    """Tell whether the name is text: SQLite cannot hold one with bytes that are not UTF-8."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        shown = ascii(path.name)
        if shown not in _warned:
            _warned.add(shown)
            logger.warning("{} is not indexed: its name is not valid UTF-8", shown)
        return False
    return True
