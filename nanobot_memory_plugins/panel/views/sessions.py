"""The sessions, and the notes of each day: what was said and noted, redacted, as the files have it."""

import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.core.files.transcript import last_records, parse_transcript_line
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.panel.views.base import Cells, View
from nanobot_memory_plugins.panel.views.history import day_and_time
from nanobot_memory_plugins.redaction.script.messages import tr

# Of a file this much is read at its end for the list, and this many messages of one are taken at most.
_TAIL_BYTES = 1 << 20
_MOST_MESSAGES = 100_000
# Messages that are shown, and characters of each.
_SHOWN, _MOST_CHARACTERS = 100, 4_000
_ROLES = {"user": "bold green", "assistant": "bold cyan", "tool": "bold magenta"}


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A session, or the notes of a day: ``last`` is when something came for the last time, ``preview`` what."""

    key: str
    path: Path
    count: int
    last: datetime | None
    preview: str

    @property
    def is_session(self) -> bool:
        """Whether it is a transcript; else it holds the notes of a day."""
        return self.path.suffix == ".jsonl"


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A message or a note. What a person wrote between notes has no id."""

    id: str
    time: datetime | None
    role: str
    name: str
    text: str


class SessionFiles:
    """The files as a list, each read again only when it has changed. Nothing takes a lock; all of it blocks."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._known: dict[Path, tuple[str, ShownFile]] = {}

    def stamps(self) -> Iterator[tuple[Path, str]]:
        """Yield the files, each with a text that changes when it does. Links and folders are none of them."""
        days = (path for path in self._paths.memory.glob("*.md") if DAY_NOTE.fullmatch(path.name))
        for path in sorted((*days, *self._paths.sessions.glob("*.jsonl"))):
            with suppress(OSError):
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    yield path, f"{status.st_mtime_ns}-{status.st_size}"

    def listed(self) -> list[ShownFile]:
        """Return the sessions and days, the one that was written last first. What cannot be read is passed over."""
        fresh: dict[Path, tuple[str, ShownFile]] = {}
        for path, stamp in self.stamps():
            known = self._known.get(path)
            with suppress(OSError):
                fresh[path] = known if known is not None and known[0] == stamp else (stamp, _read(path))
        self._known = fresh
        found = [file for _, file in fresh.values()]
        return sorted(found, key=lambda file: file.last.timestamp() if file.last else 0.0, reverse=True)


def records_of(file: ShownFile, limit: int = 0) -> list[ShownRecord]:
    """Return the last messages or notes, oldest first; 0: all. Blocks. Raises `OSError`."""
    if not file.is_session:
        return _notes(file.path)[-limit:]
    records = last_records(file.path, file.key, limit or _MOST_MESSAGES)
    return [ShownRecord(record.id, record.time, record.role, record.name, record.text) for record in records]


def _notes(path: Path) -> list[ShownRecord]:
    with open_regular(path) as file:
        parts = list(parse_notes(file.read(_TAIL_BYTES)))
    return [
        ShownRecord(part.id, part.time, part.type.value, part.title, f"{part.tldr}\n{part.details}".strip())
        if isinstance(part, NoteEntry)
        else ShownRecord("", None, "user", "", part.text)
        for part in parts
    ]


def _read(path: Path) -> ShownFile:
    if path.suffix == ".md":
        notes = _notes(path)
        last = next((note.time for note in reversed(notes) if note.time), None)
        preview = next((note.text.partition("\n")[0] for note in notes if note.id), "")
        return ShownFile(path.stem, path, len(notes), last, preview)
    with open_regular(path) as file:
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(_TAIL_BYTES), b""))
        file.seek(max(0, file.tell() - _TAIL_BYTES))
        tail = file.read(_TAIL_BYTES).split(b"\n")
    newest = next(filter(None, (parse_transcript_line(line) for line in reversed(tail) if line)), None)
    if newest is None:
        return ShownFile(path.stem, path, lines, None, "")
    return ShownFile(newest.session_key, path, lines, newest.time, newest.text[:400])


class SessionsView(View):
    """The sessions and the days' notes, of which one may be deleted."""

    name_of_view = "Sessions"
    columns = (("Session", 24), ("Messages", 8), ("Last", 16), ("Text", 0))
    shows_end = True

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._files = SessionFiles(self.memory.paths)

    def version(self) -> str:
        """Return a text that changes with the files."""
        return repr(list(self._files.stamps()))

    async def load(self) -> None:
        """Read the files."""
        files = await self.memory.run(self._files.listed)
        self.fill(files, self._cells, lambda file: str(file.path))
        count = sum(file.count for file in files)
        summary = tr("{n} sessions and days, {m} messages", n=f"{len(files):,}", m=f"{count:,}")
        self.line.update(Text(f" {summary}"))

    def _cells(self, file: ShownFile) -> Cells:
        return [file.key, f"{file.count:,}", day_and_time(file.last), file.preview]

    async def detail(self, row: ShownFile) -> Text:
        """Return the last messages or notes."""
        text = Text().append(f"{self.memory.paths.relative(row.path)}\n\n", "dim cyan")
        for record in await self.memory.run(lambda: records_of(row, _SHOWN)):
            text.append(f"{day_and_time(record.time)} ", "dim")
            text.append(tr(record.role), _ROLES.get(record.role, "bold"))
            text.append(f" {record.name}\n" if record.name else "\n", "dim")
            content = record.text.strip()
            text.append(content[:_MOST_CHARACTERS] + ("…" if len(content) > _MOST_CHARACTERS else "") + "\n\n")
        return text

    def nothing(self) -> str:
        """Return what to show next to an empty list."""
        return tr("There are no sessions yet.")

    def do_forget(self) -> None:
        """Show what deleting the session or the notes of the day under the cursor would remove."""
        if self.current is not None:
            self.run_worker(self._forget(self.current), group="ask", exclusive=True)

    async def _forget(self, row: ShownFile) -> None:
        try:
            records = await self.memory.run(lambda: records_of(row))
        except Exception as error:
            self.panel.complain(error)
            return
        if ids := tuple(record.id for record in records if record.id):
            await self.panel.show_forgetting(Erasure(records=ids))
        else:
            self.warn(tr("Nothing here was written by this program: change the file itself."))
