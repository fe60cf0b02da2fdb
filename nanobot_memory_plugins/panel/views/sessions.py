"""The sessions and the notes of each day, with their redacted messages and notes from the files."""

import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from rich.text import Text

from nanobot_memory_plugins.core.files.notes import NoteEntry, Passage, parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, recent_records
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Erasure, Origin, Scope
from nanobot_memory_plugins.panel.views.base import Cells, View
from nanobot_memory_plugins.panel.views.history import day_and_time
from nanobot_memory_plugins.redaction.script.messages import tr

# The most bytes that are read of a day's notes, and the most messages of a session.
_MAX_BYTES = 1 << 20
_MAX_MESSAGES = 100_000
# The most messages in the detail, and the most characters of each.
_SHOWN_MESSAGES, _MAX_CHARS = 100, 4_000
_ROLES = {"user": "bold green", "assistant": "bold cyan", "tool": "bold magenta"}
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A session or the notes of a day, with its name and its last record."""

    key: str
    path: Path
    last: TranscriptRecord | None


def file_stamps(paths: MemoryPaths) -> dict[Path, str]:
    """Return a text for each file that changes with the file. Links and folders are left out. It blocks."""
    stamps = {}
    days = (path for path in paths.memory.glob("*.md") if DAY_NOTE.fullmatch(path.name))
    for path in sorted((*days, *paths.sessions.glob("*.jsonl"))):
        with suppress(OSError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                stamps[path] = f"{status.st_mtime_ns}-{status.st_size}"
    return stamps


def files_of(paths: MemoryPaths) -> list[ShownFile]:
    """Return the sessions and days, the newest first. Unreadable files are left out."""
    found = []
    for path, stamp in file_stamps(paths).items():
        with suppress(OSError):
            newest = _newest(path, stamp)
            found.append(ShownFile((newest.session_key if newest else "") or path.stem, path, newest))
    return sorted(found, key=lambda file: (file.last.time if file.last else None) or _EARLIEST, reverse=True)


@lru_cache(maxsize=10_000)
def _newest(path: Path, stamp: str) -> TranscriptRecord | None:  # the stamp is part of the cache key
    return next(iter(records_of(path, 1)), None)


def records_of(path: Path, limit: int = _MAX_MESSAGES) -> list[TranscriptRecord]:
    """Return the last messages or notes of a file, oldest first. It takes no lock, and blocks. Raises `OSError`.

    A person's text between notes has no id, and a note has no session.
    """
    if path.suffix == ".jsonl":
        return recent_records(path, _EARLIEST, limit)
    with open_regular(path) as file:
        return list(map(_note_record, parse_notes(file.read(_MAX_BYTES))))[-limit:]


def _note_record(part: NoteEntry | Passage) -> TranscriptRecord:
    if isinstance(part, Passage):
        return TranscriptRecord("user", part.text, "", Scope(), Origin.NOTES)
    text = f"{part.tldr}\n{part.details}".strip()
    return TranscriptRecord(part.type.value, text, "", part.scope, part.origin, part.id, part.time, part.title)


class SessionsView(View):
    """The sessions and the days' notes, each of which can be deleted."""

    name_of_view = "Sessions"
    columns = (("Session", 24), ("Last", 16), ("Text", 0))
    shows_end = True

    def version(self) -> str:
        """Return a text that changes with the files."""
        return repr(file_stamps(self.memory.paths))

    async def load(self) -> None:
        """Read the list of files."""
        files = await run_in_daemon_thread(lambda: files_of(self.memory.paths))
        self.fill(files, self._cells, lambda file: str(file.path))
        self.line.update(Text(f" {tr('{n} sessions and days', n=f'{len(files):,}')}"))

    def _cells(self, file: ShownFile) -> Cells:
        return [file.key, day_and_time(file.last.time), file.last.text] if file.last else [file.key, "", ""]

    async def detail(self, row: ShownFile) -> Text:
        """Return the last messages or notes of a file."""
        text = Text().append(f"{self.memory.paths.relative(row.path)}\n\n", "dim cyan")
        for record in await run_in_daemon_thread(lambda: records_of(row.path, _SHOWN_MESSAGES)):
            text.append(f"{day_and_time(record.time)} ", "dim")
            text.append(tr(record.role), _ROLES.get(record.role, "bold"))
            text.append(f" {record.name}\n" if record.name else "\n", "dim")
            content = record.text.strip()
            text.append(content[:_MAX_CHARS] + ("…" if len(content) > _MAX_CHARS else "") + "\n\n")
        return text

    def empty_text(self) -> str:
        """Return the text next to an empty list."""
        return tr("There are no sessions yet.")

    def do_forget(self) -> None:
        """Show what purging the session or the day's notes under the cursor would remove."""
        if (file := self.current) is not None:
            self.begin(lambda: self._forget(file))

    async def _forget(self, row: ShownFile) -> None:
        records = await run_in_daemon_thread(lambda: records_of(row.path))
        if ids := tuple(record.id for record in records if record.id):
            await self.panel.show_forgetting(Erasure(records=ids))
        else:
            self.warn(tr("Nothing here was written by this program: change the file itself."))
