"""Waiting for what happens in another thread or process: a public condition, looked at until it holds."""

import asyncio
import time
from collections.abc import Callable


async def until(condition: Callable[[], object], what: str, *, seconds: float = 60.0) -> None:
    """Look at a condition until it holds; fail where it does not in a generous time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not come"
        await asyncio.sleep(0.02)


def until_now(condition: Callable[[], object], what: str, *, seconds: float = 60.0) -> None:
    """Do the same where no event loop runs."""
    asyncio.run(until(condition, what, seconds=seconds))
