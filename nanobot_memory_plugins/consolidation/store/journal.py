"""The journal: one line of JSON for each run that changed entries, with what was before and after.

It stands at ``memory/.entries/journal.jsonl`` and not beside the index, which may be deleted at any time. Lines are
only added, but for a purge. Fading alone is written as its days, since the moment says the rest.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import dropwhile
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.entry_json import entry_from_json, entry_to_json
from nanobot_memory_plugins.consolidation.store.atomic_files import read_file
from nanobot_memory_plugins.consolidation.store.journal_parts import JournalLimits, older_parts, read_part, rotate
from nanobot_memory_plugins.consolidation.store.patch import Patch, patch_from_json, patch_to_json
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.redaction.script.messages import Sentence

NAME = "journal.jsonl"
# Bytes after which a new part is begun at the next write, whatever the configuration says.
_LONGEST = 16 << 20
# Who is named for what others did to the file.
BY_HAND = "hand"
# How the line of a run that forgets says why; operations.remember has the words.
_FORGETS = b'"why":"forget'
# How the why of what others did ends where the file itself was not there: nobody has taken the entries out.
GONE = "was gone"
# Why a run was made that wrote what is newer into an earlier state of the file.
PUT_BACK = "an earlier state of the file had been put back"
# Why a run takes back one that was written down and not done.
BROKE_OFF = "broke off before it was written"
# With this begins why messages are not asked about any more; no entry changed.
GAVE_UP = "gave up"
# Why a run forgot entries for good.
PURGED = "purged"


class Action(StrEnum):
    """What became of an entry in a run."""

    ADDED = "added"
    CHANGED = "changed"
    FADED = "faded"
    ARCHIVED = "archived"
    RESTORED = "restored"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Change:
    """One entry before and after a run; None where it was not there."""

    id: str
    before: Entry | None
    after: Entry | None

    @property
    def action(self) -> Action:
        """What became of the entry, in a word."""
        if self.before is None:
            return Action.ADDED
        if self.after is None:
            return Action.REMOVED
        if self.before.section is not self.after.section:
            return Action.ARCHIVED if self.after.section is Section.ARCHIVED else Action.RESTORED
        return (
            Action.FADED if replace(self.before, decayed_days=self.after.decayed_days) == self.after else Action.CHANGED
        )


@dataclass(frozen=True, slots=True)
class Run:
    """Changes that were made together: who made them, when (ISO 8601) and why.

    ``file_before`` and ``file_after`` are the SHA-256 of the file, ``patch`` leads from the one back to the other.
    ``undoes`` names the run that this one took back. ``purged`` says that some of its changes were forgotten for good.
    """

    id: str
    time: str
    who: str
    why: str
    changes: tuple[Change, ...]
    file: str = ""
    file_before: str = ""
    file_after: str = ""
    patch: Patch | None = None
    undoes: str = ""
    purged: bool = False


def changes_between(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> tuple[Change, ...]:
    """Return how two states of the entries differ, in the order of their ids' appearance."""
    pairs = [(id_, before.get(id_), after.get(id_)) for id_ in dict.fromkeys((*before, *after))]
    # Most are the same object: that is seen at once, and comparing entries takes its time.
    return tuple(Change(id_, old, new) for id_, old, new in pairs if old is not new and old != new)


class Journal:
    """The journal of one workspace. Hold the lock of the entries' file while you write."""

    def __init__(self, paths: MemoryPaths) -> None:
        self.path = entries_folder(paths) / NAME
        self._warned = False

    def rotate(self, limits: JournalLimits, now: datetime) -> bool:
        """Put older runs away, and let go of what is too old: `journal_parts.rotate`."""
        return rotate(self.path, limits, now)

    def append(self, runs: Iterable[Run]) -> None:
        """Add runs, in one write, and wait until they are on the disk. Raises `MemoryFileError`."""
        data = "".join(_line(run) for run in runs).encode()
        if not data:
            return
        try:
            if self.path.exists() and self.path.stat().st_size >= _LONGEST:
                self.rotate(JournalLimits(size=_LONGEST), datetime.now(UTC))
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self.path, flags, 0o600)
            try:
                size = os.fstat(descriptor).st_size
                # A crash may have left half a line, which must not swallow this one.
                if size and os.lseek(descriptor, size - 1, os.SEEK_SET) >= 0 and os.read(descriptor, 1) != b"\n":
                    data = b"\n" + data
                written = os.write(descriptor, data)
                if written != len(data):
                    os.ftruncate(descriptor, size)
                    raise MemoryFileError("The journal of the entries cannot be written: the disk is full.")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise MemoryFileError(
                Sentence("The journal of the entries cannot be written: {why}.", why=error.strerror)
            ) from error

    def runs(self) -> list[Run]:
        """Return all runs, oldest first; a line that cannot be read is passed over. Raises `MemoryFileError`."""
        found, bad = [], 0
        for line in self.lines():
            run = read_line(line)
            if run is None:
                bad += 1
            else:
                found.append(run)
        if bad and not self._warned:
            self._warned = True
            logger.warning("entries: {} lines of the journal cannot be read", bad)
        return found

    def last(self) -> Run | None:
        """Return the last run that can be read. Raises `MemoryFileError`."""
        return next(filter(None, map(read_line, self._lines_backwards())), None)

    def has_time(self, time: str) -> bool:
        """Return whether a run of that time, in the form of `exact_time`, is in the part that is being written."""
        return f'"time":"{time}"'.encode() in (read_file(self.path) or b"")

    def maker_of(self, digest: str) -> Run | None:
        """Return the last run that left the file with this SHA-256. Raises `MemoryFileError`."""
        made = f'"after":"{digest}"'.encode()
        lines = self._lines_backwards()
        return next((run for line in lines if made in line and (run := read_line(line))), None)

    def knows(self, digest: str) -> bool:
        """Return whether a run found or left the file with this SHA-256. Raises `MemoryFileError`.

        A run that broke off did not leave it so, though it meant to; nor did what was written down with it, as of that
        moment: edits by hand.
        """
        lines = list(self._lines_backwards())
        named = [run for line in lines if digest.encode() in line and (run := read_line(line))]
        broken = {run.undoes for line in lines if BROKE_OFF.encode() in line and (run := read_line(line))}
        moments = {run.time for run in named if run.id in broken}
        return any(run.file_before == digest or run.time not in moments for run in named)

    def lines(self) -> list[bytes]:
        """Return all lines as they stand, those of older parts first. Raises `MemoryFileError`."""
        older = [line for path in older_parts(self.path) for line in _split(read_part(path))]
        return older + _split(read_file(self.path) or b"")

    def since_forgotten(self) -> Iterator[Run]:
        """Yield the runs from the first on that says it forgets, by order of somebody. Raises `MemoryFileError`."""
        lines = dropwhile(lambda line: _FORGETS not in line, self.lines())
        yield from filter(None, map(read_line, lines))

    def _lines_backwards(self) -> Iterator[bytes]:
        """Yield the lines of the journal and of the part before it, last first: what a write may have to go back to."""
        yield from reversed(_split(read_file(self.path) or b""))
        for path in older_parts(self.path)[-1:]:
            yield from reversed(_split(read_part(path)))


def entries_folder(paths: MemoryPaths) -> Path:
    """Return the folder of what goes with the entries: the journal, what was seen last, what was purged."""
    return paths.memory / ".entries"


def _split(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line]


def is_told(run: Run) -> bool:
    """Return whether people are told of a run: a write that changed no entry is kept for its bytes alone."""
    return bool(run.changes or run.undoes) or run.why in (PURGED, PUT_BACK) or run.why.startswith(GAVE_UP)


def last_known(runs: Iterable[Run], id_: str) -> Entry | None:
    """Return an entry as it was before it went, or as it is: its last state in the journal."""
    known = None
    for run in runs:
        for change in run.changes:
            if change.id == id_:
                known = change.after or change.before
    return known


def rewound(entries: Mapping[str, Entry], runs: Sequence[Run]) -> dict[str, Entry]:
    """Return the entries as they were before ``runs``, which are given oldest first."""
    base = dict(entries)
    for run in reversed(runs):
        for change in run.changes:
            if change.before is None:
                base.pop(change.id, None)
            else:
                base[change.id] = change.before
    return base


def run_to_json(run: Run, *, compact: bool = False) -> dict[str, Any]:
    """Return a run as JSON values; ``compact`` writes mere fading as its days."""
    return {
        "run": run.id,
        "time": run.time,
        "who": run.who,
        "why": run.why,
        "changes": [_change_to_json(change, compact) for change in run.changes],
        **({"file": run.file} if run.file else {}),
        **({"before": run.file_before, "after": run.file_after} if run.file_after else {}),
        **({"patch": patch_to_json(run.patch)} if run.patch is not None and compact else {}),
        **({"undoes": run.undoes} if run.undoes else {}),
        **({"purged": True} if run.purged else {}),
    }


def read_line(line: bytes) -> Run | None:
    """Return the run of a line, or None when it cannot be read."""
    try:
        row = json.loads(line)
        return Run(
            id=str(row["run"]),
            time=str(row.get("time", "")),
            who=str(row.get("who", "")),
            why=str(row.get("why", "")),
            changes=tuple(_read_change(one) for one in row["changes"] if "days" not in one),
            file=str(row.get("file", "")),
            file_before=str(row.get("before", "")),
            file_after=str(row.get("after", "")),
            patch=patch_from_json(row["patch"]) if row.get("patch") is not None else None,
            undoes=str(row.get("undoes", "")),
            purged=row.get("purged") is True,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def line_of(run: Run) -> bytes:
    """Return the line of a run, as `Journal.append` writes it."""
    return _line(run).encode()


def _line(run: Run) -> str:
    text = json.dumps(run_to_json(run, compact=True), ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate cannot be written; it can only stand in a session's key.
    return text.encode("utf-8", "replace").decode() + "\n"


def _change_to_json(change: Change, compact: bool) -> dict[str, Any]:
    if compact and change.action is Action.FADED and change.before is not None and change.after is not None:
        return {"id": change.id, "days": [change.before.decayed_days, change.after.decayed_days]}
    return {
        "id": change.id,
        "action": change.action.value,
        "before": entry_to_json(change.before) if change.before else None,
        "after": entry_to_json(change.after) if change.after else None,
    }


def _read_change(row: Mapping[str, Any]) -> Change:
    # A change of a kind that is not known must not pass for an entry that was neither before nor after.
    before, after = row["before"], row["after"]
    return Change(
        str(row["id"]), entry_from_json(before) if before else None, entry_from_json(after) if after else None
    )
