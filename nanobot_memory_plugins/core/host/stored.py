"""What is stored, counted from the files alone: kinds, origins, months, and what was recalled. Nothing is written."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.recall_log import injections
from nanobot_memory_plugins.core.state import StateDatabase

_DAY_NOTE = re.compile(r"\d{4}-\d\d-\d\d.*\.md")
_MONTH = len("2026-03")


@dataclass(slots=True)
class Stored:
    """The records of one kind. ``months`` are those in which they were said or noted, ``kinds`` the types of notes."""

    count: int = 0
    size: int = 0
    files: int = 0
    origins: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    months: Counter[str] = field(default_factory=Counter)

    def add(self, origin: str, time: str) -> None:
        """Count one record. ``time`` is in ISO 8601."""
        self.count += 1
        self.origins[origin] += 1
        self.months[time[:_MONTH]] += 1


@dataclass(slots=True)
class Recalls:
    """What turns got, by file and the record's own id; ``since`` is the day of the first turn, None without any."""

    turns: int = 0
    with_memories: int = 0
    since: date | None = None
    times: Counter[tuple[str, str]] = field(default_factory=Counter)


def stored_messages(paths: MemoryPaths) -> Stored:
    """Count the messages of all transcripts. It blocks."""
    found = Stored()
    for data in _contents(paths.sessions.glob("*.jsonl"), found):
        for record in _messages(data):
            found.add(str(record.get("origin", "")), str(record.get("time", "")))
    return found


def stored_notes(paths: MemoryPaths) -> Stored:
    """Count the structured notes of all day files. It blocks."""
    found = Stored()
    for data in _contents((path for path in paths.memory.glob("*.md") if _DAY_NOTE.fullmatch(path.name)), found):
        for note in _notes(data):
            found.add(note.origin.value, note.time.isoformat())
            found.kinds[note.type.value] += 1
    return found


def stored_recalls(paths: MemoryPaths) -> Recalls:
    """Count what turns got; a long record is several passages of the index. It blocks. Raises `StoreError`."""
    found = Recalls()
    for turn in injections(StateDatabase.of(paths), since=date.min):
        found.since = found.since or turn.time.date()
        found.turns += 1
        found.with_memories += bool(turn.ids)
        for hit_id in turn.ids:
            path, _, rest = hit_id.partition("#")
            found.times[path, rest.partition("/")[0].partition("~")[0]] += 1
    return found


def text_of_record(paths: MemoryPaths, file: str, record: str) -> str:
    """Return what a message says, or the line of a note; nothing where it is there no more. It blocks."""
    path = paths.workspace / file
    if not record or not path.resolve().is_relative_to(paths.workspace.resolve()):
        return ""
    for data in _contents([path], Stored()):
        if path.suffix == ".jsonl":
            return next((str(one.get("text", "")) for one in _messages(data) if one.get("id") == record), "")
        return next((note.tldr for note in _notes(data) if note.id == record), "")
    return ""


def _contents(files: Iterable[Path], found: Stored) -> Iterator[bytes]:
    """Yield what files hold that can be read, and are no links; ``found`` counts them."""
    for path in files:
        try:
            data = b"" if path.is_symlink() else read_regular(path)
        except OSError:
            continue
        if data:
            found.files += 1
            found.size += len(data)
            yield data


def _messages(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.splitlines():
        try:
            record: object = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _notes(data: bytes) -> Iterator[NoteEntry]:
    return (part for part in parse_notes(data) if isinstance(part, NoteEntry))
