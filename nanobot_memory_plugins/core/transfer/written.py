"""What each import wrote, and taking it back.

``memory/.imports/imports.jsonl`` says it before it is written: the files with where the new bytes begin and their
hash, the records by their ids, the run of the entries. What has been changed since then stays. Of an import that was
taken back its rows go, too.
"""

import contextlib
import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, file_lock, parse_notes, parse_transcript_line
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.core.files.entries import exact_time
from nanobot_memory_plugins.core.transfer.archive_contents import IMPORTS, SOURCES, PartKind, kind_of
from nanobot_memory_plugins.core.transfer.entries import TakesBackEntries, installed_joiner
from nanobot_memory_plugins.core.transfer.file_install import put_file, read_plain
from nanobot_memory_plugins.core.transfer.replaced import bring_back, put_copies_back
from nanobot_memory_plugins.redaction.script.messages import Sentence

_CHANGED = "it has been changed since then"
_ENTRIES_WENT_ON = "the entries went on since then: `nanobot-memory entries forget ID` takes one out"
# What stays of an import, below the memory folder, and why.
_STAYS = {
    ".locks": Sentence("by its files processes keep out of each other's way, and one may hold them just now"),
    IMPORTS: Sentence("it says what earlier imports wrote, so that they can be taken back, too"),
}
_HISTORY_STAYS = Sentence("the history of the entries, by which that run can be undone in turn")


class ImportRecord:
    """The rows of one import, written as it goes on."""

    def __init__(self, paths: MemoryPaths, appender: Appender, source: str, now: datetime) -> None:
        self.id = secrets.token_hex(4)
        self._path = paths.memory / IMPORTS
        self._appender = appender
        self._begun: dict[str, Any] | None = {"import": self.id, "time": exact_time(now), "source": source}

    def file(self, name: str, data: bytes, begin: int) -> None:
        """Say that the bytes of a file from ``begin`` on are about to be written."""
        self._add({"file": name, "from": begin, "to": len(data), "sha256": hashlib.sha256(data[begin:]).hexdigest()})

    def records(self, name: str, records: Mapping[str, bytes]) -> None:
        """Say that records, by their ids, are about to be added to a file."""
        if records:
            hashes = {id_: [len(data), hashlib.sha256(data).hexdigest()] for id_, data in records.items()}
            self._add({"file": name, "records": hashes})

    def keys(self, name: str, keys: Iterable[str]) -> None:
        """Say that keys are about to be remembered in a list of what was taken."""
        if new := list(keys):
            self._add({"file": name, "keys": new})

    def replaced(self, files: Sequence[str], keys: Sequence[str]) -> None:
        """Say in which files notes were that are about to be replaced, and their keys."""
        self._add({"replaced": list(files), "old_keys": list(keys)})

    def entries(self, run: str) -> None:
        """Say which run of the entries brought theirs."""
        self._add({"entries": run})

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written, so that there is nothing to take back."""
        return self._begun is not None

    def _add(self, row: dict[str, Any]) -> None:
        rows = [one for one in (self._begun, {"import": self.id, **row}) if one is not None]
        self._begun = None
        # Nobody else writes it: one import runs at a time, and may hold the lock of the file that this is about.
        self._appender.append_unlocked(self._path, b"".join(json.dumps(one).encode() + b"\n" for one in rows))


@dataclass(slots=True)
class TakenBack:
    """What became of an import that was taken back: what went, and what stays and why.

    ``removed`` are the files that are gone, ``shortened`` those that hold less now. ``left`` is what it brought and has
    been changed since then; ``stays`` is what is needed on; ``copies`` are those of a sync program that it had merged,
    and that stand in their places again. All names are of below the memory folder.
    """

    id: str
    source: str
    messages: int = 0
    notes: int = 0
    removed: list[str] = field(default_factory=list)
    shortened: list[str] = field(default_factory=list)
    entries: str = ""
    restored: int = 0
    copies: list[str] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    stays: list[tuple[str, str]] = field(default_factory=list)


def take_back(workspace: Path, *, lock_seconds: float) -> TakenBack:
    """Take the last import back that was not taken back yet.

    Hold `only_import`. Raises `InputError` where there is none, and `MemoryFileError`; it can be repeated.
    """
    paths = MemoryPaths.of(workspace)
    rows = _rows(paths)
    undone = {row["import"] for row in rows if row.get("undone")}
    last = next((row for row in reversed(rows) if "source" in row and row["import"] not in undone), None)
    if last is None:
        raise InputError(
            "There is no import to take back.",
            hint="`nanobot-memory import SOURCE --dry-run` shows what one would bring.",
        )
    mine = [row for row in rows if row["import"] == last["import"]]
    result = TakenBack(last["import"], str(last["source"]))
    for run in [str(row["entries"]) for row in mine if "entries" in row]:
        _take_entries_back(workspace, run, result)
    removal = ImportRemoval(paths, result, lock_seconds)
    removal.run(mine)
    result.restored = sum(bring_back(paths, row, lock_seconds) for row in mine if "replaced" in row)
    result.copies = put_copies_back(paths, result.id)
    _drop_rows(paths, removal, undone | {last["import"]})
    result.removed = sorted(name for name in result.removed if not (paths.memory / name).exists())
    result.stays = list(_staying(paths, result))
    return result


def _drop_rows(paths: MemoryPaths, removal: "ImportRemoval", undone: set[Any]) -> None:
    """Take the rows of imports that were taken back out of the list. It comes last: until then all can be repeated."""
    kept = [json.dumps(row).encode() + b"\n" for row in _rows(paths) if row["import"] not in undone]
    removal.put(IMPORTS, b"".join(kept))


def _staying(paths: MemoryPaths, result: TakenBack) -> Iterator[tuple[str, str]]:
    if result.entries:
        yield ".entries, ENTRIES.md.bak", _HISTORY_STAYS
    for name, why in _STAYS.items():
        if (paths.memory / name).exists():
            yield name.rstrip("/"), why


def _take_entries_back(workspace: Path, run: str, result: TakenBack) -> None:
    joiner = installed_joiner()
    try:
        if not isinstance(joiner, TakesBackEntries):
            raise InputError("what keeps the entries is not installed")
        joiner.take_back(workspace, run)
        result.entries = run
    except InputError as error:
        result.left.append((Sentence("the run {run} of the entries", run=run), error.cause))


@dataclass(slots=True)
class ImportRemoval:
    """Takes out of a memory what rows of imports say was put into it. ``result`` is told what became of it."""

    paths: MemoryPaths
    result: TakenBack
    lock_seconds: float

    def run(self, rows: Sequence[dict[str, Any]]) -> None:
        """Take out files, records and keys. Raises `MemoryFileError`."""
        written = [row for row in rows if "sha256" in row]
        together = [row for row in written if kind_of(str(row["file"])) is PartKind.ENTRIES]
        went_on = any(self._without(row) is None for row in together if row["to"] and _is_of_all(str(row["file"])))
        for row in reversed(written):
            if went_on and row in together:
                self.result.left.append((row["file"], _ENTRIES_WENT_ON))
            else:
                self._take_out(row)
        for row in rows:
            if "records" in row:
                self._take_records_out(row["file"], row["records"])
            elif "keys" in row:
                self._forget_keys(row["file"], frozenset(row["keys"]))

    def _without(self, row: dict[str, Any]) -> bytes | None:
        """Return a file without what was put into it, or None where that is not what it was."""
        data, begin, end = read_plain(self.paths.memory / row["file"]), int(row["from"]), int(row["to"])
        if data is None:
            return None
        if kind_of(row["file"]) in (PartKind.ENTRIES, PartKind.LONG_TERM, PartKind.OTHER) and len(data) != end:
            return None
        if hashlib.sha256(data[begin:end]).hexdigest() != row["sha256"]:
            return None
        return data[:begin] + data[end:]

    def _take_out(self, row: dict[str, Any]) -> None:
        path = self.paths.memory / row["file"]
        with file_lock(self.paths, path).acquire(timeout=self.lock_seconds):
            if read_plain(path) is None:
                return
            rest = self._without(row)
            if rest is None:
                # Made for entries, and others stand in it now; or a list of ours, which was never written to.
                if row["to"] and row["file"] != SOURCES:
                    self.result.left.append((row["file"], _CHANGED))
                return
            self.put(row["file"], rest)

    def _take_records_out(self, name: str, records: Mapping[str, Sequence[Any]]) -> None:
        path = self.paths.memory / name
        with file_lock(self.paths, path).acquire(timeout=self.lock_seconds):
            data = read_plain(path)
            if data is None:
                return
            kept, done, count = [], 0, 0
            for start, id_ in _lines(data) if name.endswith(".jsonl") else _notes(data):
                length, digest = records.get(id_, (0, ""))
                if length and hashlib.sha256(data[start : start + length]).hexdigest() == digest:
                    kept.append(data[done:start])
                    done = start + length
                    count += 1
                elif length and (name, _CHANGED) not in self.result.left:
                    self.result.left.append((name, _CHANGED))
            if done:
                self.put(name, b"".join([*kept, data[done:]]))
        if name.endswith(".jsonl"):
            self.result.messages += count
        else:
            self.result.notes += count

    def _forget_keys(self, name: str, keys: frozenset[str]) -> None:
        path = self.paths.memory / name
        lines = (read_plain(path) or b"").splitlines(keepends=True)
        kept = [line for line in lines if line.strip().decode("ascii", "replace") not in keys]
        if len(kept) < len(lines):
            self.put(name, b"".join(kept))

    def put(self, name: str, data: bytes) -> None:
        """Write what is left of a file; without anything it goes, and the folders that are empty without it."""
        path = self.paths.memory / name
        if data.strip():
            put_file(self.paths, path, data, "")
            if name not in self.result.shortened and not name.startswith(".imports/"):
                self.result.shortened.append(name)
            return
        path.unlink()
        self.result.removed.append(name)
        with contextlib.suppress(OSError):  # the first one that holds something ends it
            for folder in path.relative_to(self.paths.memory).parents[:-1]:
                (self.paths.memory / folder).rmdir()


def _is_of_all(name: str) -> bool:
    """Return whether a file is the entries, or their journal: the one says nothing without the other."""
    return name == "ENTRIES.md" or name.startswith(".entries/journal")


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield where each record of a transcript begins, and its id."""
    start = 0
    for line in data.splitlines(keepends=True):
        record = parse_transcript_line(line)
        if record is not None:
            yield start, record.id
        start += len(line)


def _notes(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield where each note of a file begins, and its id."""
    for part in parse_notes(data):
        if isinstance(part, NoteEntry):
            yield part.offset, part.id


def _rows(paths: MemoryPaths) -> list[dict[str, Any]]:
    rows = []
    for line in (read_plain(paths.memory / IMPORTS) or b"").splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue  # a crash cut it off; what it was about to say did not happen
        if isinstance(row, dict) and "import" in row:
            rows.append(row)
    return rows
