"""How long a tool's hostile result of ten million characters blocks the host's event loop, compared to an idle loop.

Vectors are on if an embedding model is installed. Run it with ``uv run python -m benchmarks.loop_lag``.
"""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from nanobot_memory_plugins.core import MemoryHost

_SIZE = 10_000_000
_EVERY = 0.005
_IDLE_SECONDS = 5.0
_AFTER = {"tool": 0.5, "message": 8.0}
_HOSTILE = {
    "pairs": "pwd=a;",
    "one run": "key:",
    "sentences": "the password is a1b2c3d4! ",
    "Chinese": "密码是",
    "names": "'token': ",
    "table": "| password | a1b2c3d4! |\n",
    "plain prose": "the fox jumps over the dog. ",
}


async def _lags(ended: asyncio.Event) -> list[float]:
    lags = []
    while not ended.is_set():
        began = time.monotonic()
        await asyncio.sleep(_EVERY)
        lags.append((time.monotonic() - began - _EVERY) * 1000)
    return lags


def _said(name: str, lags: list[float], more: str = "") -> None:
    print(
        f"{name:20} median {statistics.median(lags):6.2f} ms  longest {max(lags):7.1f} ms  {len(lags):5} looks  {more}"
    )


async def _idle() -> list[float]:
    ended = asyncio.Event()
    watching = asyncio.create_task(_lags(ended))
    await asyncio.sleep(_IDLE_SECONDS)
    ended.set()
    return await watching


async def _measure_one(memory: MemoryHost, kind: str, name: str, value: object) -> None:
    ended = asyncio.Event()
    watching = asyncio.create_task(_lags(ended))
    await asyncio.sleep(0)
    began, used = time.monotonic(), time.thread_time()
    if kind == "tool":
        kept = await memory.tool_executed(session_key="a", tool_name="web_fetch", arguments={}, result=value)
    else:
        kept = (await memory.message_received(session_key="a", text=str(value))).receipt
    used, took = time.thread_time() - used, time.monotonic() - began
    await asyncio.sleep(_AFTER[kind])  # includes background work
    ended.set()
    is_kept = "pending" if kept.pending else f"stored {kept.stored}"
    _said(f"{kind} {name}", await watching, f"returned after {took:.2f} s, loop {used * 1000:.1f} ms, {is_kept}")


async def _measure() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryHost(Path(folder)) as memory:
            await memory.tool_executed(session_key="a", tool_name="exec", arguments={}, result="warm")
            await memory.flush_index()
            _said("idle", await _idle())
            for name, token in _HOSTILE.items():
                await _measure_one(memory, "tool", name, (token * (_SIZE // len(token) + 1))[:_SIZE])
            rows = [{"id": number, "name": f"n{number}", "tags": ["x", "y"]} for number in range(_SIZE // 40)]
            await _measure_one(memory, "tool", "rows", rows)
            del rows  # otherwise every garbage collection would traverse them
            for name, token in _HOSTILE.items():
                await _measure_one(memory, "message", name, (token * (_SIZE // len(token) + 1))[: _SIZE // 10])
            _said("idle", await _idle())


def main() -> None:
    """Print the delays of the host's loop with each hostile result and message, and without any."""
    asyncio.run(_measure())


if __name__ == "__main__":
    main()
