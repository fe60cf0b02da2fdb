"""Machines exchange their entries: each has its own file, and all files stay the same."""

import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.consolidation.operations.changes import forget
from nanobot_memory_plugins.consolidation.operations.entry_access import CONFLICT
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost, Query, Scope
from nanobot_memory_plugins.core.values import Erasure
from tests.behaviour.kit.waiting import until
from tests.postgres.machines import Database, configured, rows
from tests.support.files_of import holders_of

HOME, TEA = "The user lives in Kaunas", "The user drinks green tea"
SECRET = "The cabin at Lake Wolfsheim is rented from Greta Haldersen"
MACHINES = ("laptop", "desktop")


class Machines:
    """Two machines of one tenant, each with its folder, and a running memory while it is on."""

    def __init__(self, folder: Path, server: Database, tenant: str) -> None:
        self.folder, self.server, self.tenant = folder, server, tenant
        self.stack = AsyncExitStack()

    def entries(self, machine: str) -> EntryRepository:
        return EntryRepository(self.folder / machine)

    def texts(self, machine: str) -> list[str]:
        return sorted(entry.content for entry in self.entries(machine).load().entries.values())

    async def on(self, *machines: str) -> list[MemoryHost]:
        configs = {machine: configured(self.server.dsn, self.tenant, machine) for machine in machines}
        hosts = [MemoryHost(self.folder / machine, config=config) for machine, config in configs.items()]
        return [await self.stack.enter_async_context(host) for host in hosts]

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


@pytest.fixture
async def machines(server: Database, tmp_path: Path) -> AsyncIterator[Machines]:
    made = Machines(tmp_path, server, uuid.uuid4().hex)
    yield made
    await made.off()


async def test_new_edited_and_removed_entries_reach_the_other_machine_and_are_found_once(machines: Machines):
    hosts = await machines.on(*MACHINES)
    id_ = machines.tell("laptop", HOME)
    machines.tell("desktop", TEA)
    await machines.all_have(HOME, TEA)
    assert id_ in machines.entries("desktop").load().entries
    file = machines.entries("desktop").path
    file.write_text(file.read_text(encoding="utf-8").replace("Kaunas", "Vilnius"), encoding="utf-8")
    await machines.all_have("The user lives in Vilnius", TEA)
    for host in hosts:
        await host.flush_index()
        hits = (await host.search(Query("where does the user live"))).hits
        assert [hit.path for hit in hits if "Vilnius" in hit.text] == ["memory/ENTRIES.md"]
    forget(machines.entries("desktop"), [id_], who="user")
    await machines.all_have(TEA)


async def test_changes_on_both_machines_are_merged_or_both_kept(machines: Machines):
    await machines.on(*MACHINES)
    home, tea = machines.tell("laptop", HOME), machines.tell("laptop", TEA)
    await machines.all_have(HOME, TEA)
    await machines.off()
    machines.change("laptop", home, content="The user lives in Vilnius")
    machines.change("desktop", home, pinned=True)
    machines.change("laptop", tea, content="The user drinks black tea")
    machines.change("desktop", tea, content="The user drinks no tea")
    await machines.on(*MACHINES)
    await machines.all_have("The user drinks black tea", "The user drinks no tea", "The user lives in Vilnius")
    for machine in MACHINES:
        found = machines.entries(machine).load().entries
        assert found[home].pinned
        assert sum(entry.group == CONFLICT for entry in found.values()) == 1


async def test_an_entry_purged_while_the_other_machine_was_away_stays_purged_on_both(machines: Machines):
    await machines.on(*MACHINES)
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
    await machines.all_have(HOME)
    await until(lambda: not holders_of(machines.folder / "desktop" / "memory", "Haldersen"))
    await until(lambda: rows(machines.server, machines.tenant, "body", "forgotten") == [(None,)])
    again = machines.tell("laptop", TEA)  # an exchange later it is still gone
    await machines.all_have(HOME, TEA)
    assert again
    assert not holders_of(machines.folder / "laptop" / "memory", "Haldersen")
    for table in ("entry", "change"):
        bodies = rows(machines.server, machines.tenant, "body", table)
        assert not any("Haldersen" in (body or "") for (body,) in bodies)


async def test_a_lost_file_is_restored_and_an_empty_server_is_filled_again(machines: Machines):
    await machines.on(*MACHINES)
    id_ = machines.tell("laptop", HOME)
    await machines.all_have(HOME)
    await machines.off()
    for file in (machines.folder / "desktop" / "memory").glob("ENTRIES.md*"):
        file.unlink()
    await machines.on(*MACHINES)
    await machines.all_have(HOME)
    await machines.off()
    with psycopg.connect(machines.server.administrator_dsn) as connection:
        for table in ("entry", "change", "file", "machine", "tenant", "passage", "posting"):
            connection.execute(f"DELETE FROM nanobot_memory.{table}".encode())
    machines.change("desktop", id_, content=TEA)
    await machines.on("desktop")
    await until(lambda: len(rows(machines.server, machines.tenant, "id", "entry")) == 1)
    await machines.on("laptop")
    await machines.all_have(TEA)


async def test_purged_words_match_the_text_of_an_entry_and_not_its_kind_or_speaker(machines: Machines):
    (laptop,) = await machines.on("laptop")
    new = NewEntry(TEA, "preference", scope=Scope(user="ann"), source_session="cli:direct")
    remember(machines.entries("laptop"), new, who="user")
    machines.tell("laptop", SECRET)
    await until(lambda: len(rows(machines.server, machines.tenant, "id", "entry")) == 2)
    await laptop.eraser.erase(Erasure(words=("preference", "ann", "direct", "created", "Haldersen")))
    await until(lambda: rows(machines.server, machines.tenant, "id", "entry", "AND forgotten") != [])
    await laptop.flush_index()
    assert machines.texts("laptop") == [TEA]
    assert len(rows(machines.server, machines.tenant, "id", "entry", "AND NOT forgotten")) == 1
