"""How long the host's loop stands still while a tool returns ten million hostile characters, beside an idle loop.

Vectors are on where an embedding model is installed. Run it with ``uv run python -m benchmarks.loop_lag``.
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
_HOSTILE = {
    "pairs": "pwd=a;",
    "one run": "key:",
    "sentences": "the password is a1b2c3d4! ",
    "Chinese": "密码是",
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
        f"{name:12} median {statistics.median(lags):6.2f} ms  longest {max(lags):7.1f} ms  {len(lags):5} looks  {more}"
    )


async def _idle() -> list[float]:
    ended = asyncio.Event()
    watching = asyncio.create_task(_lags(ended))
    await asyncio.sleep(_IDLE_SECONDS)
    ended.set()
    return await watching


async def _measure() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryHost(Path(folder)) as memory:
            await memory.tool_executed(session_key="a", tool_name="exec", arguments={}, result="warm")
            await memory.flush_index()
            _said("idle", await _idle())
            for kind in ("tool", "message"):
                for name, token in _HOSTILE.items():
                    text = (token * (_SIZE // len(token) + 1))[: _SIZE if kind == "tool" else _SIZE // 10]
                    ended = asyncio.Event()
                    watching = asyncio.create_task(_lags(ended))
                    await asyncio.sleep(0)
                    began, used = time.monotonic(), time.thread_time()
                    if kind == "tool":
                        kept = await memory.tool_executed(
                            session_key="a", tool_name="web_fetch", arguments={}, result=text
                        )
                    else:
                        kept = (await memory.message_received(session_key="a", text=text)).receipt
                    used, took = time.thread_time() - used, time.monotonic() - began
                    await asyncio.sleep(0.2)
                    ended.set()
                    more = f"returned after {took:.2f} s, loop {used * 1000:.1f} ms, stored {kept.stored}"
                    _said(f"{kind} {name}", await watching, more)
            _said("idle", await _idle())


if __name__ == "__main__":
    asyncio.run(_measure())
