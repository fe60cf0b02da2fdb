"""A purge on one machine reaches all machines, even one that was away."""

import uuid
from pathlib import Path

from nanobot_memory_plugins.core import MemoryHost, Note, Query
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Erasure
from tests.behaviour.kit.waiting import until
from tests.postgres.machines import Database, configured, open_shared, rows
from tests.support.files_of import text_of
from tests.support.postgres_server import OwnServer

SECRET = "The cabin at Lake Wolfsheim is rented from Greta Haldersen"
GATE = "the garden gate is green"


def stored(workspace: Path) -> str:
    return text_of(workspace / "memory", ".md", ".jsonl")


def on_the_server(server: OwnServer, tenant: str) -> list[str]:
    found = rows(server, tenant, "machine", "passage", "AND text LIKE '%%Haldersen%%'")
    return sorted({machine for (machine,) in found})


async def sent(memory: MemoryHost) -> None:
    await until(lambda: memory.store.server.is_up)
    await memory.flush_index()
    assert memory.store.status().unsent_bytes == 0


async def test_a_purge_reaches_all_machines_and_no_other_tenant(server: Database, tmp_path: Path):
    tenant, stranger = uuid.uuid4().hex, uuid.uuid4().hex
    workspaces = {name: MemoryWorkspace(tmp_path / name) for name in ("laptop", "desktop", "stranger")}
    for workspace in workspaces.values():
        workspace.note(Note(SECRET), str(uuid.uuid4()))
        workspace.note(Note(GATE), str(uuid.uuid4()))
    desktop, laptop = workspaces["desktop"], workspaces["laptop"]
    async with MemoryHost(workspaces["stranger"].path, config=configured(server.dsn, stranger, "laptop")) as memory:
        await sent(memory)
    async with MemoryHost(desktop.path, config=configured(server.dsn, tenant, "desktop")) as memory:
        await sent(memory)
    # Said while the desktop was offline, and not sent yet when it is forgotten.
    desktop.message(f"Remember: {SECRET}, says my aunt.", str(uuid.uuid4()))
    async with MemoryHost(laptop.path, config=configured(server.dsn, tenant, "laptop")) as memory:
        await sent(memory)
        assert on_the_server(server, tenant) == ["desktop", "laptop"]
        done = await memory.eraser.erase(Erasure(texts=(SECRET,)))
        assert any(trace.where == "the shared memory (desktop)" and trace.removed for trace in done.traces)
        assert {trace.where for trace in done.traces if not trace.removed} == {"the files of the server"}
        await sent(memory)
    assert on_the_server(server, tenant) == []
    assert rows(server, tenant, "path", "file", "AND machine = 'desktop'") == []  # it is to send them anew
    assert "Haldersen" not in stored(laptop.path)
    assert "Haldersen" in stored(desktop.path)
    async with MemoryHost(desktop.path, config=configured(server.dsn, tenant, "desktop")) as memory:

        def is_gone() -> bool:
            assert on_the_server(server, tenant) == []  # it forgets first, and sends then
            return "Haldersen" not in stored(desktop.path)

        await until(is_gone)
        await until(lambda: rows(server, tenant, "body", "forgotten") == [(None,)])
        await sent(memory)
        assert len([hit for hit in (await memory.search(Query("garden gate"))).hits if hit.text == GATE]) == 2
    assert on_the_server(server, tenant) == []
    assert on_the_server(server, stranger) == ["laptop"]
    assert "Haldersen" in stored(workspaces["stranger"].path)
    # Neither the terms nor the vectors of it are left.
    counted = rows(server, tenant, "count(*)", "posting", "AND passage NOT IN (SELECT id FROM nanobot_memory.passage)")
    assert counted == [(0,)]


async def test_files_are_sent_again_after_another_process_erased_their_passages(server: Database, tmp_path: Path):
    tenant = uuid.uuid4().hex
    MemoryWorkspace(tmp_path).write("MEMORY.md", f"## Cabin\n{SECRET}.\n")
    agent = await open_shared(tmp_path, server, tenant)
    await agent.flush()
    command = await open_shared(tmp_path, server, tenant)
    assert await command.forget(Erasure(texts=(SECRET,))) == {agent.owner.machine: 1}
    assert on_the_server(server, tenant) == []
    await agent.flush()
    assert on_the_server(server, tenant) == [agent.owner.machine]
    await command.close()
    await agent.close()


async def test_while_the_server_is_away_nothing_blocks_and_all_purges_are_sent_once_it_is_back(
    own_server: OwnServer, tmp_path: Path
):
    tenant, laptop = uuid.uuid4().hex, MemoryWorkspace(tmp_path / "laptop")
    laptop.note(Note(SECRET), str(uuid.uuid4()))
    async with MemoryHost(laptop.path, config=configured(own_server.dsn, tenant, "laptop")) as memory:
        await sent(memory)
        assert on_the_server(own_server, tenant) == ["laptop"]
        own_server.stop()
        done = await memory.eraser.erase(Erasure(texts=(SECRET,)))
        assert [trace.where for trace in done.traces if trace.waits] == ["the shared memory"]
        await memory.keep(Note("the cabin key is under the mat"), session_key="cli:direct")
        await memory.flush_index()
        assert "under the mat" in (await memory.search(Query("cabin key"))).hits[0].text
        assert "own index" in memory.store.status().reason
        own_server.start()
        await until(lambda: memory.store.server.is_up and on_the_server(own_server, tenant) == [])
        await sent(memory)
    assert ("the cabin key is under the mat",) in rows(own_server, tenant, "text", "passage")
