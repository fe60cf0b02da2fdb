"""The lag of an event loop: by how much its ticks are late, apart from what other processes took of the processor."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

_TICK = 0.005
_THREADS = Path("/proc/self/task")


@asynccontextmanager
async def loop_lags() -> AsyncIterator[list[float]]:
    """Yield a list that grows by the lag of each tick, in seconds, until the block ends.

    What one thread of this process waited for a processor in a tick, the one that waited most, is taken off: on a busy
    machine that is the lag of other programs. Where the kernel does not tell it (`proc(5)`, ``schedstat``), nothing is.
    """
    lags: list[float] = []

    async def tick() -> None:
        while True:
            before = waits_for_a_processor()
            began = time.perf_counter()
            await asyncio.sleep(_TICK)
            late = time.perf_counter() - began - _TICK
            if late > _TICK:
                late -= min(late, most_waited(before, waits_for_a_processor()))
            lags.append(late)

    ticking = asyncio.create_task(tick())
    try:
        yield lags
    finally:
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking


def waits_for_a_processor() -> dict[str, float]:
    """Return the seconds that each thread of this process, as far as it runs still, stood in the kernel's queue."""
    waits: dict[str, float] = {}
    with suppress(OSError):
        for thread in os.listdir(_THREADS):
            with suppress(OSError, ValueError, IndexError):
                waits[thread] = int((_THREADS / thread / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    return waits


def most_waited(before: dict[str, float], after: dict[str, float]) -> float:
    """Return how long the thread waited between two looks that waited most, in seconds."""
    return max((after[one] - before.get(one, 0.0) for one in after), default=0.0)
