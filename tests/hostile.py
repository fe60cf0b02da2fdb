"""A zoo of plugins that do harm, each in one way, to show that their host does not notice.

``HOSTILE`` maps a name to a function that builds the plugin for one hook: ``HOSTILE["raises_async"](hook)``
is an object to register. ``SYNC`` names those that a synchronous call waits for no time; the others hang or are async.
``release()`` lets every thread go that hangs on purpose; call it at the end of a test session.

None of them answers anything that could be accepted, but ``slow_*``: those answer a good note, far too late.
"""

import asyncio
import contextlib
import contextvars
import inspect
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from types import SimpleNamespace
from typing import Any

from nanobot_memory_plugins.core import hookspecs
from nanobot_memory_plugins.core.hookspecs import hookimpl
from nanobot_memory_plugins.core.values import ContextBlock, Note, Summary

# Long enough that nobody waits for it, short enough that a broken host ends some day.
FAR_TOO_LONG = 300.0
SECRET = "the-exception-text-must-not-be-logged"
LEAKING_VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("leaking", default="untouched")

_released = threading.Event()

HOOKS: dict[str, tuple[str, ...]] = {
    name: tuple(inspect.signature(value).parameters)
    for name, value in vars(hookspecs).items()
    if inspect.isfunction(value) and hasattr(value, f"{hookspecs.PROJECT_NAME}_spec")
}


class OwnBaseException(BaseException):
    """Derived from BaseException itself."""


def release() -> None:
    """Let every hanging thread go."""
    _released.set()


def plugin(hook: str, function: Callable[..., Any]) -> object:
    """Build a plugin with one implementation."""
    return SimpleNamespace(**{hook: hookimpl(function)})


def _recurse() -> None:
    _recurse()


def _raisers() -> dict[str, Callable[[], object]]:
    def raising(error: Callable[[], BaseException]) -> Callable[[], object]:
        def function() -> object:
            raise error()

        return function

    return {
        "raises": raising(lambda: ValueError(SECRET)),
        "exits": lambda: sys.exit(SECRET),
        "interrupts": raising(lambda: KeyboardInterrupt(SECRET)),
        "raises_generator_exit": raising(lambda: GeneratorExit(SECRET)),
        "raises_cancelled": raising(lambda: asyncio.CancelledError(SECRET)),
        "raises_stop_iteration": raising(lambda: StopIteration(SECRET)),
        "raises_stop_async_iteration": raising(lambda: StopAsyncIteration(SECRET)),
        "raises_timeout": raising(lambda: TimeoutError(SECRET)),
        "raises_own_base": raising(lambda: OwnBaseException(SECRET)),
        "raises_group": raising(lambda: ExceptionGroup(SECRET, [ValueError(SECRET), OSError(SECRET)])),
        "raises_base_group": raising(lambda: BaseExceptionGroup(SECRET, [SystemExit(SECRET)])),
        "raises_memory_error": raising(lambda: MemoryError(SECRET)),
        "recurses": _recurse,
    }


class _Poisoned:
    """Raises whenever somebody looks at it."""

    @property
    def __class__(self) -> Any:
        raise OwnBaseException(SECRET)

    def _poison(self, *_: object) -> Any:
        raise SystemExit(SECRET)

    __bool__ = __len__ = __iter__ = __repr__ = __str__ = __eq__ = __hash__ = __getattr__ = _poison


class _EndlessList(list[object]):
    def __iter__(self) -> Iterator[Any]:
        while True:
            yield Note("again")


class _PoisonedNote(Note):
    """A note whose text exits."""

    @property
    def tldr(self) -> str:  # type: ignore[override]
        sys.exit(SECRET)


async def _never_awaited() -> None:
    """Be a coroutine that nobody awaits."""


async def _async_generator() -> AsyncIterator[Note]:
    yield Note("from a generator")


def _generator() -> Iterator[Note]:
    yield Note("from a generator")


def _garbage() -> dict[str, Callable[[], object]]:
    return {
        "number": lambda: 42,
        "text": lambda: SECRET,
        "dict": lambda: {"tldr": SECRET},
        "object": lambda: object(),
        "class": lambda: Note,
        "list_with_text": lambda: [Note("good"), SECRET],
        "nested_list": lambda: [[Note("good")]],
        "list_with_none": lambda: [None],
        "set": lambda: {1, 2},
        "coroutine_in_list": lambda: [_never_awaited()],
        "generator": _generator,
        "generator_in_list": lambda: [_generator()],
        "async_generator": _async_generator,
        "poisoned": lambda: _Poisoned(),
        "poisoned_in_list": lambda: [_Poisoned()],
        "endless_list": lambda: _EndlessList([1]),
        "note_without_fields": lambda: object.__new__(Note),
        "note_with_wrong_fields": lambda: Note(tldr=None, details=object(), tags=7),  # type: ignore[arg-type]
        "poisoned_note": lambda: object.__new__(_PoisonedNote),
        "block_with_wrong_text": lambda: ContextBlock(text=[SECRET]),  # type: ignore[arg-type]
        "summary_with_wrong_text": lambda: Summary(text=b"\xff", keep_from="x"),  # type: ignore[arg-type]
    }


async def _hang() -> None:
    await asyncio.get_running_loop().create_future()


async def _slow() -> Note:
    await asyncio.sleep(FAR_TOO_LONG)
    return Note("too late")


def _slow_sync() -> Note:
    _released.wait(FAR_TOO_LONG)
    return Note("too late")


def _slow_coroutine_from_thread() -> object:
    _released.wait(FAR_TOO_LONG)
    return _never_awaited()


async def _spin() -> None:
    while True:  # spinning is the point
        await asyncio.sleep(0)


async def _swallow_once() -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await _hang()
    await _hang()


async def _swallow_for_ever() -> None:
    while True:
        with contextlib.suppress(BaseException):
            await _hang()


async def _swallow_spinning() -> None:
    while True:
        with contextlib.suppress(BaseException):
            await _spin()


async def _swallow_and_answer() -> Note:
    try:
        await _hang()
    except asyncio.CancelledError:
        return Note("answered a cancellation")
    return Note("never")


async def _refuse_cancel_with_exit() -> None:
    try:
        await _hang()
    finally:
        sys.exit(SECRET)


async def _hang_in_default_executor() -> None:
    await asyncio.to_thread(_released.wait, FAR_TOO_LONG)


async def _hang_in_default_executor_of_a_task() -> None:
    await asyncio.wait_for(asyncio.to_thread(_released.wait, FAR_TOO_LONG), FAR_TOO_LONG)


async def _hang_in_shield() -> None:
    await asyncio.shield(asyncio.ensure_future(_swallow_for_ever()))


async def _cancel_current() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def _cancel_current_and_return() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


def _cancel_current_sync() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


class _OddAwaitable:
    def __await__(self) -> Iterator[Any]:
        yield "not a future"


_leaked: set[object] = set()


async def _leak_task() -> None:
    _leaked.add(asyncio.create_task(_hang()))


async def _leak_swallowing_tasks() -> None:
    async def leak_more() -> None:
        _leaked.add(asyncio.create_task(_swallow_for_ever()))
        await _swallow_for_ever()

    _leaked.add(asyncio.create_task(leak_more()))
    await asyncio.sleep(0)


async def _leak_failing_tasks() -> None:
    async def fail(error: BaseException) -> None:
        raise error

    for error in (
        ValueError(SECRET),
        SystemExit(SECRET),
        KeyboardInterrupt(SECRET),
        OwnBaseException(SECRET),
    ):
        _leaked.add(asyncio.ensure_future(fail(error)))
    await asyncio.sleep(0)


async def _leak_executor_work() -> None:
    asyncio.get_running_loop().run_in_executor(None, _released.wait, FAR_TOO_LONG)


async def _leak_thread() -> None:
    threading.Thread(target=_released.wait, args=(FAR_TOO_LONG,)).start()


def _leak_thread_sync() -> None:
    threading.Thread(target=_released.wait, args=(FAR_TOO_LONG,)).start()


async def _change_context_variable() -> None:
    LEAKING_VARIABLE.set("changed")


def _change_context_variable_sync() -> None:
    LEAKING_VARIABLE.set("changed")


async def _change_loop() -> None:
    loop = asyncio.get_running_loop()
    loop.set_task_factory(lambda *_, **__: sys.exit(SECRET))


def _mutating(hook: str) -> Callable[..., None]:
    """Build an implementation that takes every argument of the hook and tries to change it."""

    def mutate(**arguments: Any) -> None:
        for value in arguments.values():
            for change in (
                lambda value: setattr(value, "text", "changed"),
                lambda value: value.clear(),
                lambda value: value.__setitem__(0, "changed"),
                lambda value: value.update(changed=True),
                lambda value: value.append("changed"),
            ):
                with contextlib.suppress(Exception):
                    change(value)

    names = HOOKS[hook]
    scope: dict[str, Any] = {"mutate": mutate}
    exec(f"def changes({', '.join(names)}):\n    mutate({', '.join(f'{n}={n}' for n in names)})", scope)
    return scope["changes"]  # type: ignore[no-any-return]


def _asynchronous(function: Callable[[], object]) -> Callable[[], object]:
    async def call() -> object:
        return function()

    return call


def _build() -> tuple[dict[str, Callable[[str], object]], frozenset[str]]:
    zoo: dict[str, Callable[[str], object]] = {}
    sync: set[str] = set()

    def add(name: str, function: Callable[..., Any], *, may_run_inline: bool = False) -> None:
        zoo[name] = lambda hook: plugin(hook, function)
        if may_run_inline:
            sync.add(name)

    for name, function in _raisers().items():
        add(f"{name}_sync", function, may_run_inline=True)
        add(f"{name}_async", _asynchronous(function))
    for name, function in _garbage().items():
        add(f"garbage_{name}_sync", function, may_run_inline=True)
        add(f"garbage_{name}_async", _asynchronous(function))
    for function in (
        _hang,
        _slow,
        _slow_sync,
        _slow_coroutine_from_thread,
        _spin,
        _swallow_once,
        _swallow_for_ever,
        _swallow_spinning,
        _swallow_and_answer,
        _refuse_cancel_with_exit,
        _hang_in_default_executor,
        _hang_in_default_executor_of_a_task,
        _hang_in_shield,
        _cancel_current,
        _cancel_current_and_return,
        _leak_task,
        _leak_swallowing_tasks,
        _leak_failing_tasks,
        _leak_executor_work,
        _leak_thread,
        _change_context_variable,
        _change_loop,
    ):
        add(function.__name__.strip("_"), function)
    for function in (_cancel_current_sync, _leak_thread_sync, _change_context_variable_sync):
        add(function.__name__.strip("_"), function, may_run_inline=True)
    add("returns_coroutine_that_exits", lambda: _refuse_cancel_with_exit())
    add("returns_odd_awaitable", lambda: _OddAwaitable())
    zoo["changes_arguments"] = lambda hook: plugin(hook, _mutating(hook))
    sync.add("changes_arguments")
    return zoo, frozenset(sync)


HOSTILE, SYNC = _build()
