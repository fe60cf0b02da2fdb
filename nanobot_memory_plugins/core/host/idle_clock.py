"""When a session has gone quiet: few hosts have a hook for that."""

import asyncio
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.clock import sleep
from nanobot_memory_plugins.core.host.memory_thread import MemoryThread, Use

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost


class IdleClock:
    """Counts ``seconds`` for each session, anew after each turn. The timers end with the memory's thread."""

    def __init__(self, thread: MemoryThread, *, seconds: float) -> None:
        self._thread = thread
        self._seconds = seconds
        self._timers: dict[str, asyncio.Task[Any]] = {}

    def touch(self, session_key: str, tell: Use[object]) -> None:
        """Start a session's clock again; ``tell`` is called in the memory's thread when it has run down."""

        async def wait(memory: "MemoryHost") -> None:
            self._replace(session_key, asyncio.current_task())
            await sleep(self._thread.clock, self._seconds)
            self._timers.pop(session_key, None)
            await tell(memory)

        self._thread.submit(wait, background=True)

    def end(self, session_key: str, tell: Use[object]) -> None:
        """Stop a session's clock, since the session has ended, and call ``tell`` at once."""

        async def stop(memory: "MemoryHost") -> None:
            self._replace(session_key, None)
            await tell(memory)

        self._thread.submit(stop)

    def _replace(self, session_key: str, timer: "asyncio.Task[Any] | None") -> None:
        before = self._timers.pop(session_key, None)
        if before is not None:
            before.cancel()
        if timer is not None:
            self._timers[session_key] = timer
