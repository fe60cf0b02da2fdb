"""A backup of the server that is restored brings nothing back that a machine knows to be forgotten."""

import asyncio
import time
import uuid
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost, Note
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.going_back import Backup
from tests.postgres.test_entries import until
from tests.postgres.test_forgetting import SECRET, asked, configured, on_the_server, sent, stored

MACHINES = ("laptop", "desktop")
KEPT = "The garden gate is green"


class Shared:
    """Two machines that both know the secret, in a note and in an entry, and a backup of that."""

    def __init__(self, folder: Path, server: OwnServer) -> None:
        self.folder, self.server, self.tenant = folder, server, uuid.uuid4().hex
        with connect(server.dsn) as connection:
            schema.prepare(connection, 16)
        for machine in MACHINES:
            MemoryWorkspace(folder / machine).note(Note(SECRET, f"{SECRET}. {KEPT}."), str(uuid.uuid4()))

    def on(self, machine: str, **options: object) -> MemoryHost:
        config = configured(self.server, self.tenant, machine, **options)
        return MemoryHost(self.folder / machine, config=config)

    async def backed_up(self) -> Backup:
        remember(EntryRepository(self.folder / "laptop"), NewEntry(SECRET), who="user")
        for machine in MACHINES:
            async with self.on(machine) as memory:
                await sent(memory)
                await until(lambda machine=machine: len(self.entries(machine)) == 1)
                await until(lambda: len(asked(self.server, self.tenant, "e.id", "entry e")) == 1)
        return Backup(self.server, self.tenant)

    def entries(self, machine: str) -> list[str]:
        return list(EntryRepository(self.folder / machine).load().entries)

    def unsend_entries(self, machine: str) -> None:
        """Let a machine's file of entries never have been sent: it was written just before the machine went."""
        with psycopg.connect(self.server.dsn) as connection:
            for table in ("chunk", "file"):
                connection.execute(
                    f"DELETE FROM nanobot_memory.{table} c USING nanobot_memory.tenant t WHERE t.name = %s "
                    "AND c.tenant = t.tenant AND c.machine = %s AND c.path = 'memory/ENTRIES.md'".encode(),
                    (self.tenant, machine),
                )

    def held(self) -> list[str]:
        """Return where on the server the secret stands."""
        found = [
            ("chunk", "c.text || c.tldr", "chunk c"),
            ("record", "convert_from(r.body, 'UTF8')", "record r"),
            ("entry", "e.body", "entry e"),
            ("history", "h.body", "entry_history h"),
        ]
        rows = [(name, row) for name, what, source in found for (row,) in asked(self.server, self.tenant, what, source)]
        return sorted({name for name, row in rows if "Haldersen" in (row or "")})

    def kept(self) -> list[str]:
        found = asked(self.server, self.tenant, "c.machine", "chunk c", "AND c.text LIKE '%%garden gate%%' ORDER BY 1")
        return [row[0] for row in found]

    async def forget_on_laptop(self) -> None:
        async with self.on("laptop") as memory:
            await sent(memory)
            (id_,) = self.entries("laptop")
            await memory.eraser.erase(Erasure(ids=(id_,), texts=(SECRET,)))
            await sent(memory)
        assert self.held() == []

    async def obey_on_desktop(self) -> None:
        async with self.on("desktop") as memory:
            await until(lambda: "Haldersen" not in stored(self.folder / "desktop"))
            await sent(memory)
            await until(lambda: (self.folder / "desktop" / "memory" / ".erasure" / "shared.json").is_file())


@pytest.fixture
def shared(server: OwnServer, tmp_path: Path) -> Shared:
    return Shared(tmp_path, server)


async def test_whoever_knows_that_it_was_forgotten_takes_it_off_again(shared: Shared):
    first = "desktop"
    backup = await shared.backed_up()
    await shared.forget_on_laptop()
    await shared.obey_on_desktop()
    backup.restore()
    assert shared.held() == ["chunk", "entry", "history", "record"]
    async with shared.on(first) as memory:  # the other one never comes again
        await until(lambda: shared.held() == [])
        await sent(memory)
        assert shared.kept() == [first]
    for machine in MACHINES:
        async with shared.on(machine) as memory:
            await sent(memory)
            assert "Haldersen" not in stored(shared.folder / machine)
    assert shared.held() == []
    assert shared.kept() == sorted(MACHINES)  # what stood beside it is there, of both


async def test_a_machine_that_was_away_brings_nothing_back_that_it_had_sent_before(shared: Shared):
    backup = await shared.backed_up()
    await shared.forget_on_laptop()
    backup.restore()
    async with shared.on("laptop") as memory:
        await until(lambda: shared.held() == [])
        await sent(memory)
    desktop = MemoryWorkspace(shared.folder / "desktop")
    desktop.note(Note("the cabin key is under the mat"), str(uuid.uuid4()))
    async with shared.on("desktop") as memory:
        await sent(memory)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            assert shared.held() == []
            await asyncio.sleep(0.2)
    assert len(asked(shared.server, shared.tenant, "c.id", "chunk c", "AND c.text LIKE '%%under the mat%%'")) == 1
    assert on_the_server(shared.server, shared.tenant) == []


async def test_no_machine_keeps_a_word_of_what_was_forgotten(shared: Shared):
    await shared.backed_up()
    await shared.forget_on_laptop()
    await shared.obey_on_desktop()
    for machine in MACHINES:
        kept = (shared.folder / machine / "memory" / ".erasure" / "shared.json").read_text(encoding="utf-8")
        assert "Haldersen" not in kept
        assert "Wolfsheim" not in kept
    assert {body for (body,) in asked(shared.server, shared.tenant, "e.body", "erasure e")} == {None}
