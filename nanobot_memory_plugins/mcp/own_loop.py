"""What an adapter holds, over a memory that is on this event loop: a server has one memory for its tools and hooks."""

import asyncio
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from nanobot_memory_plugins.core import MemoryService, logger
from nanobot_memory_plugins.core.host import IdleClock, MemoryThread, Use
from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

_T = TypeVar("_T")


class OwnLoopService(MemoryService):
    """`MemoryService` for one memory that somebody else has made, and closes, on the event loop that runs.

    Its calls are made on that loop alone; the blocking ones have no answer there.
    """

    def __init__(self, memory: "MemoryHost", *, start_limit: float) -> None:
        super().__init__(memory.workspace, config=memory.config, start_limit=start_limit)
        self.own = _OwnLoop(memory)
        self.thread = self.own
        self.idle = IdleClock(self.own, seconds=memory.config.core.idle_seconds)

    async def finish(self, seconds: float) -> None:
        """Return once what was accepted has been done, or after ``seconds``; the clocks of sessions end."""
        await self.own.finish(seconds)


class _OwnLoop(MemoryThread):
    """Runs the calls as tasks of the event loop, in place of a thread."""

    def __init__(self, memory: "MemoryHost") -> None:
        super().__init__(lambda: memory)
        self._memory = memory
        self._is_open = False
        self._jobs, self._clocks = OwnedTasks(), OwnedTasks()

    @property
    def running(self) -> bool:
        return True

    @property
    def started(self) -> "MemoryHost | None":
        return self._memory if self._is_open else None

    def submit(self, use: Use[_T], *, background: bool = False) -> "Future[_T | None]":
        answer: Future[_T | None] = Future()
        answer.set_running_or_notify_cancel()
        task = (self._clocks if background else self._jobs).begin(self._job(use))
        task.add_done_callback(lambda done: _hand_on(done, answer))
        return answer

    async def finish(self, seconds: float) -> None:
        await self._clocks.cancel()
        await self._jobs.finish(seconds)
        await self._jobs.cancel()

    async def _job(self, use: Use[_T]) -> _T | None:
        try:
            await self._memory.start()
            self._is_open = True
            return await use(self._memory)
        except Exception as error:
            logger.warning("a call of the memory failed: {}", type(error).__name__)
            return None


def _hand_on(done: "asyncio.Task[Any]", answer: "Future[Any]") -> None:
    with suppress(InvalidStateError):
        answer.set_result(None if done.cancelled() or done.exception() else done.result())
