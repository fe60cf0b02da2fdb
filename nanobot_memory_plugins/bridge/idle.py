"""Sessions that have gone quiet: what the memory is told of them, in this process or at the next start."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.bridge.idle_marks import IdleMarks
from nanobot_memory_plugins.bridge.sessions import HISTORY_MESSAGES, is_for_people, public_messages, scope_of
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.host.memory_thread import Use
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

# A session that another process may still be timing is left to it for this many idle times.
_PATIENCE = 2


class IdleSessions:
    """Tells the memory of each session that was quiet for ``seconds``, and at a start of those that were left over.

    The clock is core's, in the memory's thread: nothing of ours holds up the host's end. A process that ends earlier (a
    one-shot command always does) leaves its sessions to the next start.
    """

    def __init__(
        self,
        sessions: Any,
        marks: IdleMarks,
        *,
        seconds: float,
        sweep_at_most: int,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._sessions = sessions
        self._marks = marks
        self._seconds = seconds
        self._sweep_at_most = sweep_at_most
        self._now = now

    def when_quiet(self, key: str, scope: Scope) -> Use[None]:
        """Return what is to be done when a session has gone quiet. Called on the host's event loop, after a turn."""
        session = self._sessions.get_or_create(key)
        messages = list(session.messages[-HISTORY_MESSAGES:])
        saved = session.updated_at

        return lambda memory: self._tell(memory, key, messages, scope, saved)

    async def sweep(self, memory: "MemoryHost") -> None:
        """Tell the memory of the sessions that earlier processes left before they had gone quiet."""
        quiet_since = self._now() - timedelta(seconds=self._seconds * _PATIENCE)
        rows = await run_in_daemon_thread(self._sessions.list_sessions)
        found = [(str(row.get("key") or ""), _time(row.get("updated_at"))) for row in rows]
        stale = [
            (key, saved) for key, saved in found if saved is not None and saved <= quiet_since and is_for_people(key)
        ]
        choose = partial(self._marks.due, stale, now=self._now(), at_most=self._sweep_at_most)
        due = await run_in_daemon_thread(choose)
        for key, saved in due:
            session = await run_in_daemon_thread(partial(self._sessions.read_session_snapshot, key))
            if session is not None:
                messages = list(session.messages[-HISTORY_MESSAGES:])
                await self._tell(memory, key, messages, scope_of(key), saved)

    async def _tell(
        self, memory: "MemoryHost", key: str, messages: list[object], scope: Scope, saved: datetime
    ) -> None:
        await memory.session_idle(session_key=key, history=public_messages(messages), scope=scope)
        await run_in_daemon_thread(partial(self._marks.note, key, saved))


def _time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None) if isinstance(value, str) else None
    except ValueError:
        return None
