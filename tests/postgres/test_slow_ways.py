"""Over a slow way everything is sent, though no search waits for it; and a slow model is not the server's fault."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
from psycopg import pq

from nanobot_memory_plugins.core import Erasure, MemoryHost, StoreError
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.database.shipping import Shipment
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.search.documents import FileChange, FileState
from tests.postgres.opening import open_shared
from tests.postgres.slow_way import slow_way
from tests.postgres.test_entries import HOME, MACHINES, Machines, until
from tests.postgres.test_faults import is_shared
from tests.postgres.test_forgetting import asked, configured, on_the_server
from tests.postgres.test_move import Machine
from tests.postgres.test_no_leaks import documents

# Both ways together, as each answer waits: 150 ms each, and a limit of a search that this is too slow for.
ROUND_TRIP, LIMIT = 0.3, 0.25


async def test_what_a_machine_far_away_keeps_is_sent(server: OwnServer, tmp_path: Path):
    tenant, workspace = uuid.uuid4().hex, MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), str(uuid.uuid4()))
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)
    with slow_way(server.dsn) as (way, dsn):
        way.delay = ROUND_TRIP
        store = await open_shared(tmp_path, server, tenant, dsn=dsn, search_seconds=LIMIT)
        try:
            await until(lambda: len(asked(server, tenant, "c.id", "chunk c")) == 1)
            store.notify(workspace.note(Note("the cabin key is under the mat"), str(uuid.uuid4())))
            await store.flush()
            assert len(asked(server, tenant, "c.id", "chunk c")) == 2
            assert store.status().unsent_bytes == 0
            begun = time.monotonic()
            assert "garden" in (await store.search(Query("garden gate"))).hits[0].text
            assert time.monotonic() - begun < 5
            assert "slow" in store.status().reason
            told = [one.state for one in await store.findings() if "searches" in str(one.state)]
            assert len(told) == 1
            way.delay = 0.0
            await until(lambda: is_shared(store))
        finally:
            await store.close()


@pytest.mark.slow
async def test_entries_and_orders_reach_a_machine_far_away(server: OwnServer, tmp_path: Path):
    with slow_way(server.dsn) as (way, dsn):
        way.delay = ROUND_TRIP
        machines = Machines(tmp_path, server, uuid.uuid4().hex, dsn=dsn, searchSeconds=LIMIT)
        secret = "The cabin at Lake Wolfsheim is rented from Greta Haldersen"
        MemoryWorkspace(tmp_path / "laptop").note(Note(secret), str(uuid.uuid4()))
        await machines.on(*MACHINES)
        try:
            machines.tell("laptop", HOME)
            await until(lambda: all(machines.texts(one) == [HOME] for one in MACHINES), 60)
            await until(lambda: on_the_server(server, machines.tenant) == ["laptop"], 60)
        finally:
            await machines.off()
    near = configured(server, machines.tenant, "desktop")
    async with MemoryHost(tmp_path / "desktop", config=near) as memory:
        await until(lambda: is_shared(memory.store))
        await memory.eraser.erase(Erasure(texts=(secret,)))
    with slow_way(server.dsn) as (way, dsn):
        way.delay = ROUND_TRIP
        far = configured(server, machines.tenant, "laptop", dsn=dsn, searchSeconds=LIMIT)
        async with MemoryHost(tmp_path / "laptop", config=far):
            notes = tmp_path / "laptop" / "memory"
            await until(lambda: not any("Haldersen" in one.read_text() for one in notes.glob("*.md")), 60)


def test_a_memory_moves_over_a_slow_way(server: OwnServer, tmp_path: Path):
    laptop = Machine(tmp_path, "laptop")
    laptop.memory.note(Note("the garden gate is green"), str(uuid.uuid4()))
    with slow_way(server.dsn) as (way, dsn):
        way.delay = ROUND_TRIP
        moved = laptop.run("move", "--to", "postgres", "--dsn", dsn, "--tenant", uuid.uuid4().hex)
    assert moved["count"] == 1


class SlowModel:
    """A model that takes longer for a question than a search waits for the server."""

    name, dimension, seconds = "slow", 4, 0.8

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        asked_for = [texts] if isinstance(texts, str) else list(texts)
        if isinstance(texts, str):
            time.sleep(self.seconds)
        return [[1.0, float(len(text) % 7), 0.5, 0.25] for text in asked_for]


@pytest.fixture
def told(tmp_path: Path) -> MemoryWorkspace:
    workspace = MemoryWorkspace(tmp_path / "far")
    workspace.note(Note("the garden gate is green"), str(uuid.uuid4()))
    return workspace


async def test_a_slow_model_does_not_make_the_server_late(server: OwnServer, told: MemoryWorkspace, tmp_path: Path):
    tenant = uuid.uuid4().hex
    far = await open_shared(told.path, server, tenant, machine="far")
    await far.flush()
    await far.close()
    store = await open_shared(tmp_path / "near", server, tenant, lent=SlowModel(), machine="near", search_seconds=2)
    try:
        await until(lambda: is_shared(store))
        store._questions._limit = 0.6  # less than the model takes, and more than this server does
        for number in range(4):
            hits = (await store.search(Query(f"which colour has garden gate number {number}"))).hits
            assert [hit.path.partition(":")[0] for hit in hits] == ["far"]
        assert is_shared(store)
    finally:
        await store.close()


async def test_a_turn_that_ends_while_the_model_works_blames_no_server(
    server: OwnServer, told: MemoryWorkspace, tmp_path: Path
):
    import asyncio

    store = await open_shared(tmp_path / "near", server, uuid.uuid4().hex, lent=SlowModel())
    try:
        await until(lambda: is_shared(store))
        for number in range(4):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await store.search(Query(f"which colour has gate number {number}"))
        assert is_shared(store)
        assert store._server._failures == 0
    finally:
        await store.close()


@pytest.mark.parametrize("large_from", [1, 20_000], ids=["large", "small"])
def test_a_message_takes_two_round_trips(server: OwnServer, large_from: int):
    name = uuid.uuid4().hex
    found = documents("garden", 1)
    with slow_way(server.dsn) as (way, dsn), connect(dsn) as connection:
        schema.prepare(connection, 16)
        shipment = Shipment(connection, TenantOwner(Tenant.named(name), name, "laptop"), large_from=large_from)
        state = FileState("memory/garden.md", 1, "", 1, 0)
        turns = []
        for one in found[:30]:
            before = way.turns
            shipment.apply(FileChange("memory/garden.md", state, (one,)))
            turns.append(way.turns - before)
    assert median(turns) == 2
    assert len(asked(server, name, "c.id", "chunk c")) == 30


def test_what_breaks_within_leaves_no_transaction_behind(server: OwnServer):
    name = uuid.uuid4().hex
    (one, other) = documents("garden", 1)[:2]
    state = FileState("memory/garden.md", 1, "", 1, 0)
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)
        shipment = Shipment(connection, TenantOwner(Tenant.named(name), name, "laptop"), large_from=200)
        broken = replace(state, size=2**70)  # what the server refuses, at the end of all
        with pytest.raises(StoreError):
            shipment.apply(FileChange("memory/garden.md", broken, (one,)))
        assert connection.info.transaction_status == pq.TransactionStatus.IDLE
        assert asked(server, name, "c.id", "chunk c") == []
        shipment.apply(FileChange("memory/garden.md", state, (other,)))
        assert len(asked(server, name, "c.id", "chunk c")) == 1
