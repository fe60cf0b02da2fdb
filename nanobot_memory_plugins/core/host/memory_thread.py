"""The memory's own thread and event loop, and the answers of calls that run in it.

The host's event loop never runs a plugin: a plugin that blocks, ends or floods its loop does so to this one.
The thread also outlives the host's loop: a memory that was started in one ``asyncio.run`` serves the next, and can be
closed when none is running.
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
MemoryCall = Callable[["MemoryHost"], Awaitable[_T]]

_NAME = "nanobot-memory"
# Share of the closing time that pending calls may take; the rest is for the memory's own close.
_DRAIN_SHARE = 0.6
# Seconds that cancelled tasks have to finish.
_CANCEL_SECONDS = 0.2


class Answer(Awaitable[_T]):
    """The result of a call to the memory: await it in any event loop, or call `now` where nothing can be awaited.

    The call already runs as ``futures`` in the memory's thread; each is waited for at most ``limit`` seconds.
    ``finish`` computes the answer from their results, with None for one that failed or is late. A late call, and every
    call whose caller is cancelled, still runs to its end.
    """

    def __init__(self, futures: "Sequence[Future[Any]]", limit: float, finish: Callable[..., _T], clock: Clock) -> None:
        self._futures, self._limit, self._finish, self._clock = futures, limit, finish, clock

    def now(self) -> _T:
        """Wait for the answer, and block this thread and its event loop meanwhile.

        The memory's own thread cannot wait for its own calls; there, the answer is computed without their results.
        """
        if is_memory_thread():
            logger.warning("a blocking call of the memory from its own thread has no answer")
            return self._finish(*[None for _ in self._futures])
        for future in self._futures:
            with suppress(TimeoutError):
                future.result(timeout=self._limit)
        return self._answer()

    async def _wait(self) -> _T:
        for future in self._futures:
            await _wait_within(future, self._limit, self._clock)
        return self._answer()

    def __await__(self) -> Generator[Any, Any, _T]:
        return self._wait().__await__()

    def _answer(self) -> _T:
        if late := sum(not future.done() for future in self._futures):
            logger.debug("{} calls of the memory are late; the turn goes on without their answers", late)
        return self._finish(*[future.result() if future.done() else None for future in self._futures])


async def _wait_within(future: "Future[Any]", limit: float, clock: Clock) -> None:
    """Wait at most ``limit`` seconds for a thread's future, without ever cancelling it."""
    waiting = asyncio.wrap_future(future)
    try:
        with suppress(TimeoutError):
            async with time_limit(clock, limit):
                await asyncio.wait({waiting})
    finally:
        # The future is marked as running, so this cancels only its asyncio wrapper: nothing is left that would call
        # back into an event loop that has been closed in the meantime.
        waiting.cancel()


def is_memory_thread() -> bool:
    """Return whether this code runs in a memory's thread."""
    return threading.current_thread().name == _NAME


class MemoryThread:
    """A daemon thread that runs one memory from its start to its close; ``start`` creates the memory in the thread."""

    def __init__(self, start: "Callable[[], Awaitable[MemoryHost]]") -> None:
        self._start = start
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_log_stray_task)
        self._ready = asyncio.Event()
        self._stopping = asyncio.Event()
        self._drain_seconds = 0.0
        self._calls = OwnedTasks()
        self._answers: set[Future[Any]] = set()
        self._closing = False
        self.opened = threading.Event()  # also set if the start failed
        self.started: MemoryHost | None = None
        self.ended: Future[None] = Future()
        self.ended.set_running_or_notify_cancel()
        threading.Thread(target=self._main, name=_NAME, daemon=True).start()

    def submit(self, call: MemoryCall[_T]) -> "Future[_T | None]":
        """Schedule a call of the memory from any thread, and return a future of its result, None if it fails."""
        answer: Future[_T | None] = Future()
        answer.set_running_or_notify_cancel()
        self._answers.add(answer)
        try:
            self._loop.call_soon_threadsafe(self._start_call, call, answer)
        except RuntimeError:  # the loop has ended: the thread was closed, or a plugin stopped it
            self._set_answer(answer, None)
        return answer

    def stop(self, limit: float) -> "Future[None]":
        """Start the close, and return a future of the thread's end; pending calls get a share of ``limit`` seconds."""
        self._drain_seconds = limit * _DRAIN_SHARE
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stopping.set)
        return self.ended

    # --- in the thread ----------------------------------------------------------------------------------------

    def _main(self) -> None:
        try:
            self._loop.run_until_complete(self._run())
        except BaseException as error:  # SystemExit from a plugin's stray task must end only this thread
            logger.warning("the memory's thread ended early: {}", type(error).__name__)
        finally:
            self._closing = True
            with suppress(Exception):
                self._cancel_everything()
                self._loop.close()
            for answer in list(self._answers):
                self._set_answer(answer, None)
            self.opened.set()
            self.ended.set_result(None)

    async def _run(self) -> None:
        opening = asyncio.create_task(self._open())
        await self._stopping.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._drain_seconds):
                await self._calls.finish()
        opening.cancel()
        if self.started is not None:
            await self.started.close()

    async def _open(self) -> None:
        try:
            began = time.perf_counter()
            self.started = await self._start()
            logger.debug("memory started in {:.0f} ms", (time.perf_counter() - began) * 1000)
        except Exception as error:
            # Without the message, which can contain values of the configuration.
            logger.warning("the memory could not be started: {}; the host goes on without it", type(error).__name__)
        finally:
            self._ready.set()
            self.opened.set()

    def _start_call(self, call: MemoryCall[_T], answer: "Future[_T | None]") -> None:
        if self._closing:  # nobody would cancel it, or wait for it
            self._set_answer(answer, None)
            return
        task = self._calls.begin(self._call(call))
        task.add_done_callback(
            lambda done: self._set_answer(answer, None if done.cancelled() or done.exception() else done.result())
        )

    def _set_answer(self, answer: "Future[_T | None]", value: _T | None) -> None:
        self._answers.discard(answer)
        with suppress(InvalidStateError):
            answer.set_result(value)

    async def _call(self, call: MemoryCall[_T]) -> _T | None:
        await self._ready.wait()
        if self.started is None:
            return None
        try:
            return await call(self.started)
        except (Exception, SystemExit) as error:
            logger.warning("a call of the memory failed: {}", log_text(error))
            return None

    def _cancel_everything(self) -> None:
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.wait(tasks, timeout=_CANCEL_SECONDS))


def _log_stray_task(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log only the type of the error of a plugin's stray task; asyncio's own log would show its text."""
    error = context.get("exception")
    logger.debug("a stray task in the memory's thread: {}", type(error).__name__ if error else "an unfinished task")
