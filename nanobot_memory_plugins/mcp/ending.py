"""How a server ends: by itself, or by a signal, and then within a bound."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any


async def until_told_to_end(serve: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a server until it ends by itself or a signal asks for it."""
    async with _told_to_end() as ended:
        serving, told = asyncio.create_task(serve()), asyncio.create_task(ended.wait())
        try:
            await asyncio.wait({serving, told}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end_both(serving, told)


async def end_both(serving: "asyncio.Task[None]", other: "asyncio.Task[Any]") -> None:
    """Cancel what still runs of two tasks. Raises what the first one has failed with."""
    serving.cancel()
    other.cancel()
    failed, _ = await asyncio.gather(serving, other, return_exceptions=True)
    if isinstance(failed, Exception):
        raise failed


@contextlib.asynccontextmanager
async def _told_to_end() -> AsyncIterator[asyncio.Event]:
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))
    with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows has Ctrl-C as an exception
        for number in numbers:
            loop.add_signal_handler(number, ended.set)
    try:
        yield ended
    finally:
        with contextlib.suppress(NotImplementedError, RuntimeError):
            for number in numbers:
                loop.remove_signal_handler(number)
