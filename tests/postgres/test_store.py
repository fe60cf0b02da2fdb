"""The shared store does what every store does, on a real server, and keeps tenants apart."""

import time
import uuid
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.testing import MemoryWorkspace, StoreContract
from nanobot_memory_plugins.core.testing.workspace import TIME
from nanobot_memory_plugins.core.values import Level, Note, Query, Scope
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import open_shared


class TestTheSharedStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _server(self, server: OwnServer) -> None:
        self.server, self.tenant = server, uuid.uuid4().hex

    async def open(self, workspace: Path) -> Store:
        store = await open_shared(workspace, self.server, self.tenant)
        assert "own index" not in store.status().reason
        return store


class TestALargeTenant(TestTheSharedStore):
    """The same with the index over terms, the counts of terms and everything else that many passages earn."""

    async def open(self, workspace: Path) -> Store:
        return await open_shared(workspace, self.server, self.tenant, large_from=1)


class TestWithoutAServer(StoreContract):
    """This machine's own index answers while the server is away."""

    async def open(self, workspace: Path) -> Store:
        return await open_shared(workspace, None, "nobody")


async def test_it_is_the_server_that_answers(server: OwnServer, tmp_path: Path):
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), "a1")
    store = await open_shared(tmp_path, server, uuid.uuid4().hex)
    try:
        await store.flush()
        await store.local.close()  # from here on it could not answer
        hits = (await store.search(Query("garden gate"))).hits
    finally:
        await store.close()
    assert [hit.text for hit in hits] == ["the garden gate is green"]


async def test_two_machines_know_what_the_other_was_told(server: OwnServer, tmp_path: Path):
    tenant = uuid.uuid4().hex
    laptop, desktop = MemoryWorkspace(tmp_path / "laptop"), MemoryWorkspace(tmp_path / "desktop")
    one = await open_shared(laptop.path, server, tenant, machine="laptop")
    two = await open_shared(desktop.path, server, tenant, machine="desktop")
    try:
        one.notify(laptop.note(Note("the staging database listens on port 6543"), "a1"))
        two.notify(desktop.note(Note("the cabin key is under the mat"), "a1"))
        await one.flush()
        await two.flush()
        (here,) = (await one.search(Query("cabin key"))).hits
        (there,) = (await two.search(Query("staging database"))).hits
        assert (here.text, here.path) == ("the cabin key is under the mat", "desktop:memory/2026-02-16.md")
        assert there.path == "laptop:memory/2026-02-16.md"
        two.notify(desktop.note(Note("the concert begins at half past eight"), "a2"))
        begun = time.monotonic()
        while not any("half past eight" in hit.text for hit in (await one.search(Query("concert begins"))).hits):
            assert time.monotonic() - begun < 2.0
        read = await one.read(here.id)
        assert read is not None
        assert read.text == here.text
    finally:
        await one.close()
        await two.close()


@pytest.mark.parametrize("large_from", [1, 20_000])
async def test_tenants_see_nothing_of_each_other(server: OwnServer, tmp_path: Path, large_from: int):
    stores = []
    for name in ("ana", "bob"):
        workspace = MemoryWorkspace(tmp_path / name)
        for number in range(4):
            workspace.note(Note(f"the safe of {name} opens with key {number}"), f"n{number}")
        stores.append(await open_shared(workspace.path, server, uuid.uuid4().hex, large_from=large_from))
    try:
        for store in stores:
            await store.flush()
        for store, name in zip(stores, ("ana", "bob"), strict=True):
            for query in (Query("the safe opens with key"), Query("", until=TIME + timedelta(days=1))):
                hits = (await store.search(query)).hits
                assert len(hits) == 4
                assert all(f"of {name} " in hit.text for hit in hits)
        other = (await stores[1].search(Query("safe key"))).hits[0]
        assert "of ana" in (await stores[0].read(other.id)).text
    finally:
        for store in stores:
            await store.close()


async def test_what_was_sent_twice_is_there_once(server: OwnServer, tmp_path: Path):
    tenant = uuid.uuid4().hex
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the boat is moored at pier nine"), "a1")
    for _ in range(2):
        store = await open_shared(tmp_path, server, tenant, large_from=1)
        await store.flush()
        await store.close()
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute("DELETE FROM nanobot_memory.file")  # as if no answer had ever come back
    store = await open_shared(tmp_path, server, tenant, large_from=1)
    try:
        await store.flush()
        assert len((await store.search(Query("boat pier"))).hits) == 1
    finally:
        await store.close()
    with psycopg.connect(server.dsn) as connection:
        found = connection.execute(
            "SELECT t.documents, (SELECT count(*) FROM nanobot_memory.chunk c WHERE c.tenant = t.tenant), "
            "(SELECT max(n.documents) FROM nanobot_memory.term n WHERE n.tenant = t.tenant) "
            "FROM nanobot_memory.tenant t WHERE t.name = %s",
            (tenant,),
        ).fetchone()
    assert found == (1, 1, 1)


async def test_while_much_is_being_sent_this_machines_index_answers(server: OwnServer, tmp_path: Path):
    workspace = MemoryWorkspace(tmp_path)
    for number in range(300):
        workspace.note(Note(f"marker{number} " + "the garden gate is green " * 40), f"n{number}")
    store = await open_shared(tmp_path, server, uuid.uuid4().hex)
    try:
        await store.local.flush()
        oldest = (await store.search(Query("marker7"))).hits[0]
        assert "marker7 " in oldest.text
        await store.flush()
        assert "marker7 " in (await store.search(Query("marker7"))).hits[0].text
        assert "being sent" not in store.status().reason
    finally:
        await store.close()


async def test_a_text_with_what_postgres_cannot_hold_is_kept_without_it(server: OwnServer, tmp_path: Path):
    MemoryWorkspace(tmp_path).message("the \0 password-free \ud800 harbour is open", "m1", scope=Scope(session="cli:a"))
    store = await open_shared(tmp_path, server, uuid.uuid4().hex)
    try:
        await store.flush()
        result = await store.search(Query("harbour open"))
    finally:
        await store.close()
    assert len(result.hits) == 1
    assert result.level is Level.FULL_TEXT
