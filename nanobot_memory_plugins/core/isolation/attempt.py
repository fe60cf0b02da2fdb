"""One call of one implementation, in a task or thread of its own that only its answer leaves."""

import asyncio
import contextvars
import functools
import inspect
import types
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core.clock import Clock, time_limit
from nanobot_memory_plugins.core.isolation.answers import WrongAnswerError, accepted_values
from nanobot_memory_plugins.core.isolation.failure import Failure, failure_of, place_of
from nanobot_memory_plugins.core.isolation.fork import never_collect
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool, run_in_pool
from nanobot_memory_plugins.redaction.script.messages import Sentence

# If the loop notices a deadline this late, it was blocked, and attempts that are ready get extra seconds to end.
_LATE_SECONDS = 0.01
_EXTRA_SECONDS = 0.05

# The result of an attempt: the values of its answer, or a failure.
Outcome = tuple[object, ...] | Failure


class CircuitBreaker:
    """Counts the consecutive failures of one implementation, and pauses its calls. ``reason`` is that of the last one.

    After ``threshold`` failures it rests for ``rest_seconds``. Every further failure starts another rest, until a call
    succeeds. Calls that end during a rest began before it, and do not count.
    """

    __slots__ = ("_clock", "_rest_seconds", "_resting_until", "_threshold", "failures", "reason")

    def __init__(self, threshold: int, rest_seconds: float, clock: Clock) -> None:
        self.failures = 0
        self.reason = ""
        self._threshold = threshold
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._resting_until: float | None = None

    @property
    def is_resting(self) -> bool:
        """Whether the implementation must not be called now."""
        return self._resting_until is not None and self._clock.monotonic() < self._resting_until

    def succeed(self) -> bool:
        """Count a success, and return whether it is the first one after a rest."""
        if self.is_resting:
            return False
        is_recovery = self._resting_until is not None
        self.failures, self._resting_until = 0, None
        return is_recovery

    def fail(self, reason: str = "") -> bool:
        """Count a failure, and return whether it starts the first rest since the last success."""
        self.reason = reason
        if self.is_resting:
            return False
        has_not_rested = self._resting_until is None
        self.failures += 1
        if self.failures >= self._threshold:
            self._resting_until = self._clock.monotonic() + self._rest_seconds
        return has_not_rested and self.failures >= self._threshold


@dataclass(frozen=True, slots=True, eq=False)
class Implementation:
    """A plugin's function for one hook, with everything that a call needs.

    ``parameters`` are the arguments of the hook that it takes. Synchronous functions run in the plugin's ``threads``.
    """

    plugin_name: str
    hook: str
    function: Callable[..., Any]
    parameters: frozenset[str]
    answer_types: tuple[type, ...]
    is_async: bool
    context: object
    threads: DaemonThreadPool
    breaker: CircuitBreaker

    def bind(self, arguments: Mapping[str, object]) -> Callable[[], Any]:
        """Return a call of the function with the arguments of the hook. Raises `KeyError` if one is missing."""
        available = {**arguments, "context": self.context}
        return functools.partial(self.function, **{name: available[name] for name in self.parameters})

    def check_answer(self, answer: object) -> Outcome:
        """Return the values of an answer, or a failure."""
        try:
            return accepted_values(answer, self.hook, self.answer_types)
        except WrongAnswerError as error:
            return self.failure(f"it answered with {error}")

    def failure_of(self, error: BaseException) -> Failure:
        """Return the failure for an exception."""
        return failure_of(error, self.function, self.plugin_name)

    def failure(self, reason: str) -> Failure:
        """Return a failure without an exception."""
        return Failure(reason=reason, place=place_of(self.function))

    def timeout_failure(self, limit: float) -> Failure:
        """Return the failure to answer within ``limit`` seconds."""
        return self.failure(Sentence("no answer within {limit:g} s", limit=limit))


class Attempt:
    """Runs an implementation in a ``task`` of its own, whose result is the outcome.

    An implementation that blocks the event loop for more than ``limit`` seconds is late, even if its answer is there
    when the loop continues. ``seconds`` is the time that it took, or the limit while it has not ended.
    """

    def __init__(self, implementation: Implementation, arguments: Mapping[str, object], limit: float) -> None:
        self.implementation = implementation
        self.seconds = limit
        self._limit = limit
        self._loop_seconds = 0.0  # for which it has occupied the event loop
        self._is_dropped = False
        self.task = asyncio.create_task(self._run(implementation.bind(arguments)))

    def outcome(self) -> Outcome:
        """Return the outcome so far."""
        if not self.task.done():
            return self.implementation.timeout_failure(self._limit)
        if self.task.cancelled():  # before its first step
            return self.implementation.failure("it was broken off")
        return self.task.result()

    def abandon(self, clock: Clock, grace: float) -> None:
        """Cancel it if it has not ended, and drop it ``grace`` seconds later even if it refuses the cancellation."""
        if not self.task.done():
            self.task.cancel()
            alarm = clock.call_later(grace, self._drop)
            self.task.add_done_callback(lambda _: alarm.cancel())

    def _drop(self) -> None:
        self._is_dropped = True
        self.task.cancel()

    async def _run(self, function: Callable[[], Any]) -> Outcome:
        implementation, now = self.implementation, asyncio.get_running_loop().time
        start = now()
        outcome: Outcome
        try:
            outcome = implementation.check_answer(await self._drive(_answer(implementation, function)))
        except BaseException as error:  # including SystemExit, which the task would pass on to the loop
            outcome = implementation.failure_of(error)
        self.seconds = now() - start
        return implementation.timeout_failure(self._limit) if self._loop_seconds > self._limit else outcome

    @types.coroutine
    def _drive(self, coroutine: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Run a coroutine step by step, as an await does, until it ends or is dropped."""
        now = asyncio.get_running_loop().time
        step: Callable[[], Any] = functools.partial(coroutine.send, None)
        while True:
            start = now()
            try:
                future = step()
            except StopIteration as ended:
                return ended.value
            finally:
                self._loop_seconds += now() - start
            try:
                step = functools.partial(coroutine.send, (yield future))
            except BaseException as error:  # its cancellation
                if self._is_dropped:
                    never_collect(coroutine)  # it would only refuse again; the breaker keeps these few
                    raise
                step = functools.partial(coroutine.throw, error)


async def _answer(implementation: Implementation, function: Callable[[], Any]) -> Any:
    answer = function() if implementation.is_async else await run_in_pool(implementation.threads, function)
    return await answer if inspect.isawaitable(answer) else answer


async def wait_within(attempts: Sequence[Attempt], limit: float, clock: Clock) -> None:
    """Wait until all attempts have ended, or for ``limit`` seconds.

    If something else blocked the event loop beyond the limit, attempts that are ready may still end.
    """
    tasks = [one.task for one in attempts]
    now = asyncio.get_running_loop().time
    start = now()
    try:
        async with time_limit(clock, limit):
            await asyncio.wait(tasks)
    except TimeoutError:
        if now() - start - limit > _LATE_SECONDS:
            await asyncio.wait(tasks, timeout=_EXTRA_SECONDS)


def run_sync(implementation: Implementation, arguments: Mapping[str, object], limit: float) -> Outcome:
    """Run a synchronous function in a thread of its plugin, and wait for at most ``limit`` seconds.

    A function that hangs is abandoned. The user's Ctrl-C is raised in the calling thread.
    """
    if implementation.is_async:
        return implementation.failure("an async function, where only a plain one can be called")
    function = implementation.bind(arguments)

    def run() -> Outcome:
        try:
            return implementation.check_answer(function())
        except BaseException as error:
            return implementation.failure_of(error)

    try:
        future = implementation.threads.submit(contextvars.copy_context().run, run)
    except RuntimeError:
        return implementation.failure("no thread can be started")
    try:
        return future.result(limit)
    except TimeoutError:
        future.cancel()
        return implementation.timeout_failure(limit)
