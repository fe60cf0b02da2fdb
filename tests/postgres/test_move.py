"""``nanobot-memory move``: there and back, broken off and done again, and never half believed."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Scope
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.commands import command


class Machine:
    """A workspace with a configuration of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self.memory = MemoryWorkspace(folder / name)
        self.config = folder / f"{name}.json"
        self.configure({"machine": name})

    def configure(self, shared: dict[str, Any]) -> None:
        plugins = {"storage": {"embeddingProvider": "none"}, "postgres": shared}
        self.config.write_text(json.dumps({"theme": "dark", "memoryPlugins": plugins}), encoding="utf-8")

    @property
    def options(self) -> dict[str, Any]:
        return json.loads(self.config.read_text(encoding="utf-8"))["memoryPlugins"]["postgres"]

    def run(self, *arguments: str, status: int = 0) -> dict[str, Any]:
        return command(*arguments, "--workspace", self.memory.path, "--config", self.config, status=status)

    def found(self, question: str) -> list[str]:
        return [hit["snippet"] for hit in self.run("search", question)["hits"]]


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    laptop, desktop = Machine(tmp_path, "laptop"), Machine(tmp_path, "desktop")
    for number in range(3):
        laptop.memory.note(Note(f"the garden gate number {number} is green"), str(uuid.uuid4()))
        desktop.memory.note(Note(f"the cabin key number {number} is brass"), str(uuid.uuid4()))
    desktop.memory.message("The ferry leaves at nine.", str(uuid.uuid4()), scope=Scope(session="cli:direct"))
    desktop.memory.path.joinpath("memory", "MEMORY.md").write_text(
        "# Boats\n\nOurs is called Elver.\n", encoding="utf-8"
    )
    return laptop, desktop


def there(server: OwnServer, tenant: str) -> tuple[str, ...]:
    return ("move", "--to", "postgres", "--dsn", server.dsn, "--tenant", tenant)


def test_there_and_back_with_everything_that_the_other_machine_knows(
    server: OwnServer, machines: tuple[Machine, Machine]
):
    laptop, desktop = machines
    tenant = uuid.uuid4().hex
    moved = laptop.run(*there(server, tenant))
    assert (moved["to"], moved["machine"], moved["count"]) == ("postgres", "laptop", 3)
    assert desktop.run(*there(server, tenant))["count"] == 5
    assert laptop.run(*there(server, tenant)) == moved  # again changes nothing
    assert laptop.options == {"machine": "laptop", "dsn": server.dsn, "tenant": tenant, "enabled": True}
    assert json.loads(laptop.config.read_text(encoding="utf-8"))["theme"] == "dark"
    assert "The ferry leaves at nine." in laptop.found("when does the ferry leave")
    before = {file: file.read_bytes() for file in (desktop.memory.path / "memory").rglob("*") if file.is_file()}
    back = laptop.run("move", "--to", "sqlite")
    assert back["count"] == 4  # three notes and a message
    assert laptop.options["enabled"] is False
    assert laptop.found("when does the ferry leave") == ["The ferry leaves at nine."]
    assert any("brass" in one for one in laptop.found("cabin key number 2"))
    assert any("Elver" in one for one in laptop.found("how is our boat called"))
    assert any("garden gate" in one for one in laptop.found("garden gate number 1"))
    assert {file: file.read_bytes() for file in before} == before


def test_a_move_that_broke_off_goes_on_and_writes_nothing_twice(server: OwnServer, machines: tuple[Machine, Machine]):
    laptop, _ = machines
    tenant = uuid.uuid4().hex
    for machine in machines:
        machine.run(*there(server, tenant))
    first = laptop.run("move", "--to", "sqlite")
    notes = laptop.memory.path / "memory" / "2026-02-16.md"
    whole = notes.read_bytes()
    notes.write_bytes(whole[: whole.rindex(b"###") + 20])  # killed in the middle of a record
    laptop.configure({**laptop.options, "enabled": True})
    assert laptop.run("move", "--to", "sqlite")["sha256"] == first["sha256"]
    assert notes.read_bytes().count(b"cabin key number 2") == 1
    for number in range(3):
        assert notes.read_bytes().count(b"cabin key number %d" % number) == 1
        assert notes.read_bytes().count(b"garden gate number %d" % number) == 1


def remembered(machine: Machine, text: str) -> None:
    remember(EntryRepository(machine.memory.path), NewEntry(text), who="user")


def entries_of(machine: Machine) -> list[str]:
    return sorted(entry.content for entry in EntryRepository(machine.memory.path).load().entries.values())


def test_entries_told_where_no_agent_runs_are_moved_with_the_rest_and_come_back_with_it(
    server: OwnServer, machines: tuple[Machine, Machine]
):
    laptop, desktop = machines
    tenant = uuid.uuid4().hex
    remembered(laptop, "The user lives in Kaunas")
    laptop.run(*there(server, tenant))
    remembered(desktop, "The user drinks green tea")
    desktop.run(*there(server, tenant))
    assert entries_of(desktop) == ["The user drinks green tea", "The user lives in Kaunas"]
    assert entries_of(laptop) == ["The user lives in Kaunas"]
    laptop.run("move", "--to", "sqlite")
    assert entries_of(laptop) == ["The user drinks green tea", "The user lives in Kaunas"]
