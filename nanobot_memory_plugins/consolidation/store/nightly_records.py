"""What a consolidation remembers from one run to the next: rows of the state database."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.files.fields import exact_time, read_time
from nanobot_memory_plugins.core.state import StateDatabase

if TYPE_CHECKING:
    from apsw import Connection

_RUN, _BUSY = "consolidation", "consolidating"
# After this, whoever began to consolidate has ended without saying so.
_LONGEST = timedelta(minutes=15)
# Fingerprints that are kept; a week's notes and all entries are some thousands.
_MOST_DIGESTS = 20_000


@dataclass(frozen=True, slots=True)
class LastRun:
    """When a consolidation last came to its end, what it had seen then, and how often it has failed since."""

    when: datetime | None = None
    seen: frozenset[str] = frozenset()
    failures: int = 0
    failed_at: datetime | None = None


class Records:
    """The records of one workspace. Everything here blocks, and may raise `StoreError`."""

    def __init__(self, state: StateDatabase) -> None:
        self._state = state

    def last_run(self) -> LastRun:
        """Return what is known of the last run."""
        row: dict[str, Any] = self._state.task(_RUN, _RUN) or {}
        return LastRun(
            read_time(str(row.get("when", ""))),
            frozenset(map(str, row.get("seen", ()))),
            failures=int(row.get("failures", 0)),
            failed_at=read_time(str(row.get("failed_at", ""))),
        )

    def note_run(self, last: LastRun) -> None:
        """Write down a run."""
        body = {
            "when": exact_time(last.when) if last.when else "",
            "failures": last.failures,
            "failed_at": exact_time(last.failed_at) if last.failed_at else "",
            "seen": sorted(last.seen)[:_MOST_DIGESTS],
        }
        self._state.set_task(_RUN, _RUN, body)

    def begin(self, now: datetime) -> bool:
        """Return whether no other process consolidates now, and keep it so until `end`, or for a while."""

        def change(connection: "Connection") -> bool:
            rows = connection.execute("SELECT time FROM task WHERE name = ?", (_BUSY,)).fetchall()
            since = read_time(str(rows[0][0])) if rows else None
            is_free = since is None or not timedelta() <= now - since < _LONGEST
            if is_free:
                connection.execute(
                    "INSERT OR REPLACE INTO task (name, subject, body, time) VALUES (?, ?, '{}', ?)",
                    (_BUSY, _BUSY, exact_time(now)),
                )
            return is_free

        return self._state.write(change)

    def end(self) -> None:
        """Let other processes consolidate."""
        self._state.end_task(_BUSY, _BUSY)
