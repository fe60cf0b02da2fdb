"""One import into a workspace: it writes what is new, counts it, and writes down what `undo_import` takes back.

The state database holds each record that is added to a file, by key, before it is written; each file that is made;
the run of the entries; and that the import is done. It holds digests, and no word of what was imported.
"""

import hashlib
import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from nanobot_memory_plugins.core.errors import InputError, MemoryFileError
from nanobot_memory_plugins.core.files.appending import Appender, file_lock, make_folder
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import make_missing, private_lock
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.redaction.script.messages import Sentence

# How long an agent that writes just now is waited for, in seconds.
_LOCK_SECONDS = 30.0
# Hexadecimal digits of a key or digest: 64 bits.
DIGITS = 16
# Lines that are named one by one for one reason in one file; the count goes on.
_LINES_NAMED = 20
# Where a row of the table says something else than what a file got.
_BEGUN, _DONE, _TAKEN, _ENTRIES = "/begun", "/done", "/taken", "/entries"


def digest(data: bytes) -> str:
    """Return the digest of bytes; blank lines around a note are not of it."""
    return hashlib.sha256(data.strip()).hexdigest()[:DIGITS]


def records_in(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a transcript, or the notes of a Markdown file, each with its key. Together they are all of it.

    The key is the record's id, and the digest of what people wrote, which has none.
    """
    if name.endswith(".jsonl"):
        for line in io.BytesIO(data):
            record = parse_transcript_line(line)
            yield (record.id if record is not None else "") or digest(line), line
        return
    for part in parse_notes(data):
        piece = data[part.offset : part.offset + part.length]
        yield (part.id if isinstance(part, NoteEntry) else "") or digest(piece), piece


@dataclass(slots=True)
class LeftBehind:
    """What was left in one file for one reason. ``lines`` names the first few."""

    file: str
    why: str
    count: int = 0
    lines: list[int] = field(default_factory=list)


@dataclass(slots=True)
class ImportReport:
    """What became of an import: what was taken, by kind, what was there already, what was left and why.

    ``notices`` are remarks on the whole of it, ``remarks`` the files of each remark.
    """

    format: str
    label: str
    source: str
    dry_run: bool = False
    taken: Counter[str] = field(default_factory=Counter)
    known: int = 0
    left: dict[tuple[str, str], LeftBehind] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)
    remarks: dict[str, list[str]] = field(default_factory=dict)

    def took(self, kind: str, name: str, count: int) -> None:
        """Count messages, notes, entries or files that were written to a file below the memory folder."""
        self.taken[kind] += count
        self.written[f"memory/{name}"] += count

    def leave(self, why: str, file: str, line: int = 0) -> None:
        """Count something that was not taken."""
        row = self.left.setdefault((file, why), LeftBehind(file, why))
        row.count += 1
        if line and len(row.lines) < _LINES_NAMED:
            row.lines.append(line)

    def as_json(self) -> dict[str, Any]:
        """Return the report for programs."""
        left = [
            {"file": row.file, "why": row.why, "count": row.count, "lines": row.lines} for row in self.left.values()
        ]
        return {
            "ok": True,
            "format": self.format,
            "source": self.source,
            "dry_run": self.dry_run,
            "taken": {kind: self.taken[kind] for kind in ("messages", "notes", "entries", "files")},
            "known": self.known,
            "left": left,
            "written": [{"file": file, "records": count} for file, count in self.written.items()],
            "notices": self.notices,
            "remarks": self.remarks,
        }


@dataclass(slots=True)
class RecordedImport:
    """What one import wrote: records by file and key, whole files, runs of the entries; each with its digest."""

    id: str
    source: str
    records: dict[str, dict[str, str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    entries: list[str] = field(default_factory=list)


class ImportRun:
    """One import. Everything here blocks; with the report's ``dry_run`` nothing is written.

    ``known`` holds the keys of what earlier imports have brought. An import of the same source that was broken off is
    gone on with, and what it was about to write is looked for in the files. Raises `StoreError`.
    """

    def __init__(self, paths: MemoryPaths, report: ImportReport) -> None:
        self.paths = paths
        self.report = report
        self._appender = Appender(paths, _LOCK_SECONDS)
        self._state = StateDatabase.of(paths)
        self._source = Path(report.source).name
        self._id = ""  # until something is written
        if paths.state.exists():  # whoever only looks makes no database
            done = "SELECT item FROM imported WHERE run IN (SELECT item FROM imported WHERE source = ?)"
            self.known = {str(item) for (item,) in self._state.read(done, (_DONE,))}
            last = last_import(paths)
            is_done = "SELECT item FROM imported WHERE source = ? AND item = ?"
            if last and last.source == self._source and not self._state.read(is_done, (_DONE, last.id)):
                self._id = last.id
        else:
            self.known = set()

    def read(self, name: str) -> bytes:
        """Return the bytes of a file below the memory folder, none where it is not there. Raises `MemoryFileError`."""
        path = self.paths.memory / name
        if path.is_symlink():
            raise MemoryFileError(
                Sentence("{name} is a symbolic link; memory files are not written through links.", name=path.name)
            )
        try:
            return read_regular(path)
        except (FileNotFoundError, NotADirectoryError):
            return b""
        except OSError as error:
            raise MemoryFileError(Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror)) from error

    def add(self, name: str, records: Mapping[str, bytes]) -> None:
        """Append the records, by key, that a file does not hold. Raises `MemoryFileError`."""
        there = {key for key, _ in records_in(name, self.read(name))}
        new = {key: data for key, data in records.items() if key not in there}
        self.report.known += len(records) - len(new)
        if not new:
            return
        if not self.report.dry_run:
            self._write_down(name, ((key, digest(data)) for key, data in new.items()))
            self._appender.append(self.paths.memory / name, b"".join(new.values()))
        self.report.took("messages" if name.endswith(".jsonl") else "notes", name, len(new))

    def create(self, name: str, data: bytes, modified: float, *, has_records: bool = False) -> None:
        """Put a file in place, in one step, where there is none or an empty one. Raises `MemoryFileError`."""
        if not self.report.dry_run:
            whole = [("", digest(data))]
            records = [(key, digest(piece)) for key, piece in records_in(name, data)] if has_records else []
            self._write_down(name, records or whole)
            self._create(self.paths.memory / name, data, modified)
        self.report.took("files", name, 1)

    def remember(self, key: str) -> None:
        """Write down that something was taken which is no record and no file."""
        if not self.report.dry_run:
            self._write_down(_TAKEN, [(key, "")])

    def add_entries(self, run: str) -> None:
        """Write down which run of the entries brought theirs."""
        self._write_down(_ENTRIES, [(run, "")])

    def finish(self) -> None:
        """Write down that the import is done, where it did anything, and wait until all is on the disk."""
        if self._id and not self.report.dry_run:
            self._write_down(_DONE, [(self._id, "")])
            self._appender.sync()

    def _create(self, path: Path, data: bytes, modified: float) -> None:
        try:
            make_folder(self.paths, self.paths.memory)
            make_missing(path.parent)
            if not path.parent.resolve().is_relative_to(self.paths.memory.resolve()):
                raise MemoryFileError(Sentence("{parent} leads out of the memory folder.", parent=path.parent))
            with file_lock(self.paths).acquire(timeout=_LOCK_SECONDS):
                if self.read(path.relative_to(self.paths.memory).as_posix()):
                    raise MemoryFileError(
                        Sentence("{name} was made just now by somebody else.", name=path.name),
                        hint="Import again: what was taken is not taken twice.",
                    )
                replace_file(path, data, keeps_backup=False)
                os.utime(path, (modified, modified))
        except OSError as error:
            name, why = self.paths.relative(path), error.strerror or error
            raise MemoryFileError(Sentence("{relative} cannot be written: {why}.", relative=name, why=why)) from error

    def _write_down(self, source: str, items: Iterable[tuple[str, str]]) -> None:
        if not self._id:
            last = self._state.read("SELECT max(item) FROM imported WHERE source = ?", (_BEGUN,))
            self._id = f"{int(last[0][0] or 0) + 1:06}"
            self._write_down(_BEGUN, [(self._id, self._source)])
        rows = [(source, item, digest_, self._id) for item, digest_ in items]
        insert = "INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?)"
        self._state.write(lambda connection: connection.executemany(insert, rows))


@contextmanager
def import_run(workspace: Path, report: ImportReport) -> Iterator[ImportRun]:
    """Begin an import, or go on with one; it is finished at the end of the block, unless that fails."""
    paths = MemoryPaths.of(workspace)
    with nullcontext() if report.dry_run else only_import(paths):
        run = ImportRun(paths, report)
        yield run
        run.finish()


def only_import(paths: MemoryPaths) -> FileLock:
    """Return a lock that is held, so that two imports do not take the same things at the same time."""
    make_folder(paths, paths.locks)
    lock = private_lock(paths.locks / "import.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError("Another import into this memory is running.", hint="Wait for its end.") from error
    except OSError as error:
        raise MemoryFileError(Sentence("The memory folder cannot be written: {why}.", why=error.strerror)) from error
    return lock


def last_import(paths: MemoryPaths) -> RecordedImport | None:
    """Return the last import that was not taken back."""
    if not paths.state.exists():
        return None
    state = StateDatabase.of(paths)
    begun = "SELECT item, digest FROM imported WHERE source = ? ORDER BY item DESC LIMIT 1"
    for id_, of in state.read(begun, (_BEGUN,)):
        found = RecordedImport(id_, of)
        for source, item, digest_ in state.read("SELECT source, item, digest FROM imported WHERE run = ?", (id_,)):
            if source == _ENTRIES:
                found.entries.append(item)
            elif not source.startswith("/") and item:
                found.records.setdefault(source, {})[item] = digest_
            elif not source.startswith("/"):
                found.files[source] = digest_
        return found
    return None


def forget_import(paths: MemoryPaths, recorded: RecordedImport) -> None:
    """Forget an import that was taken back: its items can be imported again."""
    StateDatabase.of(paths).execute("DELETE FROM imported WHERE run = ?", (recorded.id,))
