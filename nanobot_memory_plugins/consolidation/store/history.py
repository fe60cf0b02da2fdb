"""What was done to the entries: runs of changes with who, when and why, in the state database.

With the database the history goes, and nothing else: the entries stand in their file.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.entry_json import entry_from_json, entry_to_json
from nanobot_memory_plugins.core.files.fields import exact_time
from nanobot_memory_plugins.core.state import StateDatabase

if TYPE_CHECKING:
    from apsw import Connection

BY_HAND = "hand"
"""Who is named for what others did to the file."""
PURGED = "purged"
"""Why a run forgot entries for good."""
BEGUN = "taken from the file: there was no history"
"""Why the first run was made, where the file had entries and the state database knew none of them."""


_RUNS = (
    "SELECT r.id, r.time, r.who, r.why, r.undoes, c.id, c.before, c.after FROM run r LEFT JOIN change c ON c.run = r.id"
)


class Action(StrEnum):
    """What became of an entry in a run."""

    ADDED = "added"
    CHANGED = "changed"
    ARCHIVED = "archived"
    RESTORED = "restored"
    FORGOTTEN = "forgotten"
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
        if self.after is None:
            return Action.REMOVED
        if self.after.is_forgotten:
            return Action.FORGOTTEN
        if self.before is None:
            return Action.ADDED
        if self.before.section is not self.after.section:
            return Action.ARCHIVED if self.after.section is Section.ARCHIVED else Action.RESTORED
        return Action.CHANGED


@dataclass(frozen=True, slots=True)
class Run:
    """Changes that were made together: who made them, when (ISO 8601) and why; ``undoes`` is the run it took back."""

    id: str
    time: str
    who: str
    why: str
    changes: tuple[Change, ...] = ()
    undoes: str = ""


def changes_between(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> tuple[Change, ...]:
    """Return how two states of the entries differ; that they have faded is no change."""
    pairs = [(id_, before.get(id_), after.get(id_)) for id_ in dict.fromkeys((*before, *after))]
    return tuple(Change(id_, old, new) for id_, old, new in pairs if not _is_same(old, new))


def _is_same(one: Entry | None, other: Entry | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    return one == other or replace(one, decayed_days=other.decayed_days) == other


class History:
    """The history of one workspace's entries. Everything here blocks, and may raise `StoreError`."""

    def __init__(self, state: StateDatabase) -> None:
        self._state = state

    def runs(self, entry_id: str = "") -> list[Run]:
        """Return all runs, oldest first, or those that changed an entry, with that change alone."""
        where, values = ("WHERE c.id = ?", (entry_id,)) if entry_id else ("", ())
        return self._read(where, values)

    def run(self, run_id: str) -> Run | None:
        """Return a run, or None where there is none of this id."""
        return next(iter(self._read("WHERE r.id = ?", (run_id,))), None) if run_id.isdecimal() else None

    def last_known(self, entry_id: str) -> Entry | None:
        """Return an entry as it was before it went, or as it is."""
        found: Entry | None = None
        for run in self.runs(entry_id):
            found = run.changes[0].after or run.changes[0].before or found
        return found

    def gone(self, there: Iterable[str]) -> dict[str, Entry]:
        """Return the entries that the history knows and that are not ``there``, those that went last first."""
        known: dict[str, Entry] = {}
        for run in self.runs():
            for change in run.changes:
                last = known.pop(change.id, None)
                if (now := change.after or change.before or last) is not None:
                    known[change.id] = now
        here = frozenset(there)
        return {id_: known[id_] for id_ in reversed(known) if id_ not in here}

    def drop_before(self, moment: datetime) -> None:
        """Let go of the runs before a moment."""
        self._state.execute("DELETE FROM run WHERE time < ?", (exact_time(moment),))

    def forget(self, ids: Iterable[str], changes: Iterable[tuple[int, str]] = ()) -> None:
        """Let go of every state of some entries, and of changes by their runs and entries, for good."""
        gone, rows = [(id_,) for id_ in ids], list(changes)

        def change(connection: "Connection") -> None:
            connection.executemany("DELETE FROM change WHERE id = ?", gone)
            connection.executemany("DELETE FROM change WHERE run = ? AND id = ?", rows)

        self._state.write(change)

    def clear(self) -> None:
        """Let go of everything that is known of the entries, for good."""

        def change(connection: "Connection") -> None:
            for table in ("run", "entry", "written_file"):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608  # our own names

        self._state.write(change)
        self._state.truncate_log()

    def _read(self, where: str, values: Sequence[object]) -> list[Run]:
        sql = f"{_RUNS} {where} ORDER BY r.id, c.place"
        found: dict[str, Run] = {}
        for number, time, who, why, undoes, id_, before, after in self._state.read(sql, values):
            run = found.setdefault(str(number), Run(str(number), time, who, why, (), str(undoes or "")))
            if id_ is not None:
                change = Change(id_, entry_of(before), entry_of(after))
                found[run.id] = replace(run, changes=(*run.changes, change))
        return list(found.values())


def add_run(connection: "Connection", run: Run) -> Run:
    """Write a run inside a transaction, and return it with its id."""
    connection.execute(
        "INSERT INTO run (time, who, why, undoes) VALUES (?, ?, ?, ?)",
        (run.time, run.who, run.why, int(run.undoes) if run.undoes else None),
    )
    ((number,),) = connection.execute("SELECT last_insert_rowid()").fetchall()
    rows = [
        (number, place, change.id, body_of(change.before), body_of(change.after))
        for place, change in enumerate(run.changes)
    ]
    connection.executemany("INSERT INTO change (run, place, id, before, after) VALUES (?, ?, ?, ?, ?)", rows)
    return replace(run, id=str(number))


def body_of(entry: Entry | None) -> str | None:
    """Return an entry as a row holds it."""
    # A lone surrogate cannot be written; it can only stand in a session's key.
    return json.dumps(entry_to_json(entry), ensure_ascii=False).encode("utf-8", "replace").decode() if entry else None


def entry_of(body: str | None) -> Entry | None:
    """Return the entry of a row."""
    return entry_from_json(json.loads(body)) if body else None


def rewound(entries: Mapping[str, Entry], run: Run | None) -> dict[str, Entry]:
    """Return the entries as they were before a run that was done to them last."""
    base = dict(entries)
    for change in run.changes if run is not None else ():
        if change.before is None:
            base.pop(change.id, None)
        else:
            base[change.id] = change.before
    return base
