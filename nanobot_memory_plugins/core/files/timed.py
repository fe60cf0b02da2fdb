"""What was said and noted, read from the files day by day, the newest days first: no index needs to hold it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path

from nanobot_memory_plugins.core.files.fields import read_time
from nanobot_memory_plugins.core.files.hidden_records import hidden_records
from nanobot_memory_plugins.core.files.notes import NoteEntry, Passage, parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.values import Hit, Origin, Query, Scope

# The time of a message in a line that we wrote, and its day: quotes are escaped in what was said.
_TIME = re.compile(rb'"time":"([0-9T:.+Z-]+)"')
_DAY = re.compile(rb'"time":"(\d{4}-\d\d-\d\d)')
# Bytes of a line in which its time stands: the id before it is short.
_LONGEST_HEAD = 400
# The day that is written is that of another zone, and a summary is noted when its session is over.
_BESIDE = timedelta(days=2)
# Of a time: what says on which day it is, beside its zone. No zone is shifted by less than ten minutes.
_TEN_MINUTES, _ZONE = slice(15), slice(-6, None)


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
        self._hidden = hidden_records(paths)
        self._local_days: dict[bytes, date | None] = {}
        self._files: dict[date, list[Path]] = {}
        for path in self._transcripts():
            data = _read(path)
            found = set(_DAY.findall(data))
            written = {day for one in found if (day := _day_of(one.decode("ascii"))) is not None}
            self._add(path, written if found else {day for day in self._days(data.split(b"\n")) if day is not None})
        for path in sorted(paths.memory.glob("*.md")):
            if DAY_NOTE.fullmatch(path.name) and (day := _day_of(path.stem)) is not None:
                self._add(path, {day})

    def newest(self, files: int, *, of_each: int | None = None) -> TimedRecords | None:
        """Return the records of the newest days that have so many files or more together; None where nothing is.

        ``of_each`` is how many messages of a day and a file are read: the first ones.
        """
        days = sorted(self._files, reverse=True)
        if not days:
            return None
        found, first = 0, days[0]
        for day in days:
            if found >= files:
                break
            found, first = found + len(self._files[day]), day
        wanted = {day for day in days if day >= _before(first)}
        paths = sorted({path for day in wanted for path in self._files[day]})
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

    def _add(self, path: Path, days: Iterable[date]) -> None:
        since, until = self._query.since, self._query.until
        for day in days:
            if (since is None or day >= _before(since.date())) and (until is None or _before(day) <= until.date()):
                self._files.setdefault(day, []).append(path)

    def _said(
        self, path: Path, wanted: set[date], most: int | None, unread: Counter[tuple[date, str]]
    ) -> Iterator[Hit]:
        name = self._paths.relative(path)
        read: Counter[date] = Counter()
        lines = _read(path).split(b"\n")
        first = min(wanted)
        for number, (line, day) in enumerate(zip(lines, self._days(lines), strict=True), 1):
            if day is None or day < first:
                continue
            if most is not None and read[day] == most:
                unread[day, name] += 1
                continue
            record = parse_transcript_line(line)
            if record is None or record.id in self._hidden or not self._query.scope.allows(record.scope):
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

    def _days(self, lines: list[bytes]) -> list[date | None]:
        """Return the day of each line, None of what is no message of the time that is asked for."""
        times = [found[1] if (found := _TIME.search(line, 0, _LONGEST_HEAD)) else b"" for line in lines]
        known = self._local_days
        if self._query.since is None and self._query.until is None:
            keys = [time[_TEN_MINUTES] + time[_ZONE] for time in times]
        else:
            keys = times
        for key, time in zip(keys, times, strict=True):
            if key and key not in known:
                known[key] = self._local(read_time(time.decode("ascii")))
        return [known[key] if key else self._day_in(line) for key, line in zip(keys, lines, strict=True)]

    def _day_in(self, line: bytes) -> date | None:
        record = parse_transcript_line(line) if line.strip() else None
        return self._local(record.time) if record is not None else None

    def _local(self, time: datetime | None) -> date | None:
        if time is None or not self._is_within(time):
            return None
        try:
            return time.astimezone(self._zone).date()
        except (OverflowError, OSError, ValueError):  # the ends of the calendar
            return time.date()

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


def _day_of(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


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


def _read(path: Path) -> bytes:
    try:
        return read_inside(path)
    except OSError:
        return b""
