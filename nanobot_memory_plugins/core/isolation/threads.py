"""Work that belongs to somebody: in tasks that end with their owner, and, where it blocks, in daemon threads.

A thread that is stuck is abandoned, and never holds up the end of the process.
The standard thread pools cannot be used for code of others: ``asyncio.run`` and the interpreter both wait for
their threads.
"""

import asyncio
import contextvars
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from typing import Any, ParamSpec, TypeVar

from nanobot_memory_plugins.core.isolation.fork import at_fork

P = ParamSpec("P")
T = TypeVar("T")


class OwnedTasks:
    """The tasks of one owner, held for as long as they run. Those of an event loop that has ended are left out."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin some work; the task ends with what it returns."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self) -> None:
        """Return once all have ended, those that are begun meanwhile included."""
        while tasks := self._here():
            # Not gather: for tasks that have just ended it returns without yielding; their callbacks would never run.
            await asyncio.wait(tasks)

    async def cancel(self) -> None:
        """Cancel what runs, and return once it has ended."""
        tasks = self._here()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _here(self) -> set[asyncio.Task[Any]]:
        """Return the tasks of the running event loop; nothing will ever end those of another one."""
        loop = asyncio.get_running_loop()
        return {task for task in self._tasks if task.get_loop() is loop}


class DaemonThreadPool:
    """Runs work in at most ``limit`` daemon threads.

    A thread with nothing to do waits ``linger`` seconds for more, then ends. Starting one holds up the caller until the
    new thread has had its turn, which takes milliseconds while other threads compute.
    """

    def __init__(self, limit: int, name: str, *, linger: float = 1.0) -> None:
        self._limit = limit
        self._name = name
        self._linger = linger
        self.reset()

    def reset(self) -> None:
        """Have no threads and no work: a process that was forked off has none of those that it knows of."""
        self._lock = threading.Lock()
        self._work_changed = threading.Condition(self._lock)
        self._running = 0
        self._idle = 0
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``function`` as soon as a thread is free."""
        future: Future[T] = Future()
        with self._lock:
            self._waiting.append((future, partial(function, *args, **kwargs)))
            begin = self._idle < len(self._waiting) and self._running < self._limit
            self._running += begin
            if not begin:
                self._work_changed.notify()
        if begin:
            try:
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
            except BaseException:  # no thread can be had: nobody would ever take the work up
                with self._lock:
                    self._running -= 1
                future.cancel()
                raise
        return future

    def shutdown(self) -> None:
        """Let each thread end once it has nothing to do."""
        with self._lock:
            self._linger = 0.0
            self._work_changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting and self._linger:
                    self._idle += 1
                    # Work that another thread has taken meanwhile is no reason to end.
                    while not self._waiting and self._work_changed.wait(self._linger):
                        pass
                    self._idle -= 1
                if not self._waiting:
                    self._running -= 1
                    return
                future, work = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
            del future, work


_unlimited = DaemonThreadPool(limit=2**31, name="memory-work")
at_fork(_unlimited.reset)


def run_in_daemon_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
    """Start ``function`` in a daemon thread and return what the running loop can await.

    The thread sees the caller's context variables; its changes to them stay with it. Whatever the function
    raises is raised at the await, SystemExit too. A thread cannot be stopped: when the await is cancelled the
    thread goes on, its result is dropped, and it keeps neither loop nor process from ending.
    """
    return run_in_pool(_unlimited, function, *args, **kwargs)


def run_in_pool(pool: DaemonThreadPool, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
    """Start ``function`` in a thread of ``pool``, as `run_in_daemon_thread` does."""
    context = contextvars.copy_context()

    def run() -> T:
        try:
            return context.run(function, *args, **kwargs)
        except StopIteration as error:  # a future refuses it: it would end the coroutine that awaits it
            raise RuntimeError("the function raised StopIteration") from error

    return asyncio.wrap_future(pool.submit(run))
