"""Which files of a workspace are indexed, and what each of them is."""

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

# What a folder cannot be looked at for: a moment later it can be.
_PASSING = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class FileKind(StrEnum):
    """What a file is, and with that how it is read."""

    LONG_TERM = "long_term"
    DAY_NOTES = "note"
    TRANSCRIPT = "transcript"
    DOCUMENT = "document"

    @property
    def is_resumable(self) -> bool:
        """Whether reading may begin at the end of a closed piece, rather than at the file's beginning.

        Long-term memory is short, and what an entry is depends on its section.
        """
        return self is not FileKind.LONG_TERM


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to index. ``relative`` is its name in the index, from the workspace with forward slashes."""

    path: Path
    relative: str
    kind: FileKind
    size: int
    mtime_ns: int

    def is_as(self, state: FileState | None) -> bool:
        """Tell whether the file is as it was when it was indexed."""
        return state is not None and (state.size, state.mtime_ns) == (self.size, self.mtime_ns)


class Places:
    """Finds the memory files of one workspace."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._memory = str(paths.memory)
        self._prefix = self._relative(paths.memory) + "/"
        # A workspace or a memory folder that is itself a link is its owner's arrangement; links inside
        # them must not lead out, or anybody who may write a note could have any file indexed.
        self._inside = (paths.workspace.resolve(), paths.memory.resolve())

    def find(self, *, whole: bool = False) -> list[SourceFile]:
        """Return every file that is to be indexed now, the ones changed last first.

        With ``whole`` it raises OSError where a folder cannot be looked at for now: nothing is gone for that.
        """
        found = self._walk(self._memory, self._prefix, whole=whole)
        return sorted(found, key=lambda source: (-source.mtime_ns, source.relative))

    def waiting(self, states: Mapping[str, FileState]) -> int:
        """Return a number that is 0 once an index with these ``states`` holds what can be read, and falls till then."""
        sources = self.find()
        gone = states.keys() - {source.relative for source in sources}
        return len(gone) + unindexed_bytes((one for one in sources if os.access(one.path, os.R_OK)), states)

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._paths.workspace).as_posix()

    def _walk(self, folder: str, prefix: str, *, whole: bool) -> Iterator[SourceFile]:
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            if whole and error.errno in _PASSING:
                raise
            return
        for entry in entries:
            relative = prefix + entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith("."):
                        yield from self._walk(entry.path, relative + "/", whole=whole)
                    continue
                kind, path = _kind_of(relative), Path(entry.path)
                if kind is None or (entry.is_symlink() and not self._stays_inside(path)):
                    continue
                found = entry.stat()
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode):
                yield SourceFile(path, relative, kind, found.st_size, found.st_mtime_ns)

    def _stays_inside(self, path: Path) -> bool:
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return False
        return any(target.is_relative_to(folder) for folder in self._inside)


def unindexed_bytes(sources: Iterable[SourceFile], states: Mapping[str, FileState]) -> int:
    """Return how many bytes of some files an index does not hold yet, at least 1 of a file that has changed."""
    waiting = 0
    for source in sources:
        state = states.get(source.relative)
        if not source.is_as(state):
            waiting += max(1, source.size - (state.offset if state is not None else 0))
    return waiting


@lru_cache(maxsize=100_000)  # a search looks at every file, and names do not change what they say
def _kind_of(relative: str) -> FileKind | None:
    """Return the kind of a file by its name, or None for what is not indexed."""
    source = source_of(relative)
    if source and relative != clean_markdown(relative):  # SQLite cannot hold it
        warn_once(ascii(relative), "it is not indexed, because its name is not UTF-8")
        return None
    return FileKind(source) if source else None
