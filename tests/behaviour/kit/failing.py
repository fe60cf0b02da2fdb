"""Plugins that fail, each in one way and at every hook, and a good one that tells whether anybody noticed."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from nanobot_memory_plugins.core import ContextBlock, Finding, Note, Summary, hookimpl

SECRET = "the-text-of-an-exception-is-not-logged"
HOOKS = (
    *("on_message_received", "on_tool_executed", "on_session_idle", "before_compaction", "on_turn_finished"),
    *("on_draft_written", "trim_bootstrap", "prompt_entries", "contribute_tools", "on_start", "on_stop"),
    *("diagnose", "open_store"),
)
# Long enough that nobody waits for it.
_FAR = 300.0
_released = threading.Event()


class Own(BaseException):
    """Derived from BaseException itself."""


def release() -> None:
    """Let every thread go that hangs."""
    _released.set()


def _raising(error: Callable[[], BaseException]) -> Callable[[], object]:
    def function() -> object:
        raise error()

    return function


def _deeper() -> None:
    _deeper()


class _Poisoned:
    @property
    def __class__(self) -> Any:
        raise Own(SECRET)

    def _poison(self, *_: object) -> Any:
        raise SystemExit(SECRET)

    __bool__ = __len__ = __iter__ = __repr__ = __str__ = __eq__ = __hash__ = __getattr__ = _poison


class _Endless(list[object]):
    def __iter__(self) -> Iterator[Any]:
        while True:
            yield Note("again")


async def _hang() -> None:
    await asyncio.get_running_loop().create_future()


async def _spin() -> None:
    while True:  # spinning is the point
        await asyncio.sleep(0)


async def _swallow() -> None:
    while True:
        with contextlib.suppress(BaseException):
            await _hang()


async def _answer_a_cancellation() -> Note:
    with contextlib.suppress(asyncio.CancelledError):
        await _hang()
    return Note(SECRET)


async def _exit_when_cancelled() -> None:
    try:
        await _hang()
    finally:
        sys.exit(SECRET)


def _hang_in_a_thread() -> Note:
    _released.wait(_FAR)
    return Note(SECRET)


async def _cancel() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


# What fails at once, as a plain function and as an async one.
_AT_ONCE: dict[str, Callable[[], object]] = {
    "raises": _raising(lambda: ValueError(SECRET)),
    "raises its own BaseException": _raising(lambda: Own(SECRET)),
    "raises a group that exits": _raising(lambda: BaseExceptionGroup(SECRET, [SystemExit(SECRET)])),
    "exits": lambda: sys.exit(SECRET),
    "interrupts": _raising(lambda: KeyboardInterrupt(SECRET)),
    "raises a cancellation": _raising(lambda: asyncio.CancelledError(SECRET)),
    "raises GeneratorExit": _raising(lambda: GeneratorExit(SECRET)),
    "raises StopIteration": _raising(lambda: StopIteration(SECRET)),
    "recurses": _deeper,
    "answers with an object": lambda: {"tldr": SECRET},
    "answers with text among notes": lambda: [Note("good"), SECRET],
    "answers with a poisoned object": lambda: [_Poisoned()],
    "answers with an endless list": lambda: _Endless([1]),
    "answers with half a note": lambda: object.__new__(Note),
    "answers with values of wrong types": lambda: [Note(None), ContextBlock([SECRET]), Summary(b"x", "y")],  # type: ignore[arg-type,list-item]
    "answers with a long text": lambda: [ContextBlock("flood " * 1_000_000), Note("flood " * 1_000_000)],
    "answers with many values": lambda: [Note("flood")] * 20_000,
}
_ASYNC: dict[str, Callable[[], object]] = {
    "cancels itself": _cancel,
}
AT_ONCE = (*_AT_ONCE, *_ASYNC)
HANGING: dict[str, Callable[[], object]] = {
    "hangs": _hang,
    "spins": _spin,
    "swallows cancellation": _swallow,
    "answers a cancellation": _answer_a_cancellation,
    "exits when cancelled": _exit_when_cancelled,
    "hangs in a thread": _hang_in_a_thread,
}


def _coroutine(function: Callable[[], object]) -> Callable[[], object]:
    async def call() -> object:
        return function()

    return call


def _copy(function: Callable[[], object]) -> Callable[[], object]:
    if asyncio.iscoroutinefunction(function):

        async def call() -> object:
            return await function()

        return call
    return lambda: function()


def failing(how: str, *, is_async: bool = False) -> dict[str, object]:
    """Return the implementations of all hooks by a plugin that fails in this way."""
    function = {**_AT_ONCE, **_ASYNC, **HANGING}[how]
    if is_async and how in _AT_ONCE:
        function = _coroutine(function)
    # A diagnosis may take a minute, which is too long for a test.
    hooks = [hook for hook in HOOKS if how not in HANGING or hook != "diagnose"]
    return {hook: hookimpl(_copy(function)) for hook in hooks}


def witness(name: str) -> dict[str, object]:
    """Return a plugin that answers at every hook, so that it is missed where somebody else's failure costs it that."""

    async def run(arguments: object, *, session_key: str) -> str:
        return f"{name}: looked up"

    tool = SimpleNamespace(name=f"{name}_tool", description=name, parameters={"type": "object"}, run=run)
    answers: dict[str, Callable[..., object]] = {
        "on_message_received": lambda: [ContextBlock(f"{name}: block"), Note(f"{name}: message")],
        "on_tool_executed": lambda: Note(f"{name}: tool"),
        "on_session_idle": lambda: Note(f"{name}: idle"),
        "before_compaction": lambda: [Note(f"{name}: compaction"), Summary(f"{name}: summary")],
        "on_turn_finished": lambda: Note(f"{name}: turn"),
        "on_draft_written": lambda: ContextBlock(f"{name}: draft"),
        "trim_bootstrap": lambda files: {file: f"{text} {name}." for file, text in files.items()},
        "contribute_tools": lambda: tool,
        "diagnose": lambda: Finding(name, "well"),
    }
    return {hook: hookimpl(function) for hook, function in answers.items()}
