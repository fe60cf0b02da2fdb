"""While the server is away, late or hangs, this machine's own index answers, and no turn waits for it."""

import os
import signal
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from statistics import median

import pytest

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.store import SharedStore
from tests.postgres.opening import is_shared, open_shared, until

TURNS = 30


async def turn(store: SharedStore) -> float:
    begun = time.monotonic()
    hits = (await store.search(Query("garden gate"))).hits
    assert [hit.text for hit in hits] == ["the garden gate is green"]
    return time.monotonic() - begun


@pytest.fixture
async def own_server(binaries: Path, short_folder: Path) -> AsyncIterator[OwnServer]:
    server = OwnServer(short_folder / "s", safe=False)
    with server.running():
        yield server


@pytest.fixture
def told(tmp_path: Path) -> MemoryWorkspace:
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), "a1")
    return workspace


async def test_a_server_that_hangs_holds_no_turn_up_and_is_used_again_afterwards(
    own_server: OwnServer, told: MemoryWorkspace
):
    store = await open_shared(told.path, own_server, uuid.uuid4().hex, search_seconds=0.25)
    processes: list[int] = []
    try:
        await store.flush()
        assert is_shared(store)
        await turn(store)
        processes = [own_server.status().process, *children(own_server.status().process)]
        for process in processes:
            with suppress(ProcessLookupError):  # one that served a connection may have ended just now
                os.kill(process, signal.SIGSTOP)
        times = [await turn(store) for _ in range(TURNS)]
        assert max(times[:3]) < 2.0
        assert median(times[3:]) < 0.1
        assert "answers too late" in store.status().reason
    finally:
        for process in processes:
            with suppress(ProcessLookupError):  # one that served a connection may be gone with it
                os.kill(process, signal.SIGCONT)
        try:
            await until(lambda: is_shared(store))
            await turn(store)
        finally:
            await store.close()


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    named = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in named.read_text().split()]


async def test_what_is_said_while_the_server_is_stopped_reaches_it_later(own_server: OwnServer, told: MemoryWorkspace):
    tenant = uuid.uuid4().hex
    store = await open_shared(told.path, own_server, tenant)
    try:
        await store.flush()
        own_server.stop()
        await turn(store)
        await turn(store)
        assert not is_shared(store)
        store.notify(told.note(Note("the cabin key is under the mat"), "a2"))
        await store.flush()
        assert "under the mat" in (await store.search(Query("cabin key"))).hits[0].text
        await until(lambda: (store.status().unsent_bytes or 0) > 0)
        own_server.start()
        await until(lambda: is_shared(store))
        await store.flush()
        await until(lambda: store.status().unsent_bytes == 0)
    finally:
        await store.close()
    other = MemoryWorkspace(told.path / "other")
    second = await open_shared(other.path, own_server, tenant)
    try:
        assert "under the mat" in (await second.search(Query("cabin key"))).hits[0].text
    finally:
        await second.close()


async def test_a_connection_that_died_while_it_waited_costs_nothing(server: OwnServer, told: MemoryWorkspace):
    import psycopg

    store = await open_shared(told.path, server, uuid.uuid4().hex)
    try:
        await store.flush()
        await turn(store)
        with psycopg.connect(server.administrator_dsn, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE usename = 'memory' AND datname = current_database()"
            )
        await turn(store)
        assert is_shared(store)
    finally:
        await store.close()


async def test_an_address_that_is_none_is_named_without_what_stands_in_it(told: MemoryWorkspace):
    store = await open_shared(told.path, None, "nobody", dsn="host=db password=Quiet7harbor wrong")
    try:
        status = store.status()
    finally:
        await store.close()
    assert "no address of a PostgreSQL server" in status.reason
    assert "Quiet7harbor" not in status.reason + status.hint
