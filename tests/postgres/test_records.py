"""What a machine wrote is on the server record by record, once, and a receipt says when."""

import uuid
from dataclasses import replace
from pathlib import Path

import psycopg

from nanobot_memory_plugins.core import MemoryHost, Note, Receipt
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.spill_format import SpilledRecord
from nanobot_memory_plugins.core.host.shared_receipts import receipt_now
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.database.shipping import Shipment
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.search.documents import FileChange, FileRecord, FileState
from tests.postgres.neighbour import OWN, neighbour
from tests.postgres.opening import open_shared
from tests.postgres.test_forgetting import asked, configured, sent
from tests.postgres.test_no_leaks import documents


async def test_a_receipt_says_local_and_later_shared(server: OwnServer, tmp_path: Path):
    async with MemoryHost(tmp_path, config=configured(server, uuid.uuid4().hex, "laptop")) as memory:
        receipt = await memory.message_sent(session_key="cli:direct", text="The harbour is closed on Monday.")
        assert receipt.kept == "local"
        await sent(memory)
        now = await receipt_now(memory.store, receipt)
        assert (now.kept, now.id) == ("shared", receipt.id)
        assert memory.store.status().kept == "shared"


async def test_a_receipt_stays_local_without_a_server(tmp_path: Path):
    receipt = Receipt(stored=True, id="01954f3e-8a2b-7c3d-9e4f-5a6b7c8d9e0f")
    store = await open_shared(tmp_path, None, "nobody")
    try:
        assert (await receipt_now(store, receipt)).kept == "local"
    finally:
        await store.close()


async def test_a_record_is_on_the_server_byte_for_byte_and_once(server: OwnServer, tmp_path: Path):
    tenant = uuid.uuid4().hex
    for _ in range(2):
        async with MemoryHost(tmp_path, config=configured(server, tenant, "laptop")) as memory:
            await memory.message_sent(session_key="cli:direct", text="港口星期一关闭。" * 200)
            await memory.keep(Note("the garden gate is green"))
            await sent(memory)
        with psycopg.connect(server.dsn) as connection:
            connection.execute("DELETE FROM nanobot_memory.file")  # as if no answer had ever come back
    rows = asked(server, tenant, 'e.path, e."offset", e.body, e.id::text', "record e")
    assert len(rows) == 4
    for path, offset, body, number in rows:
        data = (tmp_path / path).read_bytes()
        assert data[offset : offset + len(body)] == body
        assert number.encode() in body


async def test_two_folders_with_one_record_share_it(server: OwnServer, tmp_path: Path):
    tenant = uuid.uuid4().hex
    for machine in ("laptop", "desktop"):
        workspace = MemoryWorkspace(tmp_path / machine)
        workspace.note(Note("the boat is moored at pier nine"), "01954f3e-8a2b-7c3d-9e4f-5a6b7c8d9e0f")
        store = await open_shared(workspace.path, server, tenant, machine=machine)
        await store.flush()
        await store.close()
    assert len(asked(server, tenant, "e.id", "record e")) == 1


async def test_a_record_stays_where_a_copy_of_it_that_waited_for_a_lock_goes(server: OwnServer, tmp_path: Path):
    """Before it is taken away, a spill file may be sent after the file that its records have come home to."""
    tenant, id_ = uuid.uuid4().hex, str(uuid.uuid4())
    workspace, paths = MemoryWorkspace(tmp_path), MemoryPaths.of(tmp_path)
    daily = workspace.note(Note("the garden gate is green"), id_)
    store = await open_shared(tmp_path, server, tenant)
    try:
        await store.flush()
        said = asked(server, tenant, "e.path, e.body", "record e")
        paths.spill.mkdir()
        spill = paths.spill / "1-0a.spill"
        spill.write_bytes(SpilledRecord(daily, daily.read_bytes()).encoded(paths))
        store.notify(spill)
        await store.flush()
        assert len(asked(server, tenant, "c.path", "chunk c")) == 2
        assert asked(server, tenant, "e.path, e.body", "record e") == said
        spill.unlink()
        store.notify(spill)
        await store.flush()
    finally:
        await store.close()
    assert asked(server, tenant, "c.path", "chunk c") == [("memory/" + daily.name,)]
    assert asked(server, tenant, "e.path, e.body", "record e") == said


async def test_what_is_forgotten_leaves_the_records_of_all_machines(server: OwnServer, tmp_path: Path):
    tenant = uuid.uuid4().hex
    for machine in ("desktop", "laptop"):
        async with MemoryHost(tmp_path / machine, config=configured(server, tenant, machine)) as memory:
            await memory.keep(Note("The cabin is rented from Greta Haldersen"))
            await memory.keep(Note("the garden gate is green"))
            await sent(memory)
            if machine == "laptop":
                await memory.eraser.erase(Erasure(texts=("The cabin is rented from Greta Haldersen",)))
                await sent(memory)
    bodies = [bytes(row[0]) for row in asked(server, tenant, "e.body", "record e") if row[0] is not None]
    assert sum(b"garden gate" in body for body in bodies) == 2
    assert not any(b"Haldersen" in body for body in bodies)


async def test_a_neighbour_is_forgotten_nothing_of_and_sees_no_record(server: OwnServer, tmp_path: Path):
    tenant = uuid.uuid4().hex
    async with neighbour(server, tmp_path, "garden gate", "Haldersen", machine="laptop"):
        async with MemoryHost(tmp_path / "laptop", config=configured(server, tenant, "laptop")) as memory:
            await memory.keep(Note("The cabin is rented from Greta Haldersen"))
            await memory.keep(Note("the garden gate is green"))
            await memory.keep(Note(OWN))  # what he has as well
            await sent(memory)
            await memory.eraser.erase(Erasure(texts=("The cabin is rented from Greta Haldersen", OWN)))
            await sent(memory)
        bodies = [bytes(row[0]) for row in asked(server, tenant, "e.body", "record e") if row[0] is not None]
    assert any(b"garden gate" in body for body in bodies)
    assert not any(b"Haldersen" in body or b"Sigrid" in body for body in bodies)


def test_a_record_stays_where_a_second_passage_of_it_goes(server: OwnServer):
    name, id_ = uuid.uuid4().hex, str(uuid.uuid4())
    path, raw = "memory/garden.md", b"### 10:00 the garden gate\n"
    document = replace(documents("garden", 1)[0], key=f"{path}#{id_}", path=path)
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)
        shipment = Shipment(connection, TenantOwner(Tenant.named(name), name, "laptop"), large_from=20_000)
        state = FileState(path, 1, "", 1, 0)
        # A sender that began while the one before it was still writing takes the passage for one that stands there.
        for key in (document.key, f"{document.key}~2"):
            shipment.apply(FileChange(path, state, (replace(document, key=key),), records=(FileRecord(key, 0, raw),)))
        assert len(asked(server, name, "c.id", "chunk c")) == 2
        shipment.apply(FileChange(path, state, removed_keys=frozenset({f"{document.key}~2"})))
        assert len(asked(server, name, "c.id", "chunk c")) == 1
        assert [str(row[0]) for row in asked(server, name, "r.id", "record r")] == [id_]
        shipment.apply(FileChange(path, state, removed_keys=frozenset({document.key})))
        assert asked(server, name, "r.id", "record r") == []
