"""One call of one implementation, in a task of its own that nothing gets out of."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core.clock import Alarm
from nanobot_memory_plugins.core.host.plugins.implementation import Implementation
from nanobot_memory_plugins.core.isolation.answers import (
    Expected,
    WrongAnswerError,
    accepted_values,
    close_async_generators,
    discard_answer,
)
from nanobot_memory_plugins.core.isolation.bounds import TooLargeError
from nanobot_memory_plugins.core.isolation.failure import Failure, failure_of, is_the_users_interrupt
from nanobot_memory_plugins.core.isolation.sandbox import PluginCoroutine, end_task
from nanobot_memory_plugins.core.isolation.threads import run_in_pool
from nanobot_memory_plugins.core.isolation.tracebacks import log_traceback

# A loop that comes so much after a deadline was held up; how long an implementation may then take to end.
_LATE = 0.01
_ANOTHER_TURN = 0.05


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """An answer that counts as none; ``what`` says what it was, without its value."""

    what: str


# What has become of an attempt: the values of its answer, an answer of the wrong type, or a failure.
Outcome = tuple[object, ...] | WrongAnswer | Failure


class Attempt(PluginCoroutine):
    """Runs an implementation within its time limit.

    ``outcome`` is set once and ``on_end`` is called then: when the implementation ends, or at its deadline.
    What comes later is dropped. The time starts with the first step of the implementation, so that another
    one that blocks the loop does not use it up; where it was held up over the deadline, what is ready counts.
    """

    __slots__ = (
        "_abandoned",
        "_deadline",
        "_limit",
        "_on_end",
        "_own_seconds",
        "_task",
        "_timer",
        "_told",
        "_waited_on",
        "implementation",
        "outcome",
        "permit",
    )

    def __init__(
        self,
        implementation: Implementation,
        permit: int,
        arguments: tuple[list[object], Mapping[str, object]],
        expected: Expected,
        limit: float,
        on_end: Callable[[], None],
    ) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(implementation.sandbox, loop, _call(implementation, arguments, expected))
        self.implementation = implementation
        self.permit = permit
        self.outcome: Outcome | None = None
        self._limit = limit
        self._deadline = 0.0
        self._on_end = on_end
        self._timer: Alarm | None = None
        self._abandoned = False
        self._told = False
        self._own_seconds = 0.0
        self._waited_on = False
        task: asyncio.Task[None] = asyncio.Task(self, loop=loop, name=implementation.name)
        self._task: asyncio.Task[None] | None = task
        implementation.sandbox.tasks.add(task)

    def send(self, value: Any) -> Any:
        """Advance the implementation; its end, of whatever kind, is the outcome."""
        if self._timer is None:
            self._deadline = self._loop.time() + self._limit
            self._timer = self._sandbox.clock.call_later(self._limit, self._expire)
        began = self._loop.time()
        try:
            try:
                return super().send(value)
            finally:
                self._own_seconds += self._loop.time() - began
        except BaseException as error:
            self._ended(error)
        raise StopIteration

    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> Any:
        """Raise an exception in the implementation; abandoned, it is dropped the second time."""
        self.dropped = self.dropped or self._told
        self._told = self._abandoned
        try:
            return super().throw(error)
        except BaseException as end:
            self._ended(end)
        raise StopIteration

    def abandon(self) -> None:
        """Break the implementation off: cancel it, and drop it when it is still there after the grace."""
        self._on_end = _nothing
        self._abandoned = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None and not self._loop.is_closed():
            end_task(self._task, drop=False)
            if self._killer is None:
                self._killer = self._sandbox.clock.call_later(self._sandbox.grace_seconds, self._kill)

    def _ended(self, error: BaseException) -> None:
        """Note how the implementation ended; StopIteration carries what it returned."""
        if self._timer is not None:
            self._timer.cancel()
        if self._killer is not None:
            self._killer.cancel()
        if self._task is not None:
            self._sandbox.tasks.discard(self._task)
            self._task = None
        if is_the_users_interrupt(error):
            raise error
        if self.outcome is not None:
            return
        if self._deadline and self._loop.time() > self._deadline and not self._was_held_up():
            self._conclude(self._overtime(self.implementation.home.definition))
        elif isinstance(error, StopIteration):
            self._conclude(error.value)
        else:
            log_traceback(self.implementation.plugin_name, error)
            self._conclude(failure_of(error, self.implementation.home))

    def _expire(self) -> None:
        """End the attempt at its deadline; where others held the loop up, what is ready gets another turn first."""
        if self.outcome is not None:
            return
        if self._was_held_up():
            self._waited_on = True
            self._deadline = self._loop.time() + _ANOTHER_TURN
            self._timer = self._sandbox.clock.call_later(_ANOTHER_TURN, self._expire)
        else:
            self._conclude(self._overtime(self.implementation.home.place_of_coroutine(self._inner)))
            self.abandon()

    def _was_held_up(self) -> bool:
        """Return whether others held the loop up over the deadline: so nobody could have answered in time."""
        return not self._waited_on and self._loop.time() - self._deadline - self._own_seconds > _LATE

    def _kill(self) -> None:
        if self._task is not None:
            end_task(self._task, drop=True)

    def _overtime(self, place: str) -> Failure:
        return Failure(reason=f"no answer within {self._limit:g} s", place=place)

    def _conclude(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._on_end()


def _nothing() -> None:
    """Do nothing."""


async def _call(
    implementation: Implementation,
    arguments: tuple[list[object], Mapping[str, object]],
    expected: Expected,
) -> Outcome:
    """Call an implementation and sort its answer."""
    positional, named = arguments
    if implementation.is_async:
        answer = await implementation.function(*positional, **named)
    else:
        answer = await run_in_pool(implementation.sandbox.threads, implementation.function, *positional, **named)
        if inspect.isawaitable(answer):
            answer = await answer
    try:
        return accepted_values(answer, expected)
    except WrongAnswerError as error:
        wrong: Outcome = WrongAnswer(str(error))
    except TooLargeError as error:
        wrong = Failure(reason=str(error), place=implementation.home.definition)
    discard_answer(answer)
    await close_async_generators(answer)
    return wrong
