"""``nanobot-memory postgres send``, and other commands with a shared memory."""

import json
import uuid
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note
from tests.behaviour.kit.command import run
from tests.postgres.machines import Database

HOME, TEA = "The user lives in Kaunas", "The user drinks green tea"


def command(*arguments: str | Path, status: int = 0) -> dict[str, Any]:
    """Run a command in this process, and return the object that it prints."""
    done = run(*arguments, "--json")
    assert done.status == status, done.err
    return done.json


def test_it_sends_files_exchanges_entries_and_counts_the_passages(server: Database, tmp_path: Path):
    tenant, on = uuid.uuid4().hex, {}
    for machine in ("laptop", "desktop"):
        workspace, config = tmp_path / machine, tmp_path / f"{machine}.json"
        shared = {"dsn": server.dsn, "tenant": tenant, "machine": machine}
        memory = {"storage": {"embeddingProvider": "none"}, "postgres": shared}
        config.write_text(json.dumps({"memoryPlugins": memory}), encoding="utf-8")
        MemoryWorkspace(workspace).note(Note(f"the key of the {machine} lies under the mat"), str(uuid.uuid4()))
        on[machine] = ("--workspace", workspace, "--config", config)
    remember(EntryRepository(tmp_path / "laptop"), NewEntry(HOME), who="user")
    remember(EntryRepository(tmp_path / "desktop"), NewEntry(TEA), who="user")
    for machine in ("laptop", "desktop", "laptop"):
        sent = command("postgres", "send", *on[machine])
        assert (sent["machine"], sent["unsent_bytes"], sent["unsent_entries"]) == (machine, 0, 0)
    assert sent["passages"] == {"desktop": 3, "laptop": 3}
    for machine in on:
        found = sorted(entry.content for entry in EntryRepository(tmp_path / machine).load().entries.values())
        assert found == [TEA, HOME]
    found = command("search", "where is the key of the desktop", *on["laptop"])
    assert found["hits"][0]["file"] == "desktop:memory/2026-02-16.md"
    assert command("index", *on["desktop"])["unsent_bytes"] == 0


def test_without_a_tenant_it_names_the_options_to_set(server: Database, tmp_path: Path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"memoryPlugins": {"postgres": {"dsn": server.dsn}}}), encoding="utf-8")
    (tmp_path / "workspace").mkdir()
    failed = command("postgres", "send", "--workspace", tmp_path / "workspace", "--config", config, status=2)
    assert "dsn and tenant" in failed["error"]
