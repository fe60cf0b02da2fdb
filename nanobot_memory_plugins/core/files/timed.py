"""What was said and noted, read from the files day by day, the newest days first: no index needs to hold it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path

from nanobot_memory_plugins.core.files.entries import NoteEntry, Passage, read_time
from nanobot_memory_plugins.core.files.parsing import parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.values import Hit, Origin, Query, Scope

# How a line of a transcript begins that we wrote: its time is read without the rest.
_BEGINNING = re.compile(rb'\{"id":"[^"\\]*","time":"([0-9T:.+Z-]+)"')
# A summary is noted when its session is over, and the name of a file is of the zone in which it was written.
_BESIDE = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class TimedRecords:
    """The records of the newest days, in the files' order. Days before ``first`` are not all there.

    ``unread`` counts, by day and file, the messages that were passed over; ``more`` says whether there are older days.
    """

    hits: tuple[Hit, ...]
    first: date
    unread: Counter[tuple[date, str]] = field(default_factory=Counter)
    more: bool = False


class TimedFiles:
    """The transcripts and day notes of a workspace, by the days on which something was said in them.

    ``query`` says whose and which time; its words are not looked at. Days are those of ``zone``, None: of the machine.
    Everything here blocks. A file that cannot be read, or leads out of the workspace, is passed over.
    """

    def __init__(self, paths: MemoryPaths, query: Query, zone: tzinfo | None) -> None:
        self._paths, self._query, self._zone = paths, query, zone
        self._days: dict[date, Counter[Path]] = {}
        for path in self._transcripts():
            for line in _lines(path):
                self._count(self._day(line), path)
        for path in sorted(paths.memory.glob("*.md")):
            if DAY_NOTE.fullmatch(path.name):
                self._count(self._named_day(path), path)

    def newest(self, files: int, *, of_each: int | None = None) -> TimedRecords | None:
        """Return the records of the newest days that have so many files or more together; None where nothing is.

        ``of_each`` is how many messages of a day and a file are read: the first ones.
        """
        days = sorted(self._days, reverse=True)
        if not days:
            return None
        found, first = 0, days[0]
        for day in days:
            if found >= files:
                break
            found, first = found + len(self._days[day]), day
        wanted = {day for day in days if day >= _before(first)}
        paths = sorted({path for day in wanted for path in self._days[day]})
        unread: Counter[tuple[date, str]] = Counter()
        hits: list[Hit] = []
        for path in paths:
            said = path.suffix == ".jsonl"
            hits += self._said(path, wanted, of_each, unread) if said else self._noted(path)
        return TimedRecords(tuple(hits), first, unread, more=first > days[-1])

    def _transcripts(self) -> list[Path]:
        whose = self._query.scope
        if isinstance(whose, Scope) and whose.session:
            return [self._paths.transcript(whose.session)]
        return sorted(self._paths.sessions.glob("*.jsonl"))

    def _count(self, day: date | None, path: Path) -> None:
        if day is not None:
            self._days.setdefault(day, Counter())[path] += 1

    def _said(
        self, path: Path, wanted: set[date], most: int | None, unread: Counter[tuple[date, str]]
    ) -> Iterator[Hit]:
        name = self._paths.relative(path)
        read: Counter[date] = Counter()
        for number, line in enumerate(_lines(path), 1):
            day = self._day(line)
            if day is None or day not in wanted:
                continue
            if most is not None and read[day] == most:
                unread[day, name] += 1
                continue
            record = parse_transcript_line(line)
            if record is None or not self._query.scope.allows(record.scope):
                continue
            read[day] += 1
            yield Hit(
                id=f"{name}#{record.id}",
                text=record.text,
                path=name,
                line=number,
                score=0.0,
                origin=record.origin,
                scope=record.scope,
                time=record.time,
                speaker=record.name or (record.role == "user" and record.scope.user) or record.role,
                source="transcript",
            )

    def _noted(self, path: Path) -> Iterator[Hit]:
        name = self._paths.relative(path)
        begun = _midnight(path)
        for part in parse_notes(_read(path)):
            hit = _note(name, part) if isinstance(part, NoteEntry) else _passage(name, part, begun)
            if hit is not None and self._query.scope.allows(hit.scope) and self._is_within(hit.time):
                yield hit

    def _day(self, line: bytes) -> date | None:
        """Return the day of a message, where it is of the time that is asked for."""
        begin = _BEGINNING.match(line)
        if begin is not None:
            time = read_time(begin[1].decode("ascii"))
        else:
            record = parse_transcript_line(line)
            time = record.time if record is not None else None
        return self._local(time) if time is not None and self._is_within(time) else None

    def _local(self, time: datetime) -> date:
        try:
            return time.astimezone(self._zone).date()
        except (OverflowError, OSError, ValueError):  # the ends of the calendar
            return time.date()

    def _named_day(self, path: Path) -> date | None:
        """Return the day of a day note, unless nothing of it can be of the time that is asked for."""
        begun = _midnight(path)
        since, until = self._query.since, self._query.until
        if begun is None or (since and begun < since - _BESIDE) or (until and begun > until + _BESIDE):
            return None
        return begun.date()

    def _is_within(self, time: datetime | None) -> bool:
        since, until = self._query.since, self._query.until
        return time is not None and (since is None or time >= since) and (until is None or time <= until)


def _note(name: str, note: NoteEntry) -> Hit | None:
    names = {tag.casefold() for tag in note.tags} | {note.title.casefold()}
    if not note.searchable or (note.origin is Origin.TOOL and "observation" in names):
        return None
    return Hit(
        id=f"{name}#{note.id}",
        text="\n\n".join(filter(None, (note.tldr, note.details))) or note.title,
        path=name,
        line=note.line,
        score=0.0,
        origin=note.origin,
        scope=note.scope,
        time=note.time,
        heading=note.title,
        tldr=note.tldr,
        tags=note.tags,
        source="summary" if note.origin is Origin.SUMMARY or "summary" in names else "note",
    )


def _passage(name: str, part: Passage, time: datetime | None) -> Hit | None:
    text = part.text.strip()
    if not text.lstrip("#").strip() or (text.startswith("# ") and "\n" not in text):
        return None
    return Hit(f"{name}#", text, name, part.line, 0.0, Origin.USER, time=time, heading=part.heading, source="note")


def _midnight(path: Path) -> datetime | None:
    """Return the beginning, local time, of the day that a file is named for."""
    try:
        return datetime.fromisoformat(path.stem).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def _before(day: date) -> date:
    try:
        return day - _BESIDE
    except OverflowError:
        return date.min


def _lines(path: Path) -> list[bytes]:
    return _read(path).split(b"\n")


def _read(path: Path) -> bytes:
    try:
        return read_inside(path)
    except OSError:
        return b""
