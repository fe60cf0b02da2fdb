"""Finds the files of a workspace that are indexed, and the kind of each."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from nanobot_memory_plugins.core.files.paths import MemoryPaths, source_of
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.storage.documents import FileState
from nanobot_memory_plugins.storage.sources.pieces import warn_once

# Errors of listing a folder that may be gone a moment later.
_TRANSIENT_ERRORS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class FileKind(StrEnum):
    """The kind of a file, which decides how it is read."""

    LONG_TERM = "long_term"
    DAY_NOTES = "note"
    TRANSCRIPT = "transcript"
    DOCUMENT = "document"

    @property
    def is_resumable(self) -> bool:
        """Whether reading may resume after a closed piece instead of at the beginning of the file.

        Long-term memory is short, and the meaning of an entry depends on its section.
        """
        return self is not FileKind.LONG_TERM


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to index. ``relative`` is its path in the index, from the workspace with forward slashes."""

    path: Path
    relative: str
    kind: FileKind
    size: int
    mtime_ns: int

    def is_unchanged_since(self, state: FileState | None) -> bool:
        """Return whether the file is the same as when it was indexed."""
        return state is not None and (state.size, state.mtime_ns) == (self.size, self.mtime_ns)


class SourceFinder:
    """Finds the memory files of one workspace."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._memory = str(paths.memory)
        self._prefix = self._relative(paths.memory) + "/"
        # The workspace or the memory folder itself may be a link. Links inside them must not lead out, or whoever may
        # write a note could have any file indexed.
        self._allowed_folders = (paths.workspace.resolve(), paths.memory.resolve())

    def find(self, *, raise_errors: bool = False) -> list[SourceFile]:
        """Return every file to index, the last changed first.

        With ``raise_errors`` it raises OSError where a folder cannot be listed for now, so that no file seems deleted.
        """
        sources = self._walk(self._memory, self._prefix, raise_errors=raise_errors)
        return sorted(sources, key=lambda source: (-source.mtime_ns, source.relative))

    def remaining(self, states: Mapping[str, FileState]) -> int:
        """Return the work left for an index with these ``states``, a number that is 0 once all files are indexed."""
        sources = self.find()
        deleted = states.keys() - {source.relative for source in sources}
        return len(deleted) + pending_bytes((one for one in sources if os.access(one.path, os.R_OK)), states)

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._paths.workspace).as_posix()

    def _walk(self, folder: str, prefix: str, *, raise_errors: bool) -> Iterator[SourceFile]:
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            if raise_errors and error.errno in _TRANSIENT_ERRORS:
                raise
            return
        for entry in entries:
            relative = prefix + entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith("."):
                        yield from self._walk(entry.path, relative + "/", raise_errors=raise_errors)
                    continue
                kind, path = _kind_of(relative), Path(entry.path)
                if kind is None or (entry.is_symlink() and not self._is_inside(path)):
                    continue
                status = entry.stat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                yield SourceFile(path, relative, kind, status.st_size, status.st_mtime_ns)

    def _is_inside(self, path: Path) -> bool:
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return False
        return any(target.is_relative_to(folder) for folder in self._allowed_folders)


def pending_bytes(sources: Iterable[SourceFile], states: Mapping[str, FileState]) -> int:
    """Return how many bytes of some files are not indexed yet, at least 1 for a changed file."""
    pending = 0
    for source in sources:
        state = states.get(source.relative)
        if not source.is_unchanged_since(state):
            pending += max(1, source.size - (state.offset if state is not None else 0))
    return pending


@lru_cache(maxsize=100_000)  # every search lists all files
def _kind_of(relative: str) -> FileKind | None:
    """Return the kind of a file by its name, or None for a file that is not indexed."""
    source = source_of(relative)
    if source and relative != clean_markdown(relative):  # SQLite cannot hold it
        warn_once(ascii(relative), "it is not indexed, because its name is not UTF-8")
        return None
    return FileKind(source) if source else None
