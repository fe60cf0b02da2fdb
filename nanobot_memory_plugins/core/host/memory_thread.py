"""The memory's own thread and event loop, and what a call answers that is made in it.

The host's event loop never runs a plugin: whatever a plugin does to its loop (block it, end it, fill it with
tasks) it does to this one. It also outlives the host's loop, so that a memory that was started in one
``asyncio.run`` serves the next, and can be closed when none is running.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from nanobot_memory_plugins.core.clock import Clock, time_limit
from nanobot_memory_plugins.core.errors import log_text
from nanobot_memory_plugins.core.isolation.threads import OwnedTasks
from nanobot_memory_plugins.core.log import logger

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost

_T = TypeVar("_T")
Use = Callable[["MemoryHost"], Awaitable[_T]]

_NAME = "nanobot-memory"
# Share of the time for closing that the accepted calls may take; the rest belongs to the memory itself.
_DRAIN_SHARE = 0.6
# Seconds that cancelled tasks get to end.
_CANCEL_SECONDS = 0.2


class Answer(Awaitable[_T]):
    """What a call answers: awaited in any event loop, or waited for by `now` where nothing can be awaited.

    The call has begun, as ``futures`` of the thread, each of which is waited for ``limit`` seconds. ``finish`` makes
    the answer of what they bring, which is None where one failed or is late. What is late goes on, and so does
    everything when the caller is cancelled.
    """

    def __init__(self, futures: "Sequence[Future[Any]]", limit: float, finish: Callable[..., _T], clock: Clock) -> None:
        self._futures, self._limit, self._finish, self._clock = futures, limit, finish, clock

    def now(self) -> _T:
        """Wait for the answer in this thread. It blocks, also the event loop that runs here.

        A call from the memory's own thread cannot be waited for there, and has no answer.
        """
        if is_own_thread():
            logger.warning("a blocking call of the memory from its own thread has no answer")
            return self._finish(*[None for _ in self._futures])
        for future in self._futures:
            with suppress(TimeoutError):
                future.result(timeout=self._limit)
        return self._finished()

    async def _awaited(self) -> _T:
        for future in self._futures:
            await _ends_within(future, self._limit, self._clock)
        return self._finished()

    def __await__(self) -> Generator[Any, Any, _T]:
        return self._awaited().__await__()

    def _finished(self) -> _T:
        if late := sum(not future.done() for future in self._futures):
            logger.debug("{} calls of the memory are late; the turn goes on without their answers", late)
        return self._finish(*[future.result() if future.done() else None for future in self._futures])


async def _ends_within(future: "Future[Any]", limit: float, clock: Clock) -> None:
    """Wait for a thread's future without ever cancelling it."""
    waiting = asyncio.wrap_future(future)
    try:
        with suppress(TimeoutError):
            async with time_limit(clock, limit):
                await asyncio.wait({waiting})
    finally:
        # The future is marked as running, so this reaches only the waiting end of it: nothing is left that would
        # call back into an event loop that has been closed meanwhile.
        waiting.cancel()


def is_own_thread() -> bool:
    """Return whether this code runs in the thread of a memory."""
    return threading.current_thread().name == _NAME


class MemoryThread:
    """One life of a memory in a daemon thread of its own, from its start to its close.

    ``start`` makes the memory, in the thread.
    """

    def __init__(self, start: "Callable[[], Awaitable[MemoryHost]]") -> None:
        self._start = start
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_note_stray)
        self._ready = asyncio.Event()
        self._stopping = asyncio.Event()
        self._drain_seconds = 0.0
        self._jobs = OwnedTasks()
        self._answers: set[Future[Any]] = set()
        self._closing = False
        self.opened = threading.Event()  # or it could not be started
        self.started: MemoryHost | None = None
        self.ended: Future[None] = Future()
        self.ended.set_running_or_notify_cancel()
        threading.Thread(target=self._main, name=_NAME, daemon=True).start()

    def submit(self, use: Use[_T]) -> "Future[_T | None]":
        """Call the memory from any thread and return a future of the answer, which is None when it failed."""
        answer: Future[_T | None] = Future()
        answer.set_running_or_notify_cancel()
        self._answers.add(answer)
        try:
            self._loop.call_soon_threadsafe(self._begin, use, answer)
        except RuntimeError:  # the loop has ended: the thread was closed, or a plugin tore it down
            self._answer(answer, None)
        return answer

    def stop(self, limit: float) -> "Future[None]":
        """Begin to finish, close the memory and end the thread, in ``limit`` seconds; return a future of the end."""
        self._drain_seconds = limit * _DRAIN_SHARE
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stopping.set)
        return self.ended

    # --- in the thread ----------------------------------------------------------------------------------------

    def _main(self) -> None:
        try:
            self._loop.run_until_complete(self._live())
        except BaseException as error:  # SystemExit from a plugin's stray task must end this thread only
            logger.warning("the memory's thread ended early: {}", type(error).__name__)
        finally:
            self._closing = True
            with suppress(Exception):
                self._cancel_everything()
                self._loop.close()
            for answer in list(self._answers):
                self._answer(answer, None)
            self.opened.set()
            self.ended.set_result(None)

    async def _live(self) -> None:
        opening = asyncio.create_task(self._open())
        await self._stopping.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._drain_seconds):
                await self._jobs.finish()
        opening.cancel()
        if self.started is not None:
            await self.started.close()

    async def _open(self) -> None:
        try:
            began = time.perf_counter()
            self.started = await self._start()
            logger.debug("memory started in {:.0f} ms", (time.perf_counter() - began) * 1000)
        except Exception as error:
            # The message is left out: it can carry values of the configuration.
            logger.warning("the memory could not be started: {}; the host goes on without it", type(error).__name__)
        finally:
            self._ready.set()
            self.opened.set()

    def _begin(self, use: Use[_T], answer: "Future[_T | None]") -> None:
        if self._closing:  # nobody would cancel it, or wait for it
            self._answer(answer, None)
            return
        task = self._jobs.begin(self._job(use))
        task.add_done_callback(
            lambda done: self._answer(answer, None if done.cancelled() or done.exception() else done.result())
        )

    def _answer(self, answer: "Future[_T | None]", value: _T | None) -> None:
        self._answers.discard(answer)
        with suppress(InvalidStateError):
            answer.set_result(value)

    async def _job(self, use: Use[_T]) -> _T | None:
        await self._ready.wait()
        if self.started is None:
            return None
        try:
            return await use(self.started)
        except (Exception, SystemExit) as error:
            logger.warning("a call of the memory failed: {}", log_text(error))
            return None

    def _cancel_everything(self) -> None:
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.wait(tasks, timeout=_CANCEL_SECONDS))


def _note_stray(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what a stray task of a plugin did by its kind only: asyncio's own log would show the error's text."""
    error = context.get("exception")
    logger.debug("left over in the memory's thread: {}", type(error).__name__ if error else "an unfinished task")
