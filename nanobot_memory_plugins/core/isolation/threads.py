"""Tasks that end with their owner, and daemon threads for code that blocks.

A thread that hangs is abandoned, and never delays the end of the process. The standard thread pools cannot run the code
of others: ``asyncio.run`` and the interpreter both wait for their threads.
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
    """The running tasks of one owner. Only those of the running event loop are awaited or cancelled."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task that runs some work, and return it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self) -> None:
        """Wait until all tasks have ended, including tasks that start meanwhile."""
        while tasks := self._current_tasks():
            # Not gather: for tasks that have just ended it returns without yielding; their callbacks would never run.
            await asyncio.wait(tasks)

    async def cancel(self) -> None:
        """Cancel all tasks, and wait until they have ended."""
        tasks = self._current_tasks()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _current_tasks(self) -> set[asyncio.Task[Any]]:
        """Return the tasks of the running event loop; those of another loop may never end."""
        loop = asyncio.get_running_loop()
        return {task for task in self._tasks if task.get_loop() is loop}


class DaemonThreadPool:
    """Runs work in at most ``limit`` daemon threads.

    An idle thread waits ``linger`` seconds for more work, then ends. Starting a thread blocks the caller until it runs,
    which takes milliseconds while other threads compute.
    """

    def __init__(self, limit: int, name: str, *, linger: float = 1.0) -> None:
        self._limit = limit
        self._name = name
        self._linger = linger
        self.reset()

    def reset(self) -> None:
        """Forget all threads and work: the threads do not exist in a forked process."""
        self._lock = threading.Lock()
        self._work_changed = threading.Condition(self._lock)
        self._running = 0
        self._idle = 0
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``function`` as soon as a thread is free. Raises `RuntimeError` if no thread can be started."""
        future: Future[T] = Future()
        with self._lock:
            self._waiting.append((future, partial(function, *args, **kwargs)))
            needs_thread = self._idle < len(self._waiting) and self._running < self._limit
            self._running += needs_thread
            if not needs_thread:
                self._work_changed.notify()
        if needs_thread:
            try:
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
            except BaseException:  # without a thread, nobody would run the work
                with self._lock:
                    self._running -= 1
                future.cancel()
                raise
        return future

    def shutdown(self) -> None:
        """Make each thread end as soon as it is idle."""
        with self._lock:
            self._linger = 0.0
            self._work_changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting and self._linger:
                    self._idle += 1
                    # Another thread may have taken the work; then this one waits again.
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


_unlimited_pool = DaemonThreadPool(limit=2**31, name="memory-work")
at_fork(_unlimited_pool.reset)


def run_in_daemon_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
    """Start ``function`` in a daemon thread, and return an awaitable of its result.

    The thread has a copy of the caller's context variables. Whatever the function raises is raised at the await,
    including SystemExit. A thread cannot be stopped: if the await is cancelled, it continues without keeping the loop
    or the process from ending, and its result is dropped.
    """
    return run_in_pool(_unlimited_pool, function, *args, **kwargs)


def run_in_pool(pool: DaemonThreadPool, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
    """Start ``function`` in a thread of ``pool``, as `run_in_daemon_thread` does."""
    context = contextvars.copy_context()

    def run() -> T:
        try:
            return context.run(function, *args, **kwargs)
        except StopIteration as error:  # a future refuses it, since it would end the awaiting coroutine
            raise RuntimeError("the function raised StopIteration") from error

    return asyncio.wrap_future(pool.submit(run))
