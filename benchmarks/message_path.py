"""How long our work on a message without recall blocks the event loop."""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.measure import report
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

MESSAGES = 200


class _WaitingSelector:
    """The loop's selector, which counts the seconds that the loop waits in it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._selector = loop._selector  # type: ignore[attr-defined]
        self._select = self._selector.select
        self._selector.select = self._timed
        self.waited = 0.0

    def _timed(self, timeout: float | None = None) -> object:
        started = time.perf_counter()
        try:
            return self._select(timeout)
        finally:
            self.waited += time.perf_counter() - started

    def restore(self) -> None:
        self._selector.select = self._select


async def _measure(workspace: Path) -> tuple[list[float], list[float]]:
    """Return for each message the seconds of the loop without its waits, and the seconds of the whole call."""
    held: list[float] = []
    whole: list[float] = []
    # Each message has its own session and scope, so that nothing is recalled.
    config = MemoryConfig.model_validate({"core": {"share": "session"}})
    async with MemoryHost(workspace, config=config) as memory:
        await memory.message_received(session_key="bench:1", text="warm up")
        await memory.flush_index()
        selector = _WaitingSelector(asyncio.get_running_loop())
        for number in range(MESSAGES):
            selector.waited = 0.0
            started = time.perf_counter()
            answer = await memory.message_received(
                session_key=f"bench:{number}", text=f"write a poem about rain, number {number}"
            )
            whole.append(time.perf_counter() - started)
            held.append(whole[-1] - selector.waited)
            if answer.block:
                raise RuntimeError("something was recalled")
        selector.restore()
    return held, whole


def main() -> None:
    """Print the medians and the 95th percentile."""
    with tempfile.TemporaryDirectory() as folder:
        held, whole = asyncio.run(_measure(Path(folder)))
    report("event loop held by a message that is not recalled, median", statistics.median(held) * 1000, "ms", limit=2)
    report("the same, 95th percentile", statistics.quantiles(held, n=20)[-1] * 1000, "ms")
    report("whole call, median", statistics.median(whole) * 1000, "ms")


if __name__ == "__main__":
    main()
