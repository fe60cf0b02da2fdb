"""What is stored, counted from the files alone: kinds, origins, months, and what was recalled. Nothing is written.

The files are looked through by patterns, and not read record by record: a hundred thousand messages take a tenth of a
second.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.recall_log import injections
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values import Origin

# A value inside a JSON string has its quotation marks escaped: these can be fields only. A pattern that begins with
# plain letters is found several times as fast.
_ORIGINS = tuple(origin.value.encode() for origin in Origin)
_MONTH = re.compile(rb'"time": ?"(\d{4}-\d\d)')
# The header of a note: its heading, and the fields up to the first other line.
_NOTE = re.compile(rb"^### (\d{4}-\d\d)-\d\d[ T]\d\d:\d\d[^\n]*\n((?:[a-z][\w;-]*:[^\n]*\n)+)", re.MULTILINE)
_FIELD = re.compile(rb"^(type|origin|id|tl;dr|tags):[ \t]*(\S*)", re.MULTILINE)
_DAY_NOTE = re.compile(r"\d{4}-\d\d-\d\d.*\.md")
_USER = "user"


@dataclass(slots=True)
class Stored:
    """The records of one kind. ``months`` are those in which they were said or noted, ``kinds`` the types of notes."""

    count: int = 0
    size: int = 0
    files: int = 0
    origins: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    months: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Recalls:
    """What turns got, by the id of each memory; ``since`` is the day of the first record, None without any."""

    turns: int = 0
    with_memories: int = 0
    since: date | None = None
    times: Counter[str] = field(default_factory=Counter)


def stored_messages(paths: MemoryPaths) -> Stored:
    """Count the messages of all transcripts. It blocks."""
    found = Stored()
    origins, months = Counter[bytes](), Counter[bytes]()
    for _, data in _contents(paths.sessions.glob("*.jsonl")):
        found.files += 1
        found.size += len(data)
        found.count += data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        for origin in _ORIGINS:  # of what we write; counting is ten times as fast as finding
            origins[origin] += data.count(b'"origin":"%s"' % origin)
        months.update(_MONTH.findall(data))
    found.origins.update({_text(name): count for name, count in origins.items() if count})
    found.months.update({_text(name): count for name, count in months.items()})
    return found


def stored_notes(paths: MemoryPaths) -> Stored:
    """Count the structured notes of all day files. It blocks."""
    found = Stored()
    for path, data in _contents(paths.memory.glob("*.md")):
        if not _DAY_NOTE.fullmatch(path.name):
            continue
        found.files += 1
        found.size += len(data)
        for month, header in _NOTE.findall(data.replace(b"\r\n", b"\n")):
            fields = {_text(name): _text(value) for name, value in _FIELD.findall(header)}
            if not fields.keys() - {"origin"}:
                continue
            found.count += 1
            found.kinds[fields.get("type") or "note"] += 1
            found.origins[fields.get("origin") or _USER] += 1
            found.months[_text(month)] += 1
    return found


def stored_recalls(paths: MemoryPaths) -> Recalls:
    """Count what turns got. It blocks. Raises `StoreError`."""
    found = Recalls()
    for turn in injections(StateDatabase.of(paths), since=date.min):
        found.since = found.since or turn.time.date()
        found.turns += 1
        found.with_memories += bool(turn.ids)
        found.times.update(turn.ids)
    return found


def place_of(hit_id: str) -> tuple[str, str]:
    """Return the file that an id of the index is about, and the record's own id in it, or an empty one."""
    path, _, rest = hit_id.partition("#")
    return path, rest.partition("/")[0].partition("~")[0]


def recalls_of_records(times: Mapping[str, int]) -> Counter[tuple[str, str]]:
    """Return how often each record was recalled: a long one is several passages of the index."""
    found: Counter[tuple[str, str]] = Counter()
    for hit_id, count in times.items():
        found[place_of(hit_id)] += count
    return found


def line_of(paths: MemoryPaths, file: str, record: str) -> str:
    """Return what a record of a file begins with, or nothing where it is there no more. It blocks."""
    path = paths.workspace / file
    if not record or not path.resolve().is_relative_to(paths.workspace.resolve()):
        return ""
    try:
        data = read_regular(path)
    except OSError:
        return ""
    wanted = re.escape(record.encode())
    said = re.search(rb'^\{"id": ?"' + wanted + rb'".*?"text": ?"((?:[^"\\]|\\.){0,200})', data, re.MULTILINE)
    if said is not None:
        return _text(said[1]).replace("\\n", " ").replace('\\"', '"')
    noted = re.search(rb"^tl;dr: ?([^\n]*)\n(?:[a-z][\w;-]*:[^\n]*\n)*?id: ?" + wanted + rb"\s*$", data, re.MULTILINE)
    return _text(noted[1]) if noted is not None else ""


def _contents(files: Iterable[Path]) -> Iterable[tuple[Path, bytes]]:
    for path in files:
        try:
            if not path.is_symlink():
                yield path, read_regular(path)
        except OSError:
            continue


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
