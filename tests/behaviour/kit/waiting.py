"""Waiting for what other threads and processes do, with a bound that no busy machine reaches."""

import asyncio
import time
from collections.abc import Callable

LONGEST = 120.0


async def until(is_so: Callable[[], object]) -> None:
    """Return once something is so. Raises `TimeoutError` after two minutes."""
    ends = time.monotonic() + LONGEST
    while not is_so():
        if time.monotonic() > ends:
            raise TimeoutError("it never was so")
        await asyncio.sleep(0.01)
