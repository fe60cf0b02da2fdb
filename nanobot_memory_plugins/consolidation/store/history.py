"""What the state database knows of the entries: as they were written last, what was done to them, what was purged.

With the database the history goes, and nothing else: the entries are in their file.
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
"""Why a run forgot entries for good."""

_RUNS = (
    "SELECT r.id, r.time, r.who, r.why, r.undoes, r.id IN (SELECT undoes FROM run), c.id, c.before, c.after"
    " FROM run r LEFT JOIN change c ON c.run = r.id"
)
# Characters of a text from which on a digest of it is kept: one of a short text is no secret.
_LEAST_HASHED = 20
_ID, _TEXT, _FILE = "entry", "text", "ENTRIES.md"


def changes_between(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> tuple[EntryChange, ...]:
    """Return how two states of the entries differ; that they have faded is no change."""

    def is_same(one: Entry | None, other: Entry | None) -> bool:
        if one is None or other is None or one is other:
            return one is other
        return one == other or replace(one, decayed_days=other.decayed_days) == other

    changes = (EntryChange(id_, before.get(id_), after.get(id_)) for id_ in dict.fromkeys((*before, *after)))
    return tuple(change for change in changes if not is_same(change.before, change.after))


class History:
    """The history of one workspace's entries. Everything here blocks, and may raise `StoreError`.

    Entries that were purged are known by digests of their ids and words, and are not taken up again.
    """

    def __init__(self, state: StateDatabase) -> None:
        self._state = state

    def runs(self, entry_id: str = "") -> list[EntryRun]:
        """Return all runs, oldest first, or those that changed an entry, with that change alone."""
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
        """Return an entry as it was before it went, or as it is."""
        return self._last_states(self.runs(entry_id)).get(entry_id) or self.written_entries().get(entry_id)

    def gone(self, present: Iterable[str]) -> dict[str, Entry]:
        """Return the entries that the history knows and that are not among ``present``, those that went last first."""
        known, present_ids = self._last_states(self.runs()), frozenset(present)
        return {id_: known[id_] for id_ in reversed(known) if id_ not in present_ids}

    def written_digest(self) -> str | None:
        """Return the digest of the file as it was written last, or None where nothing is known of it."""
        rows = self._state.read("SELECT digest FROM written_file WHERE name = ?", (_FILE,))
        return str(rows[0][0]) if rows else None

    def written_entries(self) -> dict[str, Entry]:
        """Return the entries as they were written last, forgotten ones too."""
        read = ((id_, _entry_of(body)) for id_, body in self._state.read("SELECT id, body FROM entry"))
        return {id_: entry for id_, entry in read if entry is not None}

    def write_down(
        self, digest: str, ids: Collection[str], fresh: Iterable[Entry], runs: Iterable[EntryRun]
    ) -> list[EntryRun]:
        """Write down that the file holds the entries ``ids``, some of them ``fresh``; return the ``runs`` with ids."""
        rows = [(entry.id, write_entry(entry)) for entry in fresh]

        def change(connection: Connection) -> list[EntryRun]:
            gone = [row for row in connection.execute("SELECT id FROM entry").fetchall() if row[0] not in ids]
            connection.executemany("DELETE FROM entry WHERE id = ?", gone)
            connection.executemany("INSERT OR REPLACE INTO entry (id, body) VALUES (?, ?)", rows)
            connection.execute("INSERT OR REPLACE INTO written_file (name, digest) VALUES (?, ?)", (_FILE, digest))
            return [_add_run(connection, run) for run in runs]

        return self._state.write(change)

    def forget(self, ids: Iterable[str], changes: Iterable[tuple[int, str]] = ()) -> None:
        """Let go of every state of some entries, and of changes by their runs and entries, for good."""
        gone, rows = [(id_,) for id_ in ids], list(changes)

        def change(connection: Connection) -> None:
            connection.executemany("DELETE FROM change WHERE id = ?", gone)
            connection.executemany("DELETE FROM change WHERE run = ? AND id = ?", rows)

        self._state.write(change)

    def clear(self) -> None:
        """Let go of everything that is known of the entries, for good."""

        def change(connection: Connection) -> None:
            for table in ("run", "entry", "written_file"):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608  # our own names

        self._state.write(change)
        self._state.truncate_log()

    def add_purged(self, texts: Iterable[str], ids: Iterable[str], when: datetime) -> None:
        """Remember what was purged: texts, but for what is short enough to be guessed, and entries by their ids."""
        from nanobot_memory_plugins.core.erasure.matching import folded_text  # with what reads sentences

        rows = [(_ID, id_) for id_ in ids]
        rows += [(_TEXT, plain) for text in texts if len(plain := folded_text(text)) >= _LEAST_HASHED]
        for kind, text in rows:
            sql = "INSERT INTO forgotten (kind, digest, time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            self._state.execute(sql, (kind, _digest(text), when.isoformat()))

    def is_purged(self, id_: str, text: str = "") -> bool:
        """Return whether an entry was purged, by its id or the words that it has now."""
        from nanobot_memory_plugins.core.erasure.matching import folded_text

        sql = "SELECT 1 FROM forgotten WHERE (kind, digest) IN (VALUES (?, ?), (?, ?))"
        return bool(self._state.read(sql, (_ID, _digest(id_), _TEXT, _digest(folded_text(text)))))

    def _last_states(self, runs: Iterable[EntryRun]) -> dict[str, Entry]:
        """Return the last state of each entry that runs changed, those that were changed last last."""
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
