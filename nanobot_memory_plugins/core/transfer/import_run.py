"""One import into a workspace: writing and counting what is new, and recording what `undo_import` has to remove.

Before anything is written, the state database gets the key of each new record and file, and the id of the entries' run;
at the end it records that the import is done. It contains digests, but no text of what was imported.
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
from nanobot_memory_plugins.core.transfer.archive import has_records, is_transcript
from nanobot_memory_plugins.core.transfer.importer import installed_joiner
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Seconds to wait for an agent that is writing.
_LOCK_SECONDS = 30.0
# Hexadecimal digits of a key or digest: 64 bits.
KEY_DIGITS = 16
# The values of the column ``source`` in rows that are not about a file.
_BEGUN, _DONE, _JOINED = "/begun", "/done", "/joined"
ENTRIES_FILE = "ENTRIES.md"
_CHANGED = "it has been changed since then"


def digest(data: bytes) -> str:
    """Return the digest of a record, without the blank lines around it."""
    return hashlib.sha256(data.strip()).hexdigest()[:KEY_DIGITS]


def file_key(name: str, data: bytes) -> str:
    """Return the key of a whole file."""
    return digest(f"{name}\n".encode() + data)


def records_in(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a transcript, the notes of a day, or any other file as one record, each with its key.

    The key is the record's id, or a digest if it has none. Together the records are the whole file.
    """
    if is_transcript(name):
        for line in io.BytesIO(data):
            record = parse_transcript_line(line)
            yield (record.id if record is not None else "") or digest(line), line
    elif has_records(name):
        for part in parse_notes(data):
            piece = data[part.offset : part.offset + part.length]
            yield (part.id if isinstance(part, NoteEntry) else "") or digest(piece), piece
    else:
        yield file_key(name, data), data


@dataclass(slots=True)
class ImportReport:
    """The result of an import: what was taken, by kind, the number of known items, and what was skipped.

    For an undo it is what was removed, and what stays. ``skipped`` has the line numbers (0 if a store has no lines) by
    file and reason, ``written`` the number of records by file, and ``notices`` remarks about the whole import.
    """

    source: str
    format: str = ""
    dry_run: bool = False
    taken: Counter[str] = field(default_factory=Counter)
    known: int = 0
    skipped: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)

    def count(self, kind: str, name: str, number: int) -> None:
        """Count messages, notes, entries or files that were written to a file in the memory folder."""
        self.taken[kind] += number
        self.written[f"memory/{name}"] += number

    def skip(self, why: str, file: str, line: int = 0) -> None:
        """Record something that was not taken, and the reason."""
        self.skipped.setdefault((file, why), []).append(line)

    def as_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {
            "ok": True,
            "format": self.format,
            "source": self.source,
            "dry_run": self.dry_run,
            "taken": {kind: self.taken[kind] for kind in ("messages", "notes", "entries", "files")},
            "known": self.known,
            "left": [
                {"file": file, "why": why, "count": len(lines), "lines": [line for line in lines if line]}
                for (file, why), lines in self.skipped.items()
            ],
            "written": [{"file": file, "records": count} for file, count in self.written.items()],
            "notices": self.notices,
        }


class ImportRun:
    """One import. All methods block; with the report's ``dry_run`` nothing is written.

    ``known`` holds the keys of what earlier imports have written. If the last import was interrupted and had the same
    source, this one continues it; what is already in the files is not written again. Raises `StoreError`.
    """

    def __init__(self, paths: MemoryPaths, report: ImportReport) -> None:
        self.paths = paths
        self.report = report
        self.known: set[str] = set()
        self._appender = Appender(paths, _LOCK_SECONDS)
        self._state = StateDatabase.of(paths)
        self._source = Path(report.source).name
        self._id = ""  # until something is written
        if paths.state.exists():  # reading alone must not create the database
            done = {str(run) for (run,) in self._state.read("SELECT item FROM imported WHERE source = ?", (_DONE,))}
            rows = self._state.read("SELECT item, run FROM imported")
            self.known = {str(item) for item, run in rows if run in done}
            last, source = _last_import(self._state) or ("", "")
            if source == self._source and last not in done:
                self._id = last

    def read(self, name: str) -> bytes:
        """Return the bytes of a file in the memory folder, none if it does not exist. Raises `MemoryFileError`."""
        path = self.paths.memory / name
        try:
            return read_regular(path)
        except (FileNotFoundError, NotADirectoryError):
            return b""
        except OSError as error:
            raise MemoryFileError(Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror)) from error

    def add(self, name: str, records: Mapping[str, bytes]) -> None:
        """Append those of the records, by key, that are not in a file yet. Raises `MemoryFileError`."""
        existing = {key for key, _ in records_in(name, self.read(name))}
        new = {key: data for key, data in records.items() if key not in existing}
        self.report.known += len(records) - len(new)
        if not new:
            return
        if not self.report.dry_run:
            self._record(name, ((key, digest(data)) for key, data in new.items()))
            self._appender.append(self.paths.memory / name, b"".join(new.values()))
        self.report.count("messages" if name.endswith(".jsonl") else "notes", name, len(new))

    def create(self, name: str, data: bytes) -> None:
        """Create a file, in one step, unless there is one that is not empty. Raises `MemoryFileError`."""
        if not self.report.dry_run:
            self._record(name, ((key, digest(piece)) for key, piece in records_in(name, data)))
            path = self.paths.memory / name
            make_folder(self.paths, path.parent)
            with workspace_lock(self.paths, "files", _LOCK_SECONDS):
                if path.is_file() and path.stat().st_size:
                    raise MemoryFileError(
                        Sentence("{name} was just created by another process.", name=self.paths.relative(path)),
                        hint="Import again: nothing is imported twice.",
                    )
                replace_file(path, data, keeps_backup=False)
        self.report.count("files", name, 1)

    def record_join(self, key: str, entries_run: str) -> None:
        """Record the key of a joined entries file, and the run that added its entries, or an empty string."""
        if (self._id or entries_run) and not self.report.dry_run:
            self._record(_JOINED, [(key, entries_run)])

    def finish(self) -> None:
        """Record that the import is done, if it wrote anything, and wait until everything is on the disk."""
        if self._id and not self.report.dry_run:
            self._record(_DONE, [(self._id, "")])
            self._appender.sync()

    def _record(self, source: str, items: Iterable[tuple[str, str]]) -> None:
        if not self._id:
            last = self._state.read("SELECT max(item) FROM imported WHERE source = ?", (_BEGUN,))
            self._id = f"{int(last[0][0] or 0) + 1:06}"
            self._record(_BEGUN, [(self._id, self._source)])
        rows = [(source, item, digest_, self._id) for item, digest_ in items]
        insert = "INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?)"
        self._state.write(lambda connection: connection.executemany(insert, rows))


def import_lock(paths: MemoryPaths) -> AbstractContextManager[object]:
    """Return the lock of imports, held: only one import may run at a time. Raises `InputError` if another one runs."""
    try:
        return acquire_lock(paths, "import", 0.0)
    except FileBusyError as error:
        raise InputError("Another import into this memory is running.", hint="Wait for its end.") from error


def undo_import(workspace: Path) -> ImportReport:
    """Undo the last import that was not undone yet. The caller holds `import_lock`. It can be repeated.

    What was changed since the import stays. Raises `InputError` if there is no import, and `MemoryFileError`.
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
            _undo_entries(workspace, digest_, report)
        elif not name.startswith("/"):
            files.setdefault(name, {})[item] = digest_
    for name, records in files.items():
        _remove_records(paths, name, records, report)
    # Only now, so that an interrupted undo can be repeated. From here on the items can be imported again.
    state.execute("DELETE FROM imported WHERE run = ?", (run,))
    return report


def _last_import(state: StateDatabase) -> tuple[str, str] | None:
    begun = "SELECT item, digest FROM imported WHERE source = ? ORDER BY item DESC LIMIT 1"
    return next(((str(run), str(source)) for run, source in state.read(begun, (_BEGUN,))), None)


def _undo_entries(workspace: Path, run: str, report: ImportReport) -> None:
    try:
        if (joiner := installed_joiner()) is None:
            raise InputError("what keeps the entries is not installed")
        joiner.take_back(workspace, run)
        notice = Sentence("Its entries went with the run {run}; `nanobot-memory entries history` shows it.", run=run)
        report.notices.append(notice)
    except InputError as error:
        report.skip(error.cause, Sentence("the run {run} of the entries", run=run))


def _remove_records(paths: MemoryPaths, name: str, records: Mapping[str, str], report: ImportReport) -> None:
    """Remove imported records from a file, without leaving a backup; empty files and folders are removed."""
    path = paths.memory / name
    if not path.is_file():
        return
    count, is_changed = 0, False

    def clean(data: bytes) -> bytes:
        nonlocal count, is_changed
        pieces = list(records_in(name, data))
        kept = [(key, piece) for key, piece in pieces if records.get(key) != digest(piece)]
        count += len(pieces) - len(kept)
        is_changed |= any(piece and (key in records or not has_records(name)) for key, piece in kept)
        rest = b"".join(piece for _, piece in kept)
        return rest if rest.strip() else b""

    rewrite(paths, path, clean)
    with contextlib.suppress(OSError):  # raised at the first folder that is not empty
        for folder in path.relative_to(paths.memory).parents[:-1]:
            (paths.memory / folder).rmdir()
    if count:
        report.count("messages" if is_transcript(name) else "notes" if has_records(name) else "files", name, count)
    if is_changed:
        report.skip(_CHANGED, name)
    if name == ENTRIES_FILE and not path.exists() and (joiner := installed_joiner()) is not None:
        joiner.take_back(paths.workspace, "")
