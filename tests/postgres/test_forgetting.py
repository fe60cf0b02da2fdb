"""Forgotten on one machine is forgotten on all, also on one that was away meanwhile."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

import psycopg

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from nanobot_memory_plugins.core.config import config_from_mapping
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.database.rewriting import rewrite
from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import until
from tests.support.files_of import holders_of, text_of

SECRET = "The cabin at Lake Wolfsheim is rented from Greta Haldersen"


def configured(server: OwnServer, tenant: str, machine: str, **more: Any) -> MemoryConfig:
    shared = {"dsn": server.dsn, "tenant": tenant, "machine": machine, "searchSeconds": 10, **more}
    config, problems = config_from_mapping(
        {"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "postgres": shared}}
    )
    assert not problems
    return config


def stored(workspace: Path) -> str:
    return text_of(workspace / "memory", ".md", ".jsonl")


def on_the_server(server: OwnServer, tenant: str) -> list[str]:
    return [
        row[0] for row in asked(server, tenant, "c.machine", "chunk c", "AND c.text LIKE '%%Haldersen%%' ORDER BY 1")
    ]


def asked(server: OwnServer, tenant: str, what: str, source: str, more: str = "") -> list[Any]:
    joined = f"nanobot_memory.{source} JOIN nanobot_memory.tenant t USING (tenant)"
    sql = f"SELECT {what} FROM {joined} WHERE t.name = %s {more}"
    with psycopg.connect(server.dsn) as connection:
        return connection.execute(sql.encode(), (tenant,)).fetchall()


async def sent(memory: MemoryHost) -> None:
    """Return once the server was reached and has everything, however busy this machine is."""
    async with asyncio.timeout(60):
        while True:
            while "own index" in memory.store.status().reason:
                await asyncio.sleep(0.05)
            await memory.flush_index()
            # A server that is late for a moment passes for one that is away, and then nothing is waited for.
            await memory.store.send_all(lambda unsent: None)
            if memory.store.status().unsent_bytes == 0:
                return


async def test_forgotten_on_one_is_gone_on_both_also_when_the_other_was_away(server: OwnServer, tmp_path: Path):
    tenant = uuid.uuid4().hex
    laptop, desktop = MemoryWorkspace(tmp_path / "laptop"), MemoryWorkspace(tmp_path / "desktop")
    laptop.note(Note(SECRET), "a1")
    desktop.note(Note(SECRET), "b1")
    desktop.note(Note("the garden gate is green"), "b2")
    async with MemoryHost(desktop.path, config=configured(server, tenant, "desktop")) as memory:
        await sent(memory)
    # Said while the desktop was offline, and not sent yet when it is forgotten.
    desktop.message(f"Remember: {SECRET}, says my aunt.", "m1")
    async with MemoryHost(laptop.path, config=configured(server, tenant, "laptop")) as memory:
        await sent(memory)
        assert on_the_server(server, tenant) == ["desktop", "laptop"]
        done = await memory.eraser.erase(Erasure(texts=(SECRET,)))
        assert any(trace.where == "the shared memory (desktop)" and trace.removed for trace in done.traces)
        await sent(memory)
    assert on_the_server(server, tenant) == []
    assert "Haldersen" not in stored(laptop.path)
    assert "Haldersen" in stored(desktop.path)
    async with MemoryHost(desktop.path, config=configured(server, tenant, "desktop")) as memory:

        def is_gone() -> bool:
            assert on_the_server(server, tenant) == []
            return "Haldersen" not in stored(desktop.path)

        await until(is_gone, 60.0)
        await sent(memory)
    assert "Haldersen" not in stored(desktop.path)
    assert "garden gate" in stored(desktop.path)
    assert on_the_server(server, tenant) == []
    assert asked(server, tenant, "e.body", "erasure e") == [(None,)]


async def test_another_tenant_keeps_what_one_forgets(server: OwnServer, tmp_path: Path):
    tenants = [uuid.uuid4().hex, uuid.uuid4().hex]
    for tenant in tenants:
        workspace = MemoryWorkspace(tmp_path / tenant)
        workspace.note(Note(SECRET), "a1")
        async with MemoryHost(workspace.path, config=configured(server, tenant, "laptop")) as memory:
            await sent(memory)
    async with MemoryHost(tmp_path / tenants[0], config=configured(server, tenants[0], "laptop")) as memory:
        await sent(memory)
        await memory.eraser.erase(Erasure(texts=(SECRET,)))
        await sent(memory)
    assert on_the_server(server, tenants[0]) == []
    assert len(on_the_server(server, tenants[1])) == 1
    assert "Haldersen" in stored(tmp_path / tenants[1])


async def test_what_is_forgotten_while_the_server_is_away_is_told_to_it_at_the_next_start(
    binaries: Path, short_folder: Path, tmp_path: Path
):
    server, tenant = OwnServer(short_folder / "s", safe=False), uuid.uuid4().hex
    laptop, desktop = MemoryWorkspace(tmp_path / "laptop"), MemoryWorkspace(tmp_path / "desktop")
    laptop.note(Note(SECRET), "a1")
    desktop.note(Note(SECRET), "b1")
    with server.running():
        for workspace, machine in ((desktop, "desktop"), (laptop, "laptop")):
            async with MemoryHost(workspace.path, config=configured(server, tenant, machine)) as memory:
                await sent(memory)
        assert on_the_server(server, tenant) == ["desktop", "laptop"]
        server.stop()
        async with MemoryHost(laptop.path, config=configured(server, tenant, "laptop")) as memory:
            done = await memory.eraser.erase(Erasure(texts=(SECRET,)))
            assert [trace.where for trace in done.traces if trace.waits] == ["the shared memory"]
        server.start()
        async with MemoryHost(laptop.path, config=configured(server, tenant, "laptop")) as memory:
            await sent(memory)
        assert on_the_server(server, tenant) == []


def in_its_files(server: OwnServer, words: str) -> list[str]:
    """Return the files of the server's tables in which words stand."""
    return [name.rpartition("/")[2] for name in holders_of(server.folder / "data" / "base", words)]


async def test_purge_says_what_is_gone_when_and_a_rewrite_takes_it_out_of_the_tables_files(
    server: OwnServer, tmp_path: Path
):
    tenant, words = uuid.uuid4().hex, f"Haldersen{uuid.uuid4().hex}"
    laptop = MemoryWorkspace(tmp_path / "laptop")
    laptop.note(Note(f"The cabin belongs to {words}"), str(uuid.uuid4()))
    laptop.note(Note("the garden gate is green"), str(uuid.uuid4()))
    async with MemoryHost(laptop.path, config=configured(server, tenant, "laptop")) as memory:
        async with asyncio.timeout(60):
            while not on_the_server(server, tenant):  # on a busy machine it may be reached late
                await memory.flush_index()
                await asyncio.sleep(0.05)
        with psycopg.connect(server.administrator_dsn, autocommit=True) as administrator:
            administrator.execute("ANALYZE")  # as the server does by itself, now and then
        done = await memory.eraser.erase(Erasure(words=(words,)))
        await memory.flush_index()
    left = {trace.where: trace.why for trace in done.traces if not trace.removed}
    assert set(left) == {"the files of its tables on the server", "the server's log, standbys and backups"}
    assert "nanobot-memory postgres rewrite" in left["the files of its tables on the server"]
    assert not done.waits
    with psycopg.connect(server.administrator_dsn, autocommit=True) as administrator:
        administrator.execute("CHECKPOINT")
        assert in_its_files(server, words)
        with connect(server.dsn) as owner:
            lost = rewrite(owner, Tenant.named(tenant))
        administrator.execute("CHECKPOINT")
        assert in_its_files(server, words) == []
        kept = administrator.execute(
            "SELECT count(*) FROM nanobot_memory.chunk WHERE tenant = %s AND text LIKE '%%green%%'",
            [Tenant.named(tenant).id],
        )
        assert kept.fetchone() == (1,)
    parts = {name.rpartition("_")[0] for name in lost if name[-1].isdigit()}
    assert parts == {"chunk", "embedding", "record", "term"}
    assert len([name for name in lost if name.startswith("chunk")]) == 1
