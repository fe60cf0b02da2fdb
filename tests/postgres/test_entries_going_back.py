"""A server that has lost the last entries gets them again, however much was written to it since."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import Connection, connect
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.entry_exchange import EntryExchange
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.going_back import gone_back
from tests.postgres.test_entries import HOME, MACHINES, TEA, Machines, machines, until  # noqa: F401  # a fixture
from tests.postgres.test_forgetting import asked

LATER = [f"The user has seen film number {number}" for number in range(8)]


async def know(machines: Machines, *texts: str) -> None:  # noqa: F811
    """Let both machines know some texts, and be off."""
    await machines.on(*MACHINES)
    for text in texts:
        machines.tell("laptop", text)
    await machines.all_have(*texts)
    await machines.off()


async def write_more(machines: Machines, machine: str) -> None:  # noqa: F811
    """Let another machine write so much that the server is past where it was before it went back."""
    await machines.on(machine)
    path = machines.folder / machine / ".storage" / "entries.json"
    for text in LATER:
        id_ = machines.tell(machine, text)
        await until(lambda id_=id_: id_ in path.read_text(encoding="utf-8"))
    await machines.off()


async def test_what_was_sent_and_lost_is_sent_again_and_what_came_meanwhile_is_taken_in(
    machines: Machines,  # noqa: F811
):
    await know(machines, HOME)
    with gone_back(machines.server, machines.tenant):
        await machines.on("laptop")
        id_ = machines.tell("laptop", TEA)
        path = machines.folder / "laptop" / ".storage" / "entries.json"
        await until(lambda: id_ in path.read_text(encoding="utf-8"))
        await machines.off()
    await write_more(machines, "desktop")
    await machines.on(*MACHINES)
    try:
        await machines.all_have(HOME, TEA, *LATER)
    finally:
        await machines.off()


@pytest.mark.parametrize("machine", MACHINES)
async def test_what_was_taken_out_before_stays_away_whoever_comes_first(
    machines: Machines,  # noqa: F811
    machine: str,
):
    await know(machines, HOME, TEA)
    with gone_back(machines.server, machines.tenant):
        await machines.on(*MACHINES)
        (id_,) = (one.id for one in machines.entries("laptop").load().entries.values() if one.content == TEA)
        forget(machines.entries("laptop"), [id_], who="user")
        await machines.all_have(HOME)
        await machines.off()
    await write_more(machines, machine)
    await machines.on(*MACHINES)
    try:
        await machines.all_have(HOME, *LATER)
    finally:
        await machines.off()


async def test_while_nothing_is_lost_nothing_is_looked_at_twice(server: OwnServer, tmp_path: Path):
    name, repository = uuid.uuid4().hex, EntryRepository(tmp_path)
    laptop = TenantOwner(Tenant.named(name), name, "laptop")
    remember(repository, NewEntry(HOME), who="user")
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)

        async def ask(function: Callable[[Connection], Any]) -> Any:
            return function(connection)

        exchange, access = EntryExchange(laptop, tmp_path / ".storage", ask), RepositoryAccess(repository)
        assert await exchange.settle(access) == 0
        agreed = (tmp_path / ".storage" / "entries.json").read_bytes()
        marks = asked(server, name, "m.mark, t.version", "machine m")
        for _ in range(3):
            assert not await exchange.look(access)
        assert asked(server, name, "m.mark, t.version", "machine m") == marks
        assert (tmp_path / ".storage" / "entries.json").read_bytes() == agreed
