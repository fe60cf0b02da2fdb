"""Calling an implementation while the caller waits in its thread, for hosts that cannot await."""

import asyncio
import contextvars
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from nanobot_memory_plugins.core.host.plugins.attempt import Outcome, WrongAnswer
from nanobot_memory_plugins.core.host.plugins.implementation import Implementation
from nanobot_memory_plugins.core.isolation.answers import Expected, WrongAnswerError, accepted_values, discard_answer
from nanobot_memory_plugins.core.isolation.bounds import TooLargeError
from nanobot_memory_plugins.core.isolation.failure import Failure, failure_of, is_the_users_interrupt
from nanobot_memory_plugins.core.isolation.tracebacks import log_traceback


def run_bounded(
    implementation: Implementation,
    arguments: Mapping[str, object],
    expected: Expected,
    limit: float,
) -> Outcome:
    """Run an implementation in a thread of its plugin's and wait for it, ``limit`` seconds at most.

    One that hangs is left behind. Where no thread can be had it runs in this one. Only the user's Ctrl-C is raised.
    """
    context = contextvars.copy_context()
    try:
        work = implementation.sandbox.threads.submit(
            context.run, run_inline, implementation, arguments, expected, limit
        )
    except RuntimeError:
        return run_inline(implementation, arguments, expected, limit)
    try:
        return work.result(limit)
    except TimeoutError:
        work.cancel()
        return Failure(reason=f"no answer within {limit:g} s", place=implementation.home.definition)


def run_inline(
    implementation: Implementation,
    arguments: Mapping[str, object],
    expected: Expected,
    limit: float,
) -> Outcome:
    """Run an implementation in this thread and return what became of it.

    It is not ended after ``limit`` seconds, but its answer is not used then. Only the user's Ctrl-C is
    raised.
    """
    if implementation.is_async:
        return WrongAnswer("an async function, where only a plain one can be called")
    positional, named = implementation.signature.pick({**arguments, "context": implementation.context})
    clock = implementation.sandbox.clock
    deadline = clock.monotonic() + limit
    answer: object = None
    try:
        with _no_current_task() as loop:
            answer = contextvars.copy_context().run(
                implementation.sandbox.run, loop, lambda: implementation.function(*positional, **named)
            )
        values = accepted_values(answer, expected)
    except WrongAnswerError as error:
        discard_answer(answer)
        return WrongAnswer(str(error))
    except TooLargeError as error:
        discard_answer(answer)
        return Failure(reason=str(error), place=implementation.home.definition)
    except BaseException as error:
        if is_the_users_interrupt(error):
            raise
        log_traceback(implementation.plugin_name, error)
        return failure_of(error, implementation.home)
    if clock.monotonic() > deadline:
        return Failure(reason=f"no answer within {limit:g} s", place=implementation.home.definition)
    return values


@contextmanager
def _no_current_task() -> Iterator[asyncio.AbstractEventLoop | None]:
    """Hide the caller's task from code that runs in its thread: it might cancel it."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        yield None
        return
    task = asyncio.current_task(loop)
    if task is not None:
        asyncio.tasks._leave_task(loop, task)
    try:
        yield loop
    finally:
        if task is not None:
            asyncio.tasks._enter_task(loop, task)
