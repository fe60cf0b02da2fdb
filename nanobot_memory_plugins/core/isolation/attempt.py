"""One call of one implementation, in a task or a thread of its own that nothing gets out of but its answer."""

import asyncio
import contextvars
import functools
import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core.clock import Clock, time_limit
from nanobot_memory_plugins.core.isolation.answers import WrongAnswerError, accepted_values
from nanobot_memory_plugins.core.isolation.breaker import CircuitBreaker
from nanobot_memory_plugins.core.isolation.failure import CodeLocation, Failure, failure_of
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool, discard, run_in_pool

# A loop that comes so much after a deadline was held up; what is ready then gets so long to end. In seconds.
_LATE = 0.01
_ANOTHER_TURN = 0.05


# What has become of an attempt: the values of its answer, an answer that counts as none, or a failure.
Outcome = tuple[object, ...] | WrongAnswerError | Failure


@dataclass(frozen=True, slots=True, eq=False)
class Implementation:
    """A plugin's function for one hook, with all that its calls need. It ``takes`` these arguments of the hook.

    Its answer holds values of the types in ``accepts``. ``home`` is where its code lives. Plain functions run in the
    plugin's ``threads``.
    """

    plugin_name: str
    hook: str
    function: Callable[..., Any]
    takes: frozenset[str]
    accepts: tuple[type, ...]
    is_async: bool
    home: CodeLocation
    context: object
    threads: DaemonThreadPool
    breaker: CircuitBreaker

    def call(self, arguments: Mapping[str, object]) -> Callable[[], Any]:
        """Return a call with these arguments of the hook. Raises KeyError when the host forgot one."""
        given = {**arguments, "context": self.context}
        return functools.partial(self.function, **{name: given[name] for name in self.takes})

    def judge(self, answer: object) -> Outcome:
        """Return what an answer counts as."""
        try:
            return accepted_values(answer, self.hook, self.accepts)
        except WrongAnswerError as error:
            for one in answer if type(answer) is list else [answer]:
                discard(one)
            return error

    def failed(self, reason: str) -> Failure:
        """Return a failure without an exception."""
        return Failure(reason=reason, place=self.home.definition)

    def late(self, limit: float) -> Failure:
        """Return the failure to answer within so many seconds."""
        return self.failed(f"no answer within {limit:g} s")


class Attempt(Coroutine[Any, Any, Outcome]):
    """Runs an implementation in a task of its own, which ends with the outcome.

    Whoever holds the event loop for more than ``limit`` seconds is late, though the answer is there before anybody
    could look. ``seconds`` is how long it took, the limit where it has not ended.
    """

    def __init__(self, implementation: Implementation, arguments: Mapping[str, object], limit: float) -> None:
        loop = asyncio.get_running_loop()
        self.implementation = implementation
        self.seconds = limit
        self._limit = limit
        self._inner = self._run(implementation.call(arguments))
        self._is_dropped = False
        self._time = loop.time
        self._began = self._step_began = loop.time()
        self._held_before = 0.0
        self.task: asyncio.Task[Outcome] = loop.create_task(self)

    def outcome(self) -> Outcome:
        """Return what has become of it by now."""
        if not self.task.done():
            return self.implementation.late(self._limit)
        if self.task.cancelled() or self.task.exception() is not None:  # before its first step, or where it was dropped
            return self.implementation.failed("it was broken off")
        return self.task.result()

    def abandon(self, clock: Clock, grace: float) -> None:
        """Cancel it where it has not ended, and drop it ``grace`` seconds later, whatever it does about that."""
        if not self.task.done():
            self.task.cancel()
            alarm = clock.call_later(grace, self.drop)
            self.task.add_done_callback(lambda _: alarm.cancel())

    def drop(self) -> None:
        """Drive it no further."""
        self._is_dropped = True
        self.task.cancel()

    async def _run(self, function: Callable[[], Any]) -> Outcome:
        one = self.implementation
        try:
            answer = await (function() if one.is_async else run_in_pool(one.threads, function))
            if not one.is_async and inspect.isawaitable(answer):
                answer = await answer
            outcome = one.judge(answer)
        except BaseException as error:  # SystemExit too: the task would pass it on to the loop
            outcome = failure_of(error, one.home, one.plugin_name)
        now = self._time()
        self.seconds = now - self._began
        held = self._held_before + now - self._step_began
        return one.late(self._limit) if held > self._limit else outcome

    # As the coroutine of its task:

    def send(self, value: Any) -> Any:
        """Go on with it."""
        return self._step(self._inner.send, value)

    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> Any:
        """Raise an exception in it, as a cancellation does, unless it is dropped."""
        if not self._is_dropped:
            return self._step(self._inner.throw, error)
        # Neither closed nor collected: it would only refuse again. The breaker sees to it that these are few.
        _undriven.append(self._inner)
        raise asyncio.CancelledError

    def close(self) -> None:
        """End it, as a coroutine ends."""
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, Outcome]:
        return self._inner.__await__()

    def _step(self, go_on: Callable[[Any], Any], value: Any) -> Any:
        self._step_began = self._time()
        yielded = go_on(value)
        self._held_before += self._time() - self._step_began
        return yielded


_undriven: list[object] = []


async def end_within(attempts: Sequence[Attempt], limit: float, clock: Clock) -> None:
    """Return when all attempts have ended, or their limit has passed.

    Where others held the event loop up over the limit, what is ready then may end.
    """
    tasks = [one.task for one in attempts]
    now = asyncio.get_running_loop().time
    began = now()
    try:
        async with time_limit(clock, limit):
            await asyncio.wait(tasks)
    except TimeoutError:
        if now() - began - limit > _LATE:
            await asyncio.wait(tasks, timeout=_ANOTHER_TURN)


def run_plain(one: Implementation, arguments: Mapping[str, object], limit: float) -> Outcome:
    """Run a plain function in a thread of its plugin's and wait for it, ``limit`` seconds at most.

    One that hangs is abandoned. The user's Ctrl-C reaches this thread, and is raised.
    """
    if one.is_async:
        return WrongAnswerError("an async function, where only a plain one can be called")
    function = one.call(arguments)

    def run() -> Outcome:
        try:
            return one.judge(function())
        except BaseException as error:
            return failure_of(error, one.home, one.plugin_name)

    try:
        work = one.threads.submit(contextvars.copy_context().run, run)
    except RuntimeError:
        return one.failed("no thread can be started")
    try:
        return work.result(limit)
    except TimeoutError:
        work.cancel()
        return one.late(limit)
