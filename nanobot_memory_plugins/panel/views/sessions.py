"""The sessions, and the notes of each day: what was said and noted, redacted, as the files have it."""

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

# Of a day's file this much is read, and this many messages of a session are taken at most.
_MOST_BYTES = 1 << 20
_MOST_MESSAGES = 100_000
# Messages that are shown, and characters of each.
_SHOWN, _MOST_CHARACTERS = 100, 4_000
_ROLES = {"user": "bold green", "assistant": "bold cyan", "tool": "bold magenta"}
_EVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A session, or the notes of a day: its name, and what came for the last time."""

    key: str
    path: Path
    last: TranscriptRecord | None


def stamps_of(paths: MemoryPaths) -> dict[Path, str]:
    """Return the files, each with a text that changes when it does. Links and folders are none of them. It blocks."""
    stamps = {}
    days = (path for path in paths.memory.glob("*.md") if DAY_NOTE.fullmatch(path.name))
    for path in sorted((*days, *paths.sessions.glob("*.jsonl"))):
        with suppress(OSError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                stamps[path] = f"{status.st_mtime_ns}-{status.st_size}"
    return stamps


def files_of(paths: MemoryPaths) -> list[ShownFile]:
    """Return the sessions and days, the one that was written last first. What cannot be read is passed over."""
    found = []
    for path, stamp in stamps_of(paths).items():
        with suppress(OSError):
            newest = _newest(path, stamp)
            found.append(ShownFile((newest.session_key if newest else "") or path.stem, path, newest))
    return sorted(found, key=lambda file: (file.last.time if file.last else None) or _EVER, reverse=True)


@lru_cache(maxsize=10_000)
def _newest(path: Path, stamp: str) -> TranscriptRecord | None:  # read again where the stamp is another
    return next(iter(records_of(path, 1)), None)


def records_of(path: Path, limit: int = _MOST_MESSAGES) -> list[TranscriptRecord]:
    """Return the last messages or notes of a file, oldest first. It takes no lock, and blocks. Raises `OSError`.

    What a person wrote between notes has no id, and a note no session.
    """
    if path.suffix == ".jsonl":
        return recent_records(path, _EVER, limit)
    with open_regular(path) as file:
        return list(map(_note_record, parse_notes(file.read(_MOST_BYTES))))[-limit:]


def _note_record(part: NoteEntry | Passage) -> TranscriptRecord:
    if isinstance(part, Passage):
        return TranscriptRecord("user", part.text, "", Scope(), Origin.NOTES)
    text = f"{part.tldr}\n{part.details}".strip()
    return TranscriptRecord(part.type.value, text, "", part.scope, part.origin, part.id, part.time, part.title)


class SessionsView(View):
    """The sessions and the days' notes, of which one may be deleted."""

    name_of_view = "Sessions"
    columns = (("Session", 24), ("Last", 16), ("Text", 0))
    shows_end = True

    def version(self) -> str:
        """Return a text that changes with the files."""
        return repr(stamps_of(self.memory.paths))

    async def load(self) -> None:
        """Read the files."""
        files = await run_in_daemon_thread(lambda: files_of(self.memory.paths))
        self.fill(files, self._cells, lambda file: str(file.path))
        self.line.update(Text(f" {tr('{n} sessions and days', n=f'{len(files):,}')}"))

    def _cells(self, file: ShownFile) -> Cells:
        return [file.key, day_and_time(file.last.time), file.last.text] if file.last else [file.key, "", ""]

    async def detail(self, row: ShownFile) -> Text:
        """Return the last messages or notes."""
        text = Text().append(f"{self.memory.paths.relative(row.path)}\n\n", "dim cyan")
        for record in await run_in_daemon_thread(lambda: records_of(row.path, _SHOWN)):
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
        if (file := self.current) is not None:
            self.begin(lambda: self._forget(file))

    async def _forget(self, row: ShownFile) -> None:
        records = await run_in_daemon_thread(lambda: records_of(row.path))
        if ids := tuple(record.id for record in records if record.id):
            await self.panel.show_forgetting(Erasure(records=ids))
        else:
            self.warn(tr("Nothing here was written by this program: change the file itself."))
