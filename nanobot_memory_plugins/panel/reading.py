"""What the panel reads from the memory files: day notes and sessions. Nothing here takes a lock; all of it blocks."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from nanobot_memory_plugins.core.files import (
    DAY_NOTE,
    MemoryPaths,
    NoteEntry,
    Passage,
    TranscriptRecord,
    last_records,
    open_regular,
    parse_notes,
    parse_transcript_line,
)

# Of a day's file this much is shown; nobody reads more on a screen.
MOST_NOTE_BYTES = 1 << 20
_MOST_LINE = 1 << 20
_BLOCK = 1 << 20
_ENTRY = re.compile(rb"^### ", re.MULTILINE)
_TLDR = re.compile(rb"^tl;dr:[ \t]*(.+)$", re.MULTILINE)

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class DayNotes:
    """The note file of a day. ``path`` is relative to the workspace, ``first`` the first tl;dr in it."""

    day: str
    path: str
    size: int
    entries: int
    first: str


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A transcript. ``last`` is when something was said for the last time, ``preview`` what."""

    key: str
    path: str
    size: int
    messages: int
    last: datetime | None
    preview: str


class MemoryReader:
    """Reads lists of files, each file again only when it has changed."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._notes: dict[str, tuple[str, DayNotes]] = {}
        self._sessions: dict[str, tuple[str, ShownSession]] = {}

    def notes_version(self) -> str:
        """Return a text that changes when a day's file does."""
        return repr([(name, stamp) for name, _, stamp in _files(self._paths.memory, _is_day_note)])

    def day_notes(self) -> list[DayNotes]:
        """Return the days that have notes, the last first. A file that cannot be read is passed over."""
        found = _again(_files(self._paths.memory, _is_day_note), self._notes, self._day_notes)
        return sorted(found, key=lambda one: one.day, reverse=True)

    def note_parts(self, notes: DayNotes) -> list[NoteEntry | Passage]:
        """Return what stands in a day's file. Raises `OSError`."""
        with open_regular(self._paths.workspace / notes.path) as file:
            return list(parse_notes(file.read(MOST_NOTE_BYTES)))

    def sessions_version(self) -> str:
        """Return a text that changes when a transcript does."""
        return repr([(name, stamp) for name, _, stamp in _files(self._paths.sessions, _is_transcript)])

    def sessions(self) -> list[ShownSession]:
        """Return the sessions, the one that was used last first."""
        found = _again(_files(self._paths.sessions, _is_transcript), self._sessions, self._session)
        return sorted(found, key=lambda one: (one.last is not None, one.last and one.last.timestamp()), reverse=True)

    def messages(self, session: ShownSession, limit: int) -> list[TranscriptRecord]:
        """Return the last messages of a session, oldest first. Raises `OSError`."""
        return last_records(self._paths.workspace / session.path, session.key, limit)

    def _day_notes(self, path: Path) -> DayNotes:
        with open_regular(path) as file:
            data = file.read(MOST_NOTE_BYTES)
        first = _TLDR.search(data)
        return DayNotes(
            day=path.stem,
            path=self._relative(path),
            size=path.stat().st_size,
            entries=len(_ENTRY.findall(data)),
            first=first[1].decode("utf-8", "replace").strip() if first else "",
        )

    def _session(self, path: Path) -> ShownSession:
        lines, first, tail = 0, b"", b""
        with open_regular(path) as file:
            while block := file.read(_BLOCK):
                first = first or block[:_MOST_LINE].split(b"\n", 1)[0]
                lines += block.count(b"\n")
                tail = (tail + block)[-_MOST_LINE:]
        begun = parse_transcript_line(first)
        ended = next(filter(None, (parse_transcript_line(line) for line in reversed(tail.split(b"\n")) if line)), None)
        known = begun or ended
        return ShownSession(
            key=known.session_key if known is not None else path.stem,
            path=self._relative(path),
            size=path.stat().st_size,
            messages=lines,
            last=ended.time if ended is not None else None,
            preview=" ".join(ended.text[:400].split()) if ended is not None else "",
        )

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._paths.workspace).as_posix()


def waiting_records(paths: MemoryPaths) -> int:
    """Return how many bytes wait in spill files for a file that another process has locked."""
    return sum(int(stamp.split("-")[1]) for _, _, stamp in _files(paths.spill, lambda _name: True))


def _is_day_note(name: str) -> bool:
    return DAY_NOTE.fullmatch(name) is not None


def _is_transcript(name: str) -> bool:
    return name.endswith(".jsonl")


def _files(folder: Path, wanted: Callable[[str], bool]) -> list[tuple[str, Path, str]]:
    """Return the files of a folder by name, path and a stamp that changes with them; none where there is no folder."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if wanted(entry.name) and entry.is_file(follow_symlinks=False):
                    stat = entry.stat(follow_symlinks=False)
                    found.append((entry.name, Path(entry.path), f"{stat.st_mtime_ns}-{stat.st_size}"))
    except OSError:
        return []
    return sorted(found)


def _again(
    files: list[tuple[str, Path, str]], known: dict[str, tuple[str, Found]], read: Callable[[Path], Found]
) -> list[Found]:
    """Return what is read of each file, from ``known`` where it has not changed."""
    fresh: dict[str, tuple[str, Found]] = {}
    for name, path, stamp in files:
        there = known.get(name)
        try:
            fresh[name] = there if there is not None and there[0] == stamp else (stamp, read(path))
        except OSError:
            continue
    known.clear()
    known.update(fresh)
    return [found for _, found in fresh.values()]
