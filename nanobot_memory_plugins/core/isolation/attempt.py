"""One call of one implementation, in a task or a thread of its own that nothing gets out of but its answer."""

import asyncio
import contextvars
import functools
import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core.clock import Alarm, Clock
from nanobot_memory_plugins.core.isolation.answers import Expected, WrongAnswerError, accepted_values
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

    ``home`` is where its code lives. Plain functions run in the plugin's ``threads``. ``rank`` is -1 where it is to be
    called before others (``tryfirst``), 1 behind them (``trylast``), else 0.
    """

    plugin_name: str
    hook: str
    function: Callable[..., Any]
    takes: frozenset[str]
    rank: int
    is_async: bool
    home: CodeLocation
    context: object
    threads: DaemonThreadPool
    breaker: CircuitBreaker

    def call(self, arguments: Mapping[str, object]) -> Callable[[], Any]:
        """Return a call with these arguments of the hook. Raises KeyError when the host forgot one."""
        given = {**arguments, "context": self.context}
        return functools.partial(self.function, **{name: given[name] for name in self.takes})

    def judge(self, answer: object, expected: Expected) -> Outcome:
        """Return what an answer counts as."""
        try:
            return accepted_values(answer, expected)
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


class Attempt:
    """Runs an implementation in a task of its own within a time limit.

    ``outcome`` is done when the call ends, or at its deadline; what comes later is dropped. Where others held the loop
    up over the deadline, what is ready counts. At its deadline the task is cancelled, and ``grace`` seconds later it is
    dropped, whatever it does about that.
    """

    def __init__(
        self,
        implementation: Implementation,
        arguments: Mapping[str, object],
        expected: Expected,
        limit: float,
        *,
        clock: Clock,
        grace: float,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.implementation = implementation
        self.outcome: asyncio.Future[Outcome] = loop.create_future()
        self.seconds = 0.0
        self._limit = limit
        self._clock = clock
        self._grace = grace
        self._time = loop.time
        self._began = loop.time()
        self._coroutine = _Droppable(self._run(implementation.call(arguments), expected))
        self.task: asyncio.Task[None] = loop.create_task(self._coroutine)
        self._alarm: Alarm = clock.call_later(limit, self._expire)
        self.task.add_done_callback(self._end)

    def abandon(self) -> None:
        """Break the call off: cancel it, and drop it when it is still there after the grace."""
        self._alarm.cancel()
        if not self.task.done():
            self.task.cancel()
            self._alarm = self._clock.call_later(self._grace, self.drop)

    def drop(self) -> None:
        """Drive the task no further."""
        self._coroutine.dropped = True
        self.task.cancel()

    async def _run(self, function: Callable[[], Any], expected: Expected) -> None:
        one = self.implementation
        try:
            answer = await (function() if one.is_async else run_in_pool(one.threads, function))
            if not one.is_async and inspect.isawaitable(answer):
                answer = await answer
            outcome = one.judge(answer, expected)
        except BaseException as error:  # SystemExit too: the task would pass it on to the loop
            outcome = failure_of(error, one.home, one.plugin_name)
        self._conclude(one.late(self._limit) if self._coroutine.held_loop() > self._limit else outcome)

    def _end(self, _task: asyncio.Task[None]) -> None:
        self._alarm.cancel()
        self._conclude(
            self.implementation.failed("it was broken off")
        )  # before its first step, or where it was dropped

    def _expire(self) -> None:
        if self._time() - self._began - self._limit > _LATE:
            self._alarm = self._clock.call_later(_ANOTHER_TURN, self._give_up)
        else:
            self._give_up()

    def _give_up(self) -> None:
        self._conclude(self.implementation.late(self._limit))
        self.abandon()

    def _conclude(self, outcome: Outcome) -> None:
        if not self.outcome.done():
            self.seconds = self._time() - self._began
            self.outcome.set_result(outcome)


class _Droppable(Coroutine[Any, Any, None]):
    """A coroutine that is driven no further once it is ``dropped``, and that knows how long it has held the loop."""

    def __init__(self, inner: Coroutine[Any, Any, None]) -> None:
        self._inner = inner
        self._time = asyncio.get_running_loop().time
        self.dropped = False
        self._seconds = 0.0
        self._began = self._time()

    def held_loop(self) -> float:
        """Return for how many seconds it has held the loop, the step that runs included."""
        return self._seconds + self._time() - self._began

    def send(self, value: Any) -> Any:
        return self._step(self._inner.send, value)

    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> Any:
        if not self.dropped:
            return self._step(self._inner.throw, error)
        # Neither closed nor collected: it would only refuse again. The breaker sees to it that these are few.
        _undriven.append(self._inner)
        raise asyncio.CancelledError

    def _step(self, go_on: Callable[[Any], Any], value: Any) -> Any:
        self._began = self._time()
        yielded = go_on(value)
        self._seconds += self._time() - self._began
        return yielded

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, None]:
        return self._inner.__await__()


_undriven: list[object] = []


def run_plain(one: Implementation, arguments: Mapping[str, object], expected: Expected, limit: float) -> Outcome:
    """Run a plain function in a thread of its plugin's and wait for it, ``limit`` seconds at most.

    One that hangs is abandoned. The user's Ctrl-C reaches this thread, and is raised.
    """
    if one.is_async:
        return WrongAnswerError("an async function, where only a plain one can be called")
    function = one.call(arguments)

    def run() -> Outcome:
        try:
            return one.judge(function(), expected)
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
