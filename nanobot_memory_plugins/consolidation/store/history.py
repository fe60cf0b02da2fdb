"""The entries in the state database: their last written state, their history, and digests of purged ones.

Without the database only this history is lost: the entries themselves are in their file.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from sqlite3 import Connection

from nanobot_memory_plugins.consolidation.store.entry_text import read_entry, write_entry
from nanobot_memory_plugins.core.files.fields import exact_time
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values.entries import Entry, EntryChange, EntryRun

PURGED = "purged"
"""The reason that a run gives for erasing entries."""

_RUNS = (
    "SELECT r.id, r.time, r.who, r.why, r.undoes, r.id IN (SELECT undoes FROM run), c.id, c.before, c.after"
    " FROM run r LEFT JOIN change c ON c.run = r.id"
)
# Shorter texts get no digest: it could be reversed by guessing.
_MIN_HASHED = 20
_ID, _TEXT, _FILE = "entry", "text", "ENTRIES.md"


def changes_between(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> tuple[EntryChange, ...]:
    """Return the changes between two states of the entries; fading is not a change."""

    def is_same(one: Entry | None, other: Entry | None) -> bool:
        if one is None or other is None or one is other:
            return one is other
        return one == other or replace(one, decayed_days=other.decayed_days) == other

    changes = (EntryChange(id_, before.get(id_), after.get(id_)) for id_ in dict.fromkeys((*before, *after)))
    return tuple(change for change in changes if not is_same(change.before, change.after))


class History:
    """The history of one workspace's entries. All methods block and may raise `StoreError`.

    Purged entries are recognised by digests of their ids and texts, so that they are not learned again.
    """

    def __init__(self, state: StateDatabase) -> None:
        self._state = state

    def runs(self, entry_id: str = "") -> list[EntryRun]:
        """Return all runs, oldest first; with ``entry_id`` only the runs that changed it, with only that change."""
        where, values = ("WHERE c.id = ?", (entry_id,)) if entry_id else ("", ())
        found: dict[str, EntryRun] = {}
        for number, time, who, why, undoes, undone, id_, before, after in self._state.read(
            f"{_RUNS} {where} ORDER BY r.id, c.place", values
        ):
            when, taken_back = datetime.fromisoformat(time), str(undoes or "")
            run = found.setdefault(
                str(number), EntryRun(str(number), when, who, why, (), taken_back, undone=bool(undone))
            )
            if id_ is not None:
                change = EntryChange(id_, _entry_of(before), _entry_of(after))
                found[run.id] = replace(run, changes=(*run.changes, change))
        return list(found.values())

    def last_known(self, entry_id: str) -> Entry | None:
        """Return the current or last state of an entry, or None if the history does not know it."""
        return self._last_states(self.runs(entry_id)).get(entry_id) or self.written_entries().get(entry_id)

    def removed_entries(self, present: Iterable[str]) -> dict[str, Entry]:
        """Return the known entries that are not ``present``, in their last states, the latest removed first."""
        known, present_ids = self._last_states(self.runs()), frozenset(present)
        return {id_: known[id_] for id_ in reversed(known) if id_ not in present_ids}

    def written_digest(self) -> str | None:
        """Return the digest of the file as it was last written, or None if no write is known."""
        rows = self._state.read("SELECT digest FROM written_file WHERE name = ?", (_FILE,))
        return str(rows[0][0]) if rows else None

    def written_entries(self) -> dict[str, Entry]:
        """Return the entries as they were last written, including forgotten ones."""
        read = ((id_, _entry_of(body)) for id_, body in self._state.read("SELECT id, body FROM entry"))
        return {id_: entry for id_, entry in read if entry is not None}

    def record_write(
        self, digest: str, ids: Collection[str], changed: Iterable[Entry], runs: Iterable[EntryRun]
    ) -> list[EntryRun]:
        """Record that the file contains the entries ``ids``, some ``changed``; return the ``runs`` with their ids."""
        rows = [(entry.id, write_entry(entry)) for entry in changed]

        def change(connection: Connection) -> list[EntryRun]:
            gone = [row for row in connection.execute("SELECT id FROM entry").fetchall() if row[0] not in ids]
            connection.executemany("DELETE FROM entry WHERE id = ?", gone)
            connection.executemany("INSERT OR REPLACE INTO entry (id, body) VALUES (?, ?)", rows)
            connection.execute("INSERT OR REPLACE INTO written_file (name, digest) VALUES (?, ?)", (_FILE, digest))
            return [_add_run(connection, run) for run in runs]

        return self._state.write(change)

    def forget(self, ids: Iterable[str], changes: Iterable[tuple[int, str]] = ()) -> None:
        """Delete all states of the entries ``ids``, and single changes by their runs and entries."""
        gone, rows = [(id_,) for id_ in ids], list(changes)

        def change(connection: Connection) -> None:
            connection.executemany("DELETE FROM change WHERE id = ?", gone)
            connection.executemany("DELETE FROM change WHERE run = ? AND id = ?", rows)

        self._state.write(change)

    def clear(self) -> None:
        """Delete everything about the entries, except the digests of purged ones."""

        def change(connection: Connection) -> None:
            for table in ("run", "entry", "written_file"):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608  # our own names

        self._state.write(change)
        self._state.truncate_log()

    def add_purged(self, texts: Iterable[str], ids: Iterable[str], when: datetime) -> None:
        """Store digests of purged entries: of their ids, and of texts too long to be guessed."""
        from nanobot_memory_plugins.core.erasure.matching import folded_text  # slow to import

        rows = [(_ID, id_) for id_ in ids]
        rows += [(_TEXT, plain) for text in texts if len(plain := folded_text(text)) >= _MIN_HASHED]
        for kind, text in rows:
            sql = "INSERT INTO forgotten (kind, digest, time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            self._state.execute(sql, (kind, _digest(text), when.isoformat()))

    def is_purged(self, id_: str, text: str = "") -> bool:
        """Return whether an entry was purged, by its id or its current text."""
        from nanobot_memory_plugins.core.erasure.matching import folded_text

        sql = "SELECT 1 FROM forgotten WHERE (kind, digest) IN (VALUES (?, ?), (?, ?))"
        return bool(self._state.read(sql, (_ID, _digest(id_), _TEXT, _digest(folded_text(text)))))

    def _last_states(self, runs: Iterable[EntryRun]) -> dict[str, Entry]:
        """Return the last state of each entry in ``runs``, in the order of their last changes."""
        known: dict[str, Entry] = {}
        for change in (change for run in runs for change in run.changes):
            last = known.pop(change.id, None)
            if (now := change.after or change.before or last) is not None:
                known[change.id] = now
        return known


def _add_run(connection: Connection, run: EntryRun) -> EntryRun:
    connection.execute(
        "INSERT INTO run (time, who, why, undoes) VALUES (?, ?, ?, ?)",
        (exact_time(run.time.astimezone(UTC)), run.who, run.why, int(run.undoes) if run.undoes else None),
    )
    ((number,),) = connection.execute("SELECT last_insert_rowid()").fetchall()
    rows = [
        (
            number,
            place,
            change.id,
            change.before and write_entry(change.before),
            change.after and write_entry(change.after),
        )
        for place, change in enumerate(run.changes)
    ]
    connection.executemany("INSERT INTO change (run, place, id, before, after) VALUES (?, ?, ?, ?, ?)", rows)
    return replace(run, id=str(number))


def _entry_of(body: str | None) -> Entry | None:
    read = read_entry(body) if body else None
    return read[0] if isinstance(read, tuple) else None


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
