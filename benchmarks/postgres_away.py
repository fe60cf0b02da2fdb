"""What a turn takes while PostgreSQL is stopped, hangs, or is slow by half a second, beside SQLite in turns.

Each turn is a message that is recalled for, by words, through a whole memory; after the first three the breaker knows.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.measure import quiet, report
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.slow_way import SlowWay, slow_way

TURNS, FIRST = 33, 3
FACTS = 200
LONGER, TIMES = 20.0, 1.2
THERE = "there"
_SLOW_SECONDS = 0.5


def _config(dsn: str) -> MemoryConfig:
    own: dict[str, Any] = {"postgres": {"dsn": dsn, "tenant": "bench"}} if dsn else {"postgres": {"enabled": False}}
    # However late, a turn recalls: what is measured is how long it takes.
    plugins = {
        "recall": {"recallTimeout": 20},
        "storage": {"embedding_provider": "none"},
        "nanobot": {"enabled": False},
        **own,
    }
    return MemoryConfig.model_validate({"plugins": plugins, "core": {"message_limit": 30}})


@asynccontextmanager
async def _memories(folder: Path, dsn: str) -> AsyncIterator[dict[str, MemoryHost]]:
    """Open two memories that were told the same, the one on SQLite alone."""
    async with (
        MemoryHost(folder / "sqlite", config=_config("")) as sqlite,
        MemoryHost(folder / "postgres", config=_config(dsn)) as postgres,
    ):
        memories = {"SQLite": sqlite, "PostgreSQL": postgres}
        for memory in memories.values():
            for number in range(FACTS):
                text = f"The gate of garden number {number} is painted in colour {number * 7}."
                await memory.message_received(session_key=f"s{number}", text=text)
            await memory.flush_index()
        yield memories


async def _turns(memories: dict[str, MemoryHost], state: str) -> None:
    times: dict[str, list[float]] = {name: [] for name in memories}
    for number in range(TURNS):
        for name, memory in memories.items():
            begun = time.perf_counter()
            text = f"What colour is the gate of garden number {number + 3}?"
            answer = await memory.message_received(session_key=f"{state} {number}", text=text)
            times[name].append((time.perf_counter() - begun) * 1e3)
            if not answer.block:
                print(f"  {state}: {name} recalled nothing in turn {number}")
    medians = {name: statistics.median(found[FIRST:]) for name, found in times.items()}
    report(f"{state}: a turn with SQLite, median", medians["SQLite"], "ms")
    report(f"{state}: a turn with PostgreSQL, median", medians["PostgreSQL"], "ms")
    longer, times_as_long = medians["PostgreSQL"] - medians["SQLite"], medians["PostgreSQL"] / medians["SQLite"]
    is_away = state != THERE
    report(f"{state}: longer by", longer, "ms", limit=LONGER if is_away else None)
    report(f"{state}: beside SQLite", times_as_long, "x", limit=TIMES if is_away else None)
    report(f"{state}: the longest of the first three", max(times["PostgreSQL"][:FIRST]), "ms")


def _processes(server: OwnServer) -> list[int]:
    first = server.status().process
    children = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii").split()
    return [first, *map(int, children)]


async def _measure(folder: Path) -> None:
    server = OwnServer(folder / "s", safe=False)
    with server.running(), slow_way(server.dsn) as (way, dsn):
        async with _memories(folder, dsn) as memories:
            await _turns(memories, THERE)
            await _while_slow(way, memories)
            stopped = _processes(server)
            for process in stopped:
                os.kill(process, signal.SIGSTOP)
            try:
                await _turns(memories, "hung")
            finally:
                for process in stopped:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGCONT)
            server.stop()
            await _turns(memories, "stopped")
            server.start()


async def _while_slow(way: SlowWay, memories: dict[str, MemoryHost]) -> None:
    way.delay = _SLOW_SECONDS
    await _turns(memories, "slow")
    way.delay = 0.0


def main() -> None:
    """Print the figures."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    folder.chmod(0o755)
    try:
        with quiet():
            asyncio.run(_measure(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
