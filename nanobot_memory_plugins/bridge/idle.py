"""Sessions that have gone quiet: the memory is notified of them, in this process or at the next start."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.bridge.sessions import is_for_people, public_messages, scope_of
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.host.memory_thread import Use
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.state import StateDatabase

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

# A session that another process may still be timing is left to it for this many idle times.
_PATIENCE = 2
# The names of our rows in the state database.
_TASK, _SINCE = "idle", "idle_since"
# A session whose catching up was cut short this often is given up: short-lived processes would pay for it for ever.
_TRIES = 3


class IdleSessions:
    """Tells the memory of each session that was quiet for ``seconds``, and at a start of those that were left over.

    The clock is core's, in the memory's thread: nothing of ours holds up the host's end. A process that ends earlier (a
    one-shot command always does) leaves its sessions to the next start. Which save of a session is dealt with stands in
    the state database, which the processes of a workspace share. What was saved before the first mark counts as done,
    so that installing the set does not set off a summary of every old session.
    """

    def __init__(
        self,
        sessions: Any,
        state: StateDatabase,
        *,
        seconds: float,
        sweep_at_most: int,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._sessions = sessions
        self._state = state
        self._seconds = seconds
        self._sweep_at_most = sweep_at_most
        self._now = now

    def when_quiet(self, key: str, scope: Scope) -> Use[None]:
        """Return what is to be done when a session has gone quiet. Called on the host's event loop, after a turn."""
        session = self._sessions.get_or_create(key)
        messages, saved = list(session.messages), session.updated_at
        return lambda memory: self._notify(memory, key, messages, scope, saved)

    async def sweep(self, memory: "MemoryHost") -> None:
        """Tell the memory of the sessions that earlier processes left before they had gone quiet."""
        for key, saved in await run_in_daemon_thread(self._due):
            session = await run_in_daemon_thread(self._sessions.read_session_snapshot, key)
            if session is not None:
                await self._notify(memory, key, session.messages, scope_of(key), saved)

    async def _notify(
        self, memory: "MemoryHost", key: str, messages: Sequence[object], scope: Scope, saved: datetime
    ) -> None:
        await memory.session_idle(session_key=key, history=public_messages(messages), scope=scope)
        await run_in_daemon_thread(self._note, key, saved)

    def _due(self) -> list[tuple[str, datetime]]:
        """Return the sessions that nobody has dealt with since they were saved, newest first, and count the try."""
        now = self._now()
        found = [(str(row["key"]), _time(row.get("updated_at"))) for row in self._sessions.list_sessions()]
        quiet_since = now - timedelta(seconds=self._seconds * _PATIENCE)
        quiet = [(saved, key) for key, saved in found if saved is not None and saved <= quiet_since]

        def choose(connection: sqlite3.Connection) -> list[tuple[str, datetime]]:
            since = _begin(connection, now)
            chosen: list[tuple[str, datetime]] = []
            for saved, key in sorted(quiet, reverse=True):
                stamp = saved.isoformat()
                marked, tries = _mark(connection, key)
                tries = tries if marked >= stamp else 0
                is_due = is_for_people(key) and stamp > since and tries < _TRIES
                if is_due and len(chosen) < self._sweep_at_most:
                    _set_mark(connection, key, stamp, tries + 1)
                    chosen.append((key, saved))
            return chosen

        return self._state.write(choose)

    def _note(self, key: str, saved: datetime) -> None:
        """Record that a session has been dealt with as it was saved at ``saved``."""

        def add(connection: sqlite3.Connection) -> None:
            _begin(connection, saved)
            marked, _ = _mark(connection, key)
            _set_mark(connection, key, max(saved.isoformat(), marked), _TRIES)

        self._state.write(add)


def _begin(connection: sqlite3.Connection, now: datetime) -> str:
    """Return the time of the first mark, which is ``now`` where there is none."""
    connection.execute("INSERT OR IGNORE INTO task VALUES (?, '', '{}', ?)", (_SINCE, now.isoformat()))
    return str(connection.execute("SELECT time FROM task WHERE name = ?", (_SINCE,)).fetchall()[0][0])


def _mark(connection: sqlite3.Connection, key: str) -> tuple[str, int]:
    """Return the save of a session that was dealt with last, and how often that was tried."""
    row = (_TASK, redact_key(key))
    found = connection.execute("SELECT time, body FROM task WHERE name = ? AND subject = ?", row).fetchall()
    return (str(found[0][0]), int(str(found[0][1]))) if found else ("", 0)


def _set_mark(connection: sqlite3.Connection, key: str, stamp: str, tries: int) -> None:
    row = (_TASK, redact_key(key), str(tries), stamp)
    connection.execute("INSERT OR REPLACE INTO task VALUES (?, ?, ?, ?)", row)


def _time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None) if isinstance(value, str) else None
    except ValueError:
        return None
