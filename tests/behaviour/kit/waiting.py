"""Waiting for what other threads and processes do, with a bound that no busy machine reaches."""

import asyncio
import inspect
import time
from collections.abc import Callable

LONGEST = 120.0


async def until(is_so: Callable[[], object], what: str = "it", *, seconds: float = LONGEST) -> None:
    """Return once something is so, which is asked or awaited. Raises `TimeoutError` after these seconds."""
    ends = time.monotonic() + seconds
    while True:
        answer = is_so()
        if inspect.isawaitable(answer):
            answer = await answer
        if answer:
            return
        if time.monotonic() > ends:
            raise TimeoutError(f"{what} did not come")
        await asyncio.sleep(0.01)


def until_now(is_so: Callable[[], object], what: str = "it", *, seconds: float = LONGEST) -> None:
    """Do the same where no event loop runs."""
    asyncio.run(until(is_so, what, seconds=seconds))
