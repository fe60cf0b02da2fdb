"""The entries of many machines are one: each has its file, and what is done to one is done to all."""

import asyncio
import time
import uuid
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.exchange import CONFLICT
from nanobot_memory_plugins.consolidation.operations.one_machine import only_machine
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost, Query
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres.database import entries, forgetting, schema
from nanobot_memory_plugins.postgres.database.connection import Connection, connect
from nanobot_memory_plugins.postgres.database.entries import EntryRow, EntryWrite, Pulled
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.entry_exchange import Agreed, EntryExchange, changed, hash_of, learned
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.test_forgetting import SECRET, asked, configured
from tests.support.files_of import holders_of

HOME, TEA = "The user lives in Kaunas", "The user drinks green tea"
MACHINES = ("laptop", "desktop")


class Machines:
    """Two machines of one tenant, each with its folder, and with a running memory while it is on."""

    def __init__(self, folder: Path, server: OwnServer, tenant: str, **options: Any) -> None:
        self.folder, self.server, self.tenant, self.options = folder, server, tenant, options
        self.stack = AsyncExitStack()

    def entries(self, machine: str) -> EntryRepository:
        return EntryRepository(self.folder / machine)

    def texts(self, machine: str) -> list[str]:
        return sorted(entry.content for entry in self.entries(machine).load().entries.values())

    def agreed(self, machine: str) -> str:
        """What a machine has noted of its exchange with the server."""
        file = self.folder / machine / ".storage" / "entries.json"
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    def host(self, machine: str) -> MemoryHost:
        return MemoryHost(self.folder / machine, config=configured(self.server, self.tenant, machine, **self.options))

    async def on(self, *machines: str) -> list[MemoryHost]:
        return [await self.stack.enter_async_context(self.host(machine)) for machine in machines]

    async def off(self) -> None:
        await self.stack.aclose()
        self.stack = AsyncExitStack()

    async def all_have(self, *texts: str) -> None:
        await until(lambda: all(self.texts(machine) == sorted(texts) for machine in MACHINES))

    def tell(self, machine: str, text: str) -> str:
        before = set(self.entries(machine).load().entries)
        remember(self.entries(machine), NewEntry(text), who="user")
        (id_,) = set(self.entries(machine).load().entries) - before
        return id_

    def change(self, machine: str, id_: str, **values: object) -> None:
        self.entries(machine).update(lambda all_: {**all_, id_: replace(all_[id_], **values)}, who="user", why="edit")


async def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.05)


@pytest.fixture
def machines(server: OwnServer, tmp_path: Path) -> Machines:
    return Machines(tmp_path, server, uuid.uuid4().hex)


async def test_told_on_one_it_stands_in_the_file_of_the_other(machines: Machines):
    await machines.on(*MACHINES)
    try:
        id_ = machines.tell("laptop", HOME)
        machines.tell("desktop", TEA)
        await machines.all_have(HOME, TEA)
        assert id_ in machines.entries("desktop").load().entries
        forget(machines.entries("desktop"), [id_], who="user")
        await machines.all_have(TEA)
    finally:
        await machines.off()


async def test_an_edit_by_hand_reaches_the_other(machines: Machines):
    await machines.on(*MACHINES)
    try:
        machines.tell("laptop", HOME)
        await machines.all_have(HOME)
        file = machines.entries("desktop").path
        file.write_text(file.read_text(encoding="utf-8").replace("Kaunas", "Vilnius"), encoding="utf-8")
        await machines.all_have("The user lives in Vilnius")
    finally:
        await machines.off()


async def test_what_both_change_while_they_are_apart_is_merged_or_both_is_seen(machines: Machines):
    await machines.on(*MACHINES)
    home, tea = machines.tell("laptop", HOME), machines.tell("laptop", TEA)
    await machines.all_have(HOME, TEA)
    await machines.off()
    machines.change("laptop", home, content="The user lives in Vilnius")
    machines.change("desktop", home, pinned=True)
    machines.change("laptop", tea, content="The user drinks black tea")
    machines.change("desktop", tea, content="The user drinks no tea")
    hosts = await machines.on(*MACHINES)
    try:
        await machines.all_have("The user drinks black tea", "The user drinks no tea", "The user lives in Vilnius")
        for machine in MACHINES:
            found = machines.entries(machine).load().entries
            assert found[home].pinned
            assert sum(CONFLICT in entry.tags for entry in found.values()) == 1
        told = [one.state for one in await hosts[0].diagnose() if one.subject == "entries of two machines"]
        assert told == ["1 stand beside what another machine wrote at the same time"]
    finally:
        await machines.off()


async def test_forgotten_while_the_other_was_away_it_is_gone_on_both(machines: Machines):
    laptop, _ = await machines.on(*MACHINES)
    id_ = machines.tell("laptop", SECRET)
    machines.tell("laptop", HOME)
    await machines.all_have(SECRET, HOME)
    await machines.off()
    machines.change("desktop", id_, content=f"{SECRET}, for a year")  # while it is offline
    (laptop,) = await machines.on("laptop")
    await laptop.eraser.erase(Erasure(ids=(id_,), texts=(SECRET,)))
    await until(lambda: machines.texts("laptop") == [HOME])
    await machines.off()
    await machines.on(*MACHINES)
    try:
        await machines.all_have(HOME)
        await until(lambda: not _kept(machines.folder / "desktop"))
        assert not _kept(machines.folder / "laptop")
        for source in ("entry e", "entry_history e"):
            bodies = asked(machines.server, machines.tenant, "e.body", source)
            assert not any("Haldersen" in (body or "") for (body,) in bodies)
        # Neither does it come back when everything is looked at once more.
        await asyncio.sleep(2.5)
        assert machines.texts("laptop") == machines.texts("desktop") == [HOME]
    finally:
        await machines.off()


def _kept(workspace: Path) -> list[str]:
    return holders_of(workspace / "memory", "Haldersen")


@pytest.mark.parametrize("first", MACHINES)
async def test_an_empty_server_gets_everything_again(machines: Machines, first: str):
    import psycopg

    await machines.on(*MACHINES)
    machines.tell("laptop", HOME)
    await machines.all_have(HOME)
    await machines.off()
    with psycopg.connect(machines.server.dsn) as connection:
        for table in ("entry", "entry_history", "file", "machine", "tenant"):
            connection.execute(f"DELETE FROM nanobot_memory.{table}".encode())
    machines.change("desktop", next(iter(machines.entries("desktop").load().entries)), content=TEA)
    await machines.on(first)
    await until(lambda: len(asked(machines.server, machines.tenant, "e.id", "entry e")) == 1)
    await machines.on(*(one for one in MACHINES if one != first))
    try:
        await machines.all_have(TEA)
    finally:
        await machines.off()


async def test_another_tenant_sees_none_of_it(machines: Machines, server: OwnServer, tmp_path: Path):
    stranger = Machines(tmp_path / "stranger", server, uuid.uuid4().hex)
    await machines.on(*MACHINES)
    await stranger.on("laptop")
    try:
        machines.tell("laptop", HOME)
        stranger.tell("laptop", TEA)
        await machines.all_have(HOME)
        await asyncio.sleep(1.5)
        assert stranger.texts("laptop") == [TEA]
        assert machines.texts("laptop") == [HOME]
    finally:
        await machines.off()
        await stranger.off()


async def test_behind_row_level_security_it_is_the_same(walled: OwnServer, agents_dsn: str, tmp_path: Path):
    machines = Machines(tmp_path, walled, uuid.uuid4().hex, dsn=agents_dsn, rls=True)
    laptop, desktop = await machines.on(*MACHINES)
    try:
        id_ = machines.tell("laptop", SECRET)
        machines.tell("desktop", HOME)
        await machines.all_have(SECRET, HOME)
        async with only_machine(desktop.store) as first, only_machine(laptop.store) as second:
            assert (first, second) == (True, False)
        await desktop.eraser.erase(Erasure(ids=(id_,), texts=(SECRET,)))
        await machines.all_have(HOME)
    finally:
        await machines.off()


async def test_nothing_is_pushed_before_what_was_forgotten_elsewhere_is_forgotten_here(
    server: OwnServer, tmp_path: Path
):
    name = uuid.uuid4().hex
    laptop, desktop = (TenantOwner(Tenant.named(name), name, machine) for machine in MACHINES)
    repository = EntryRepository(tmp_path)
    remember(repository, NewEntry(SECRET), who="user")
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)

        async def ask(function: Callable[[Connection], Any]) -> Any:
            return function(connection)

        exchange = EntryExchange(desktop, tmp_path / ".storage", ask)
        for whose in (laptop, desktop):
            forgetting.introduce(connection, whose)
        forgetting.order(connection, laptop, Erasure(texts=(SECRET,)))
        access = RepositoryAccess(repository)
        assert not await exchange.look(access)
        assert asked(server, name, "e.id", "entry e") == []
        for number, _ in forgetting.orders(connection, desktop):
            forgetting.obeyed(connection, desktop, number)
        assert await exchange.look(access)
        assert len(asked(server, name, "e.id", "entry e")) == 1


async def test_what_stands_in_both_files_is_found_once(machines: Machines):
    hosts = await machines.on(*MACHINES)
    try:
        machines.tell("laptop", HOME)
        await machines.all_have(HOME)
        for host in hosts:
            await host.flush_index()
        for host in hosts:
            hits = (await host.search(Query("where does the user live"))).hits
            assert [hit.path for hit in hits if "Kaunas" in hit.text] == ["memory/ENTRIES.md"]
    finally:
        await machines.off()


def test_what_a_server_lost_in_a_failover_is_sent_to_it_again():
    whose = TenantOwner(Tenant.named("any"), "any", "laptop")
    before, now = '{"content": "green tea"}', '{"content": "black tea"}'
    here = {"a": before, "b": now, "c": now}
    agreed = Agreed(9, "", {id_: (3, hash_of(text)) for id_, text in here.items()})
    rows = tuple(EntryRow(id_, uuid.uuid4(), 2, before, forgotten=False, base=before) for id_ in "ab")
    updates, agreed = learned(whose, agreed, Pulled(rows, 5, is_whole=True), here)
    assert [(one.id, one.base, one.theirs) for one in updates] == [("b", before, before)]  # what is here stays
    writes = [(one.id, one.revision, one.body) for one in changed(whose, agreed, here)]
    assert writes == [("b", 2, now), ("c", 0, now)]


def test_after_a_failover_what_two_machines_made_of_one_revision_is_a_conflict():
    whose = TenantOwner(Tenant.named("any"), "any", "laptop")
    ours, theirs = '{"content": "black tea"}', '{"content": "white tea"}'
    agreed = Agreed(9, "", {"a": (3, hash_of(ours))})
    row = EntryRow("a", uuid.uuid4(), 3, theirs, forgotten=False, base=theirs)
    updates, _ = learned(whose, agreed, Pulled((row,), 8, is_whole=True), {"a": ours})
    assert [(one.base, one.theirs) for one in updates] == [("", theirs)]


def test_of_two_changes_of_one_revision_the_second_is_refused(server: OwnServer):
    name = uuid.uuid4().hex
    laptop, desktop = (TenantOwner(Tenant.named(name), name, machine) for machine in MACHINES)
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)

        def push(whose: TenantOwner, revision: int, body: str) -> dict[str, int]:
            with connection.transaction():
                forgetting.introduce(connection, whose)
                version, _ = forgetting.alone(connection, whose)
                return entries.push(connection, whose, [EntryWrite("a", uuid.uuid4(), revision, body)], version)

        assert push(laptop, 0, "one") == {"a": 1}
        assert push(desktop, 0, "two") == {}
        assert push(laptop, 1, "three") == {"a": 2}
        assert push(desktop, 1, "four") == {}
        assert push(desktop, 2, "") == {"a": 3}
        (row,) = entries.pull(connection, laptop, 0, "", {"a": 1}).rows
        assert (row.revision, row.body, row.base) == (3, "", "one")
