"""The cost of the flush decision after a turn, at 100 and at 10,000 messages."""

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import quiet, report
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

SIZES = (100, 10_000)
TURNS = 200
# Processor microseconds in the background thread, which counts every message.
LIMIT = 500_000
_TEXT = "We decided that invoice {n} is due on day {n} of the month, because Marta is away until then. "


def history(size: int) -> list[dict[str, Any]]:
    """Return ``size`` chat messages."""
    return [{"role": "assistant" if n % 2 else "user", "content": _TEXT.format(n=n) * 3} for n in range(size)]


async def decision_times(size: int, turns: int = TURNS) -> list[float]:
    """Return the processor seconds of each finished turn through `MemoryHost` that does not reach the trigger."""
    messages = history(size)
    config = MemoryConfig.model_validate({"plugins": {"storage": {"enabled": False}, "recall": {"enabled": False}}})
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryHost(Path(folder), config=config, llm=_never) as memory:
            await memory.turn_finished(session_key="s", messages=messages, context_window=10_000_000)
            times = []
            for turn in range(turns):
                messages += history(2) if turn % 2 else history(1)
                started = time.process_time()
                await memory.turn_finished(session_key="s", messages=messages, context_window=10_000_000)
                times.append(time.process_time() - started)
            return times


async def _never(messages: object, *, max_tokens: int, purpose: str) -> str:
    raise AssertionError("nothing is asked below the trigger")


def main() -> None:
    """Print the figures."""
    with quiet():
        # Medians, since garbage collection affects single turns.
        small, large = (median(asyncio.run(decision_times(size))) for size in SIZES)
        report("decision after a turn at 100 messages", small * 1e6, "us")
        report("decision after a turn at 10,000 messages", large * 1e6, "us", limit=LIMIT)


if __name__ == "__main__":
    main()
