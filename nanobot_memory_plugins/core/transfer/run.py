"""One import into a workspace: it writes what is new, counts it, and writes down what `undo_import` takes back.

The state database holds each record that is added to a file, by key, before it is written; each file that is made;
the run of the entries; and that the import is done. It holds digests, and no word of what was imported.
"""

import contextlib
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.erasure.rewriting import rewrite
from nanobot_memory_plugins.core.errors import InputError, MemoryFileError
from nanobot_memory_plugins.core.files.appending import (
    Appender,
    FileBusyError,
    acquire_lock,
    make_folder,
    workspace_lock,
)
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.transfer.archive import grows, is_transcript
from nanobot_memory_plugins.core.transfer.importer import installed_joiner
from nanobot_memory_plugins.redaction.script.messages import Sentence

# How long an agent that writes just now is waited for, in seconds.
_LOCK_SECONDS = 30.0
# Hexadecimal digits of a key or digest: 64 bits.
DIGITS = 16
# Where a row of the table says something else than what a file got.
_BEGUN, _DONE, _JOINED = "/begun", "/done", "/joined"
ENTRIES_FILE = "ENTRIES.md"
_CHANGED = "it has been changed since then"


def digest(data: bytes) -> str:
    """Return the digest of bytes; blank lines around a note are not of it."""
    return hashlib.sha256(data.strip()).hexdigest()[:DIGITS]


def whole_key(name: str, data: bytes) -> str:
    """Return the key of a file that is one piece."""
    return digest(f"{name}\n".encode() + data)


def records_in(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a transcript's lines, the notes of a day, or any other file as one piece, each with its key.

    The key is the record's id, or a digest where it has none. Together they are all of the file.
    """
    if is_transcript(name):
        for line in io.BytesIO(data):
            record = parse_transcript_line(line)
            yield (record.id if record is not None else "") or digest(line), line
    elif grows(name):
        for part in parse_notes(data):
            piece = data[part.offset : part.offset + part.length]
            yield (part.id if isinstance(part, NoteEntry) else "") or digest(piece), piece
    else:
        yield whole_key(name, data), data


@dataclass(slots=True)
class ImportReport:
    """What became of an import: what was taken, by kind; what was there already; what was left.

    Of one that is undone it is what was taken back, and what stays. ``left`` holds by file and reason the lines that
    were left there (0 where a store has no lines), ``written`` the number of records by file. ``notices`` are remarks
    on the whole of it.
    """

    source: str
    format: str = ""
    dry_run: bool = False
    taken: Counter[str] = field(default_factory=Counter)
    known: int = 0
    left: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)

    def took(self, kind: str, name: str, count: int) -> None:
        """Count messages, notes, entries or files that were written to a file below the memory folder."""
        self.taken[kind] += count
        self.written[f"memory/{name}"] += count

    def leave(self, why: str, file: str, line: int = 0) -> None:
        """Count something that was not taken."""
        self.left.setdefault((file, why), []).append(line)

    def as_json(self) -> dict[str, Any]:
        """Return the report for programs."""
        return {
            "ok": True,
            "format": self.format,
            "source": self.source,
            "dry_run": self.dry_run,
            "taken": {kind: self.taken[kind] for kind in ("messages", "notes", "entries", "files")},
            "known": self.known,
            "left": [
                {"file": file, "why": why, "count": len(lines), "lines": [line for line in lines if line]}
                for (file, why), lines in self.left.items()
            ],
            "written": [{"file": file, "records": count} for file, count in self.written.items()],
            "notices": self.notices,
        }


class ImportRun:
    """One import. Everything here blocks; with the report's ``dry_run`` nothing is written.

    ``known`` holds the keys of what earlier imports have brought. An import of the same source that was broken off is
    gone on with, and what it was about to write is looked for in the files. Raises `StoreError`.
    """

    def __init__(self, paths: MemoryPaths, report: ImportReport) -> None:
        self.paths = paths
        self.report = report
        self.known: set[str] = set()
        self._appender = Appender(paths, _LOCK_SECONDS)
        self._state = StateDatabase.of(paths)
        self._source = Path(report.source).name
        self._id = ""  # until something is written
        if paths.state.exists():  # whoever only looks makes no database
            done = {str(run) for (run,) in self._state.read("SELECT item FROM imported WHERE source = ?", (_DONE,))}
            rows = self._state.read("SELECT item, run FROM imported")
            self.known = {str(item) for item, run in rows if run in done}
            last, source = _last_import(self._state) or ("", "")
            if source == self._source and last not in done:
                self._id = last

    def read(self, name: str) -> bytes:
        """Return the bytes of a file below the memory folder, none where it is not there. Raises `MemoryFileError`."""
        path = self.paths.memory / name
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

    def create(self, name: str, data: bytes) -> None:
        """Put a file in place, in one step, where there is none or an empty one. Raises `MemoryFileError`."""
        if not self.report.dry_run:
            self._write_down(name, ((key, digest(piece)) for key, piece in records_in(name, data)))
            path = self.paths.memory / name
            make_folder(self.paths, path.parent)
            with workspace_lock(self.paths, "files", _LOCK_SECONDS):
                if path.is_file() and path.stat().st_size:
                    raise MemoryFileError(
                        Sentence("{name} was made just now by somebody else.", name=self.paths.relative(path)),
                        hint="Import again: what was taken is not taken twice.",
                    )
                replace_file(path, data, keeps_backup=False)
        self.report.took("files", name, 1)

    def joined(self, key: str, entries_run: str) -> None:
        """Write down the file of entries that was joined with those here, and which run of theirs took any."""
        if (self._id or entries_run) and not self.report.dry_run:
            self._write_down(_JOINED, [(key, entries_run)])

    def finish(self) -> None:
        """Write down that the import is done, where it did anything, and wait until all is on the disk."""
        if self._id and not self.report.dry_run:
            self._write_down(_DONE, [(self._id, "")])
            self._appender.sync()

    def _write_down(self, source: str, items: Iterable[tuple[str, str]]) -> None:
        if not self._id:
            last = self._state.read("SELECT max(item) FROM imported WHERE source = ?", (_BEGUN,))
            self._id = f"{int(last[0][0] or 0) + 1:06}"
            self._write_down(_BEGUN, [(self._id, self._source)])
        rows = [(source, item, digest_, self._id) for item, digest_ in items]
        insert = "INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?)"
        self._state.write(lambda connection: connection.executemany(insert, rows))


def only_import(paths: MemoryPaths) -> AbstractContextManager[object]:
    """Return a lock that is held, so that two imports do not take the same things at the same time."""
    try:
        return acquire_lock(paths, "import", 0.0)
    except FileBusyError as error:
        raise InputError("Another import into this memory is running.", hint="Wait for its end.") from error


def undo_import(workspace: Path) -> ImportReport:
    """Take the last import back that was not taken back yet. Hold `only_import`; it can be repeated.

    What was changed since then stays. Raises `InputError` where there is none, and `MemoryFileError`.
    """
    paths = MemoryPaths.of(workspace)
    last = _last_import(StateDatabase.of(paths)) if paths.state.exists() else None
    if last is None:
        raise InputError(
            "There is no import to take back.",
            hint="`nanobot-memory import SOURCE --dry-run` shows what one would bring.",
        )
    run, source = last
    report, state = ImportReport(source), StateDatabase.of(paths)
    files: dict[str, dict[str, str]] = {}
    for name, item, digest_ in state.read("SELECT source, item, digest FROM imported WHERE run = ?", (run,)):
        if name == _JOINED and digest_:
            _take_entries_back(workspace, digest_, report)
        elif not name.startswith("/"):
            files.setdefault(name, {})[item] = digest_
    for name, records in files.items():
        _take_out(paths, name, records, report)
    # Last: until then all can be repeated. Its items can be imported again.
    state.execute("DELETE FROM imported WHERE run = ?", (run,))
    return report


def _last_import(state: StateDatabase) -> tuple[str, str] | None:
    begun = "SELECT item, digest FROM imported WHERE source = ? ORDER BY item DESC LIMIT 1"
    return next(((str(run), str(source)) for run, source in state.read(begun, (_BEGUN,))), None)


def _take_entries_back(workspace: Path, run: str, report: ImportReport) -> None:
    try:
        if (joiner := installed_joiner()) is None:
            raise InputError("what keeps the entries is not installed")
        joiner.take_back(workspace, run)
        gone = Sentence("Its entries went with the run {run}; `nanobot-memory entries history` shows it.", run=run)
        report.notices.append(gone)
    except InputError as error:
        report.leave(error.cause, Sentence("the run {run} of the entries", run=run))


def _take_out(paths: MemoryPaths, name: str, records: Mapping[str, str], report: ImportReport) -> None:
    """Take what was imported out of a file, leaving no copy of it; an empty file goes, with the folders around it."""
    path = paths.memory / name
    if not path.is_file():
        return
    count, is_changed = 0, False

    def without(data: bytes) -> bytes:
        nonlocal count, is_changed
        pieces = list(records_in(name, data))
        kept = [(key, piece) for key, piece in pieces if records.get(key) != digest(piece)]
        count += len(pieces) - len(kept)
        is_changed |= any(piece and (key in records or not grows(name)) for key, piece in kept)
        left = b"".join(piece for _, piece in kept)
        return left if left.strip() else b""

    rewrite(paths, path, without)
    with contextlib.suppress(OSError):  # the first one that holds something ends it
        for folder in path.relative_to(paths.memory).parents[:-1]:
            (paths.memory / folder).rmdir()
    if count:
        report.took("messages" if is_transcript(name) else "notes" if grows(name) else "files", name, count)
    if is_changed:
        report.leave(_CHANGED, name)
    if name == ENTRIES_FILE and not path.exists() and (joiner := installed_joiner()) is not None:
        joiner.take_back(paths.workspace, "")
