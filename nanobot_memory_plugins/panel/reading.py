"""What the panel reads from the memory files: sessions and day notes. Nothing here takes a lock; all of it blocks."""

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.core.files.transcript import last_records, parse_transcript_line

# Of a file this much is read at its end for the list, and this many messages of one are shown at most.
_TAIL_BYTES = 1 << 20
_MOST_MESSAGES = 100_000


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A session, or the notes of a day: ``last`` is when something came for the last time, ``preview`` what."""

    key: str
    path: str
    count: int
    last: datetime | None
    preview: str
    is_session: bool


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A message or a note. What a person wrote between notes has no id."""

    id: str
    time: datetime | None
    role: str
    name: str
    text: str


class MemoryReader:
    """Reads the list of files, each file again only when it has changed."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._known: dict[str, tuple[str, ShownFile]] = {}

    def version(self) -> str:
        """Return a text that changes when a file does."""
        return repr(self._stamps())

    def files(self) -> list[ShownFile]:
        """Return the sessions and days, the one that was written last first. What cannot be read is passed over."""
        fresh: dict[str, tuple[str, ShownFile]] = {}
        for path, stamp in self._stamps():
            known = self._known.get(path)
            try:
                fresh[path] = known if known is not None and known[0] == stamp else (stamp, self._read(Path(path)))
            except OSError:
                continue
        self._known = fresh
        found = [file for _, file in fresh.values()]
        return sorted(found, key=lambda file: file.last.timestamp() if file.last else 0.0, reverse=True)

    def records(self, file: ShownFile, limit: int | None) -> list[ShownRecord]:
        """Return the last messages or notes, oldest first. Raises `OSError`."""
        path = self._paths.workspace / file.path
        if file.is_session:
            records = last_records(path, file.key, limit or _MOST_MESSAGES)
            return [ShownRecord(record.id, record.time, record.role, record.name, record.text) for record in records]
        return self._notes(path)[-(limit or 0) :]

    def _notes(self, path: Path) -> list[ShownRecord]:
        with open_regular(path) as file:
            parts = list(parse_notes(file.read(_TAIL_BYTES)))
        return [
            ShownRecord(part.id, part.time, part.type.value, part.title, f"{part.tldr}\n{part.details}".strip())
            if isinstance(part, NoteEntry)
            else ShownRecord("", None, "user", "", part.text)
            for part in parts
        ]

    def _read(self, path: Path) -> ShownFile:
        relative = path.relative_to(self._paths.workspace).as_posix()
        if path.suffix == ".md":
            notes = self._notes(path)
            last = next((note.time for note in reversed(notes) if note.time), None)
            preview = next((note.text.partition("\n")[0] for note in notes if note.id), "")
            return ShownFile(path.stem, relative, len(notes), last, preview, is_session=False)
        with open_regular(path) as file:
            lines = sum(block.count(b"\n") for block in iter(lambda: file.read(_TAIL_BYTES), b""))
            file.seek(max(0, file.tell() - _TAIL_BYTES))
            tail = file.read(_TAIL_BYTES).split(b"\n")
        newest = next(filter(None, (parse_transcript_line(line) for line in reversed(tail) if line)), None)
        if newest is None:
            return ShownFile(path.stem, relative, lines, None, "", is_session=True)
        return ShownFile(newest.session_key, relative, lines, newest.time, newest.text[:400], is_session=True)

    def _stamps(self) -> list[tuple[str, str]]:
        """Return the files with a stamp that changes with them; links and folders are none of them."""
        found = []
        for folder in (self._paths.memory, self._paths.sessions):
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        is_shown = (
                            entry.name.endswith(".jsonl") if folder == self._paths.sessions else _is_day(entry.name)
                        )
                        if is_shown and entry.is_file(follow_symlinks=False):
                            stat = entry.stat(follow_symlinks=False)
                            found.append((entry.path, f"{stat.st_mtime_ns}-{stat.st_size}"))
            except OSError:
                continue
        return sorted(found)


def _is_day(name: str) -> bool:
    return DAY_NOTE.fullmatch(name) is not None
