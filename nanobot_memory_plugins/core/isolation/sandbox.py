"""Where the code of one plugin runs on the event loop, so that it can always be ended.

Every coroutine of a plugin, and every task that it starts, is advanced through a `PluginCoroutine`. That
gives three holds which asyncio alone does not offer: a coroutine that swallows its cancellation can be
dropped, SystemExit in a task of a plugin does not stop the loop, and what a plugin leaves running in threads
does not keep ``asyncio.run`` or the process from ending.
"""

import asyncio
import contextlib
import ctypes
import functools
import threading
from collections.abc import Callable, Coroutine, Generator
from typing import Any

from nanobot_memory_plugins.core.clock import Alarm, Clock
from nanobot_memory_plugins.core.isolation.failure import coroutine_chain, exception_name, is_the_users_interrupt
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.core.isolation.tracebacks import log_traceback
from nanobot_memory_plugins.core.log import logger

# Threads that one plugin can keep busy at a time; the standard library's pool stops at 32 as well.
_THREADS = 32


class Sandbox:
    """What the coroutines of one plugin share: its threads, and the tasks that it has started.

    ``grace_seconds`` is how long a cancelled coroutine may take to clean up after itself.
    """

    def __init__(self, plugin_name: str, grace_seconds: float, clock: Clock) -> None:
        self.plugin_name = plugin_name
        self.clock = clock
        self.grace_seconds = grace_seconds
        self.threads = DaemonThreadPool(_THREADS, name=f"nanobot-memory {plugin_name}")
        # asyncio keeps weak references only: a task that is collected while it runs is reported, and one that
        # swallows its cancellation even runs on while it is collected.
        self.tasks: set[asyncio.Task[Any]] = set()

    def run(self, loop: asyncio.AbstractEventLoop | None, function: Callable[..., Any], *args: Any) -> Any:
        """Run some code of the plugin up to its next await, with everything that it starts in our hands.

        Tasks go through our factory, ``asyncio.to_thread`` and the like to our daemon threads, and threads
        that it starts are daemons unless it says otherwise. All of it is put back before anybody else runs.
        Loops that do not show their default executor (uvloop) keep it.
        """
        thread: Any = threading.current_thread()
        daemonic = thread._daemonic
        thread._daemonic = True
        if loop is None:
            try:
                return function(*args)
            finally:
                thread._daemonic = daemonic
        visible: Any = loop
        factory = loop.get_task_factory()
        executor = getattr(visible, "_default_executor", visible)
        loop.set_task_factory(functools.partial(self._create_task, factory))
        if executor is not visible:
            visible._default_executor = self.threads
        try:
            return function(*args)
        finally:
            thread._daemonic = daemonic
            loop.set_task_factory(factory)
            if executor is not visible:
                visible._default_executor = executor

    async def close(self, loop: asyncio.AbstractEventLoop) -> None:
        """End every task of the plugin on ``loop``: cancel it, and drop it when that does not help."""
        self.threads.shutdown()
        tasks = {task for task in self.tasks if task.get_loop() is loop and not task.done()}
        tasks.discard(asyncio.current_task())
        for drop in (False, True):
            for task in tasks:
                end_task(task, drop=drop)
            if tasks:
                _, tasks = await asyncio.wait(tasks, timeout=self.grace_seconds)
        if tasks:
            logger.warning("plugin {} leaves {} tasks that cannot be ended", self.plugin_name, len(tasks))

    def _create_task(
        self,
        factory: Callable[..., asyncio.Future[Any]] | None,
        loop: asyncio.AbstractEventLoop,
        coroutine: Any,
        **options: Any,
    ) -> asyncio.Future[Any]:
        """Create a task that the plugin asked for."""
        if asyncio.iscoroutine(coroutine) and not isinstance(coroutine, PluginCoroutine):
            coroutine = _ChildCoroutine(self, loop, coroutine)
        if factory is None:
            task: asyncio.Future[Any] = asyncio.Task(coroutine, loop=loop, **options)
        else:
            task = factory(loop, coroutine, **options)
        if isinstance(task, asyncio.Task):
            self.tasks.add(task)
            task.add_done_callback(self._child_done)
        return task

    def _child_done(self, task: "asyncio.Task[Any]") -> None:
        """Tell what a task failed of, in our way: asyncio would log the exception with its text."""
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.debug("a task of plugin {} ended with {}", self.plugin_name, exception_name(error))
            log_traceback(self.plugin_name, error)


class PluginCoroutine(Coroutine[Any, Any, Any]):
    """Advances a plugin's coroutine one step at a time, and can drop it."""

    __slots__ = ("__weakref__", "_inner", "_killer", "_loop", "_sandbox", "dropped")

    def __init__(self, sandbox: Sandbox, loop: asyncio.AbstractEventLoop, inner: Coroutine[Any, Any, Any]) -> None:
        self._sandbox = sandbox
        self._loop = loop
        self._inner = inner
        self._killer: Alarm | None = None
        self.dropped = False

    def send(self, value: Any) -> Any:
        """Advance the coroutine to its next await."""
        return self._sandbox.run(self._loop, self._inner.send, value)

    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> Any:
        """Raise an exception in the coroutine; a cancellation that is not obeyed is noticed."""
        if self.dropped:
            self.drop()
            raise asyncio.CancelledError
        yielded = self._sandbox.run(self._loop, self._inner.throw, error)
        task = asyncio.current_task(self._loop)
        if task is not None and task.cancelling() and self._killer is None:
            self._watch(task)
        return yielded

    def close(self) -> None:
        """Close the coroutine."""
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._inner.__await__()

    def __getattr__(self, name: str) -> Any:
        # cr_frame, cr_running, __qualname__ and so on: debuggers and anyio look into a task's coroutine.
        return getattr(self._inner, name)

    def drop(self) -> None:
        """Close the coroutine for good, whatever it does about it."""
        self.dropped = True
        chain = list(coroutine_chain(self._inner))
        with contextlib.suppress(BaseException):  # whatever its last words are
            self._sandbox.run(self._loop, self._inner.close)
        for link in chain:
            if getattr(link, "cr_frame", None) is not None or getattr(link, "gi_frame", None) is not None:
                _keep_for_ever(link)

    def _watch(self, task: "asyncio.Task[Any]") -> None:
        """Look at a cancelled task again after the grace: it may have swallowed its cancellation."""
        self._killer = self._sandbox.clock.call_later(self._sandbox.grace_seconds, lambda: self._drop_at_the_end(task))

    def _drop_at_the_end(self, task: "asyncio.Task[Any]") -> None:
        """Drop the task when ``asyncio.run`` waits for it; until then it may go on as it likes."""
        self._killer = None
        if task.done() or not task.cancelling():
            return
        if _is_ending(self._loop):
            end_task(task, drop=True)
        else:
            self._watch(task)


class _ChildCoroutine(PluginCoroutine):
    """A coroutine that a plugin runs in a task of its own: nothing that it raises stops the loop."""

    __slots__ = ()

    def send(self, value: Any) -> Any:
        """Advance the coroutine to its next await."""
        try:
            return super().send(value)
        except (SystemExit, KeyboardInterrupt) as error:
            raise self._ordinary(error) from None

    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> Any:
        """Raise an exception in the coroutine."""
        try:
            return super().throw(error)
        except (SystemExit, KeyboardInterrupt) as exit_:
            raise self._ordinary(exit_) from None

    def _ordinary(self, error: BaseException) -> BaseException:
        if is_the_users_interrupt(error):
            return error
        return RuntimeError(f"{exception_name(error)} in a task of plugin {self._sandbox.plugin_name}")


def end_task(task: "asyncio.Task[Any]", *, drop: bool) -> None:
    """Cancel a task; with ``drop`` its coroutine is closed whether it obeys or not."""
    coroutine = task.get_coro()
    if drop and isinstance(coroutine, PluginCoroutine):
        coroutine.dropped = True
    # A closed loop has no further step to take.
    with contextlib.suppress(RuntimeError):
        task.cancel()


def _is_ending(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether everybody but the plugins has been cancelled, as ``asyncio.run`` does when it is done."""
    return all(task.cancelling() or isinstance(task.get_coro(), PluginCoroutine) for task in asyncio.all_tasks(loop))


def _keep_for_ever(coroutine: object) -> None:
    """Give a coroutine that refuses to be closed a reference that is never taken back.

    It would refuse again when it is collected, at the latest while the interpreter ends, and run code of the
    plugin there. There are few of these: the breaker rests the plugin.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(coroutine))
