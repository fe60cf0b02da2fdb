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

    What the threads of this process waited for a processor in a tick is taken off: on a busy machine that is the lag of
    other programs. Where the kernel does not tell it (`proc(5)`, ``schedstat``), nothing is.
    """
    lags: list[float] = []

    async def tick() -> None:
        while True:
            waited = _waited_for_a_processor()
            began = time.perf_counter()
            await asyncio.sleep(_TICK)
            late = time.perf_counter() - began - _TICK
            lags.append(late - min(late, max(0.0, _waited_for_a_processor() - waited)) if late > _TICK else late)

    ticking = asyncio.create_task(tick())
    try:
        yield lags
    finally:
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking


def _waited_for_a_processor() -> float:
    """Return the seconds that the threads of this process, as far as they run still, stood in the kernel's queue."""
    waited = 0
    with suppress(OSError):
        for thread in os.listdir(_THREADS):
            with suppress(OSError, ValueError, IndexError):
                waited += int((_THREADS / thread / "schedstat").read_text(encoding="ascii").split()[1])
    return waited / 1e9
