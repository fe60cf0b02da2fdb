"""What the tests of the loop's lag measure: a loop that is blocked is seen, whatever else the process does."""

import asyncio
import hashlib
import threading
import time

from tests.support.loop_lag import loop_lags

BLOCKED = 0.5


async def test_a_blocked_loop_is_seen_beside_threads_that_fill_the_machine():
    ended = threading.Event()
    data = bytes(1_000_000)

    def work() -> None:
        while not ended.is_set():
            hashlib.sha256(data)  # without the interpreter's lock

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    seen: list[float] = []
    try:
        while len(seen) < 10 and max(seen, default=0.0) <= BLOCKED / 10:  # other programs may take all of one round
            async with loop_lags() as lags:
                await asyncio.sleep(0.05)
                time.sleep(BLOCKED)  # noqa: ASYNC251 - what is to be seen
                await asyncio.sleep(0.05)
            seen.append(max(lags))
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert max(seen) > BLOCKED / 10
