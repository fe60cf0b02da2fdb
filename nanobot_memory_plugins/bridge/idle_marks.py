"""Which sessions' quiet has been dealt with: rows of the state database, shared by the processes of a workspace."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.state import StateDatabase

if TYPE_CHECKING:
    import apsw

_TASK, _SINCE = "idle", "idle_since"
# A session whose catching up was cut short this often is given up: short-lived processes would pay for it for ever.
_TRIES = 3


class IdleMarks:
    """Remembers per session up to which save it has been dealt with. It blocks, and raises `StoreError`.

    What was saved before the first mark counts as done, so that installing the set does not set off a summary of every
    old session.
    """

    def __init__(self, state: StateDatabase) -> None:
        self._state = state

    def due(
        self, sessions: Iterable[tuple[str, datetime]], *, now: datetime, at_most: int
    ) -> list[tuple[str, datetime]]:
        """Return the sessions that nobody has dealt with since they were saved, newest first, and count the try."""
        newest = sorted(sessions, key=lambda one: one[1], reverse=True)

        def choose(connection: "apsw.Connection") -> list[tuple[str, datetime]]:
            since = _begin(connection, now)
            chosen: list[tuple[str, datetime]] = []
            for key, saved in newest:
                stamp = saved.isoformat()
                done, tried, tries = _mark(connection, key)
                tries = tries if tried == stamp else 0
                if stamp > max(since, done) and tries < _TRIES and len(chosen) < at_most:
                    _set_mark(connection, key, done, stamp, tries + 1)
                    chosen.append((key, saved))
            return chosen

        return self._state.write(choose)

    def note(self, key: str, saved: datetime) -> None:
        """Record that a session has been dealt with as it was saved at ``saved``."""

        def add(connection: "apsw.Connection") -> None:
            _begin(connection, saved)
            done, _, _ = _mark(connection, key)
            _set_mark(connection, key, max(saved.isoformat(), done), "", 0)

        self._state.write(add)


def _begin(connection: "apsw.Connection", now: datetime) -> str:
    """Return the time of the first mark, which is ``now`` where there is none."""
    connection.execute("INSERT OR IGNORE INTO task VALUES (?, '', '{}', ?)", (_SINCE, now.isoformat()))
    return str(connection.execute("SELECT time FROM task WHERE name = ?", (_SINCE,)).fetchall()[0][0])


def _mark(connection: "apsw.Connection", key: str) -> tuple[str, str, int]:
    """Return the save up to which a session is done, the one that was tried, and how often."""
    row = (_TASK, redact_key(key))
    found = connection.execute("SELECT time, body FROM task WHERE name = ? AND subject = ?", row).fetchall()
    if not found:
        return "", "", 0
    body = json.loads(str(found[0][1]))
    return str(found[0][0]), str(body["tried"]), int(body["tries"])


def _set_mark(connection: "apsw.Connection", key: str, done: str, tried: str, tries: int) -> None:
    row = (_TASK, redact_key(key), json.dumps({"tried": tried, "tries": tries}), done)
    connection.execute("INSERT OR REPLACE INTO task VALUES (?, ?, ?, ?)", row)
