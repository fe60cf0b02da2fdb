"""Sessions that have gone quiet. nanobot has no such hook, so the bridge keeps its own time."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.bridge.idle_marks import IdleMarks
from nanobot_memory_plugins.bridge.sessions import HISTORY_MESSAGES, is_for_people, public_messages, scope_of
from nanobot_memory_plugins.core import Scope, run_in_daemon_thread
from nanobot_memory_plugins.core.host import MemoryThread

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

# A session that another process may still be timing is left to it for this many idle times.
_PATIENCE = 2


class IdleSessions:
    """Tells the memory of each session that was quiet for ``seconds``, and at a start of those that were left over.

    The timers are tasks in the memory's thread, cancelled when it closes: nothing of ours holds up the
    host's end. A process that ends earlier (a one-shot command always does) leaves its sessions to the next start.
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
        self._timers: dict[str, asyncio.Task[Any]] = {}

    def touch(self, thread: MemoryThread, key: str, scope: Scope) -> None:
        """Start the session's clock again. Called on the host's event loop, after a turn was saved."""
        session = self._sessions.get_or_create(key)
        messages = list(session.messages[-HISTORY_MESSAGES:])
        saved = session.updated_at

        async def wait(memory: "MemoryHost") -> None:
            self._replace_timer(key, asyncio.current_task())
            await asyncio.sleep(self._seconds)
            self._timers.pop(key, None)
            await self._tell(memory, key, messages, scope, saved)

        thread.submit(wait, background=True)

    def end(self, thread: MemoryThread, key: str, messages: list[object], scope: Scope) -> None:
        """Tell the memory that a session has ended: the user began a new one."""

        async def tell(memory: "MemoryHost") -> None:
            self._replace_timer(key, None)
            await memory.session_idle(session_key=key, history=public_messages(messages), ended=True, scope=scope)

        thread.submit(tell)

    async def sweep(self, memory: "MemoryHost") -> None:
        """Tell the memory of the sessions that earlier processes left before they had gone quiet."""
        quiet_since = self._now() - timedelta(seconds=self._seconds * _PATIENCE)
        rows = await run_in_daemon_thread(self._sessions.list_sessions)
        found = [(str(row.get("key") or ""), _time(row.get("updated_at"))) for row in rows]
        stale = [
            (key, saved) for key, saved in found if saved is not None and saved <= quiet_since and is_for_people(key)
        ]
        due = self._marks.due(stale, now=self._now(), at_most=self._sweep_at_most)
        for key, saved in due:
            session = await run_in_daemon_thread(partial(self._sessions.read_session_snapshot, key))
            if session is not None:
                messages = list(session.messages[-HISTORY_MESSAGES:])
                await self._tell(memory, key, messages, scope_of(key), saved)

    async def _tell(
        self, memory: "MemoryHost", key: str, messages: list[object], scope: Scope, saved: datetime
    ) -> None:
        await memory.session_idle(session_key=key, history=public_messages(messages), scope=scope)
        self._marks.note(key, saved)

    def _replace_timer(self, key: str, timer: "asyncio.Task[Any] | None") -> None:
        before = self._timers.pop(key, None)
        if before is not None:
            before.cancel()
        if timer is not None:
            self._timers[key] = timer


def _time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None) if isinstance(value, str) else None
    except ValueError:
        return None
