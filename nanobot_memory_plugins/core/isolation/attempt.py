"""One call of one implementation, in a task or a thread of its own that nothing gets out of but its answer."""

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

# A loop that comes so much after a deadline was held up; what is ready then gets so long to end. In seconds.
_LATE = 0.01
_ANOTHER_TURN = 0.05

# What has become of an attempt: the values of its answer, or a failure.
Outcome = tuple[object, ...] | Failure


class CircuitBreaker:
    """Counts the failures in a row of one implementation, and leaves it alone for a while. It knows the last reason.

    So many as ``most`` let it rest for ``rest_seconds``, and after that each one more does, until one call succeeds.
    What ends during a rest began before it, and counts for nothing.
    """

    __slots__ = ("_clock", "_most", "_rest_seconds", "_resting_until", "failures", "reason")

    def __init__(self, most: int, rest_seconds: float, clock: Clock) -> None:
        self.failures = 0
        self.reason = ""
        self._most = most
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._resting_until: float | None = None

    @property
    def resting(self) -> bool:
        """Whether it is not to be called now."""
        return self._resting_until is not None and self._clock.monotonic() < self._resting_until

    def succeed(self) -> bool:
        """Count a success; true when it is the first after a rest."""
        if self.resting:
            return False
        ends = self._resting_until is not None
        self.failures, self._resting_until = 0, None
        return ends

    def fail(self, reason: str = "") -> bool:
        """Count a failure; true when it begins a rest, false when it only prolongs one."""
        self.reason = reason
        if self.resting:
            return False
        begins = self._resting_until is None
        self.failures += 1
        if self.failures >= self._most:
            self._resting_until = self._clock.monotonic() + self._rest_seconds
        return begins and self.failures >= self._most


@dataclass(frozen=True, slots=True, eq=False)
class Implementation:
    """A plugin's function for one hook, with all that its calls need. It ``takes`` these arguments of the hook.

    Its answer holds values of the types in ``accepts``. Plain functions run in the plugin's ``threads``.
    """

    plugin_name: str
    hook: str
    function: Callable[..., Any]
    takes: frozenset[str]
    accepts: tuple[type, ...]
    is_async: bool
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
            return self.failed(f"it answered with {error}")

    def raised(self, error: BaseException) -> Failure:
        """Return the failure that an exception is."""
        return failure_of(error, self.function, self.plugin_name)

    def failed(self, reason: str) -> Failure:
        """Return a failure without an exception."""
        return Failure(reason=reason, place=place_of(self.function))

    def late(self, limit: float) -> Failure:
        """Return the failure to answer within so many seconds."""
        return self.failed(Sentence("no answer within {limit:g} s", limit=limit))


class Attempt:
    """Runs an implementation in a ``task`` of its own, which ends with the outcome.

    Whoever holds the event loop for more than ``limit`` seconds is late, though the answer is there before anybody
    could look. ``seconds`` is how long it took, the limit where it has not ended.
    """

    def __init__(self, implementation: Implementation, arguments: Mapping[str, object], limit: float) -> None:
        self.implementation = implementation
        self.seconds = limit
        self._limit = limit
        self._held = 0.0  # seconds for which it held the event loop
        self._is_dropped = False
        self.task = asyncio.create_task(self._run(implementation.call(arguments)))

    def outcome(self) -> Outcome:
        """Return what has become of it by now."""
        if not self.task.done():
            return self.implementation.late(self._limit)
        if self.task.cancelled():  # before its first step
            return self.implementation.failed("it was broken off")
        return self.task.result()

    def abandon(self, clock: Clock, grace: float) -> None:
        """Cancel it where it has not ended, and drop it ``grace`` seconds later, whatever it does about that."""
        if not self.task.done():
            self.task.cancel()
            alarm = clock.call_later(grace, self._drop)
            self.task.add_done_callback(lambda _: alarm.cancel())

    def _drop(self) -> None:
        self._is_dropped = True
        self.task.cancel()

    async def _run(self, function: Callable[[], Any]) -> Outcome:
        one, now = self.implementation, asyncio.get_running_loop().time
        began = now()
        outcome: Outcome
        try:
            outcome = one.judge(await self._driven(_answer(one, function)))
        except BaseException as error:  # SystemExit too: the task would pass it on to the loop
            outcome = one.raised(error)
        self.seconds = now() - began
        return one.late(self._limit) if self._held > self._limit else outcome

    @types.coroutine
    def _driven(self, work: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Drive some work step by step, as an await does, until it ends or is dropped."""
        now = asyncio.get_running_loop().time
        step: Callable[[], Any] = functools.partial(work.send, None)
        while True:
            began = now()
            try:
                waits_for = step()
            except StopIteration as ended:
                return ended.value
            finally:
                self._held += now() - began
            try:
                step = functools.partial(work.send, (yield waits_for))
            except BaseException as error:  # its cancellation
                if self._is_dropped:
                    never_collect(work)  # it would only refuse again; the breaker sees to it that these are few
                    raise
                step = functools.partial(work.throw, error)


async def _answer(one: Implementation, function: Callable[[], Any]) -> Any:
    answer = function() if one.is_async else await run_in_pool(one.threads, function)
    return await answer if inspect.isawaitable(answer) else answer


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
        return one.failed("an async function, where only a plain one can be called")
    function = one.call(arguments)

    def run() -> Outcome:
        try:
            return one.judge(function())
        except BaseException as error:
            return one.raised(error)

    try:
        work = one.threads.submit(contextvars.copy_context().run, run)
    except RuntimeError:
        return one.failed("no thread can be started")
    try:
        return work.result(limit)
    except TimeoutError:
        work.cancel()
        return one.late(limit)
