"""Two machines, one of which is killed repeatedly, and a server that is killed and restarted."""

import asyncio
import os
import random
import signal
import sys
import uuid
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Note, StoreError
from nanobot_memory_plugins.core.values import Erasure
from tests.behaviour.kit.waiting import until
from tests.postgres.machines import configured, processes_of, rows
from tests.support.files_of import holders_of
from tests.support.postgres_server import OwnServer

SECRET = "The cabin at Lake Wolfsheim is rented from Greta Haldersen"
ROUNDS = 200 if os.environ.get("NANOBOT_MEMORY_LONG") else 8


def kill_server(server: OwnServer) -> None:
    """Kill the server, if it runs, with all of its processes."""
    for one in processes_of(server):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


async def started(server: OwnServer) -> None:
    for _ in range(50):
        with suppress(StoreError):
            await asyncio.to_thread(server.start)
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the server did not start again")


@pytest.mark.slow
async def test_nothing_is_lost_or_duplicated_and_purged_facts_stay_purged(own_server: OwnServer, tmp_path: Path):
    chance, tenant, acknowledged = random.Random(7), uuid.uuid4().hex, set[str]()
    desktop = [str(tmp_path / "desktop"), own_server.dsn, tenant, "desktop"]

    async def lives(memory: MemoryHost, *facts: str) -> None:
        """Run the other machine for a while, with a server that goes away and comes back, then kill it."""
        command = [sys.executable, "-m", "tests.postgres.writer", *desktop, *facts]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        acknowledged.add((await process.stdout.readline()).decode().strip())  # from here on it writes
        for kill in chance.sample([True, False], 2):
            for _ in range(chance.randint(1, 8)):
                fact = f"fact {uuid.uuid4().hex} of laptop"
                if (await memory.keep(Note(fact), session_key="cli:direct")).stored:
                    acknowledged.add(fact)
            await asyncio.sleep(chance.random() / 2)
            if kill:
                kill_server(own_server)
            else:
                await started(own_server)
        process.kill()
        *whole, _ = (await process.stdout.read()).decode().split("\n")
        acknowledged.update(whole)
        await process.wait()

    config = configured(own_server.dsn, tenant, "laptop")
    async with MemoryHost(tmp_path / "laptop", config=config) as memory:
        await memory.keep(Note(SECRET), session_key="cli:direct")
        await lives(memory, SECRET)
        await started(own_server)
        await memory.eraser.erase(Erasure(texts=(SECRET,)))  # while the other machine is off
        assert holders_of(tmp_path / "desktop" / "memory", "Haldersen")
        for _ in range(ROUNDS - 1):
            await lives(memory)
        await started(own_server)
        acknowledged.discard(SECRET)
        async with MemoryHost(tmp_path / "desktop", config=configured(own_server.dsn, tenant, "desktop")) as other:
            await until(lambda: not holders_of(tmp_path / "desktop" / "memory", "Haldersen"))
            # Ordered twice where the server was not found again yet at first.
            await until(lambda: all(body is None for (body,) in rows(own_server, tenant, "body", "forgotten")))
            receipt = await memory.keep(Note("the last word"), session_key="cli:direct")
            for host in (memory, other):
                await until(lambda: host.store.server.is_up)  # noqa: B023
                await host.flush_index()
                assert host.store.status().unsent_bytes == 0
            assert rows(own_server, tenant, "count(*)", "passage", f"AND key LIKE '%%#{receipt.id}'") == [(1,)]
    assert len(acknowledged) > ROUNDS
    kept = Counter(text for (text,) in rows(own_server, tenant, "text", "passage"))
    assert {fact: kept[fact] for fact in acknowledged if kept[fact] != 1} == {}
    assert {text for text, number in kept.items() if number != 1 and text.startswith("fact")} == set()
    for folder in ("laptop", "desktop"):
        assert holders_of(tmp_path / folder / "memory", "Haldersen") == []
    everything = [rows(own_server, tenant, "t::text", f"{table} t") for table in ("passage", "entry", "change")]
    assert "Haldersen" not in str(everything)
