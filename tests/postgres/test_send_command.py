"""``nanobot-memory postgres send``, and what else of the command line meets a shared memory."""

import json
import uuid
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query, Scope, Visibility
from nanobot_memory_plugins.core.values import Whose as WhoseScope
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.commands import command
from tests.postgres.opening import open_shared


@pytest.fixture
def told(server: OwnServer, tmp_path: Path) -> tuple[Path, Path]:
    workspace = MemoryWorkspace(tmp_path / "workspace")
    for number in range(3):
        workspace.note(Note(f"the garden gate number {number} is green"), f"a{number}")
    shared = {"dsn": server.dsn, "tenant": uuid.uuid4().hex, "machine": "laptop"}
    config = tmp_path / "config.json"
    memory = {"storage": {"embeddingProvider": "none"}, "postgres": shared}
    config.write_text(json.dumps({"memoryPlugins": memory}), encoding="utf-8")
    return workspace.path, config


def test_it_sends_what_is_kept_and_counts_what_stands_there(told: tuple[Path, Path]):
    workspace, config = told
    for _ in range(2):
        sent = command("postgres", "send", "--workspace", workspace, "--config", config)
        assert sent == {
            "ok": True, "machine": "laptop", "unsent_bytes": 0, "unsent_entries": 0, "passages": {"laptop": 3},
        }  # fmt: skip


def test_it_exchanges_the_entries_as_well(told: tuple[Path, Path], tmp_path: Path):
    workspace, config = told
    theirs = tmp_path / "theirs.json"
    memory = json.loads(config.read_text(encoding="utf-8"))
    memory["memoryPlugins"]["postgres"]["machine"] = "desktop"
    theirs.write_text(json.dumps(memory), encoding="utf-8")
    ours, other = ("--workspace", workspace, "--config", config), ("--workspace", tmp_path / "o", "--config", theirs)
    (tmp_path / "o").mkdir()
    remember(EntryRepository(workspace), NewEntry("The user lives in Kaunas"), who="user")
    assert command("postgres", "send", *ours)["unsent_entries"] == 0
    remember(EntryRepository(tmp_path / "o"), NewEntry("The user drinks green tea"), who="user")
    assert command("postgres", "send", *other)["unsent_entries"] == 0
    command("postgres", "send", *ours)
    for one in (workspace, tmp_path / "o"):
        found = sorted(entry.content for entry in EntryRepository(one).load().entries.values())
        assert found == ["The user drinks green tea", "The user lives in Kaunas"]


def test_without_a_dsn_it_says_what_to_set(told: tuple[Path, Path], tmp_path: Path):
    config = tmp_path / "none.json"
    config.write_text("{}", encoding="utf-8")
    failed = command("postgres", "send", "--workspace", told[0], "--config", config, status=2)
    assert "dsn of postgres is not set" in failed["error"]
    assert "memoryPlugins" in failed["hint"]


def test_an_evaluation_sends_nothing_of_its_data_set(told: tuple[Path, Path], tmp_path: Path):
    workspace, config = told
    (tmp_path / "docs.jsonl").write_text('{"id": "d", "text": "The harbour is closed."}\n', encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "text": "Is the harbour closed?"}\n', encoding="utf-8")
    run = tmp_path / "run.jsonl"
    command("eval", tmp_path, "--run", run, "--no-embeddings", "--config", config)
    assert json.loads(run.read_text(encoding="utf-8"))["ranked"] == ["d"]
    sent = command("postgres", "send", "--workspace", workspace, "--config", config)
    assert sent["passages"] == {"laptop": 3}


def test_search_asks_the_server_and_index_sends(told: tuple[Path, Path], tmp_path: Path):
    workspace, config = told
    other = MemoryWorkspace(tmp_path / "other")
    other.note(Note("the cabin key lies under the mat", scope=Scope(project="a1b2")), "b1")
    memory = json.loads(config.read_text(encoding="utf-8"))
    memory["memoryPlugins"]["postgres"]["machine"] = "desktop"
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps(memory), encoding="utf-8")
    indexed = command("index", "--workspace", other.path, "--config", theirs)
    assert (indexed["documents"], indexed["unsent_bytes"]) == (1, 0)
    found = command("search", "where is the cabin key", "--workspace", workspace, "--config", config)
    assert [(hit["file"], hit["snippet"]) for hit in found["hits"]] == [
        ("desktop:memory/2026-02-16.md", "the cabin key lies under the mat")
    ]
    alone = json.loads(config.read_text(encoding="utf-8"))
    alone["memoryPlugins"]["postgres"]["enabled"] = False
    config.write_text(json.dumps(alone), encoding="utf-8")
    assert command("search", "where is the cabin key", "--workspace", workspace, "--config", config)["hits"] == []
    assert "unsent_bytes" not in command("index", "--workspace", workspace, "--config", config)


async def test_on_the_server_the_project_that_is_worked_in_comes_first(server: OwnServer, tmp_path: Path):
    tenant, workspace = uuid.uuid4().hex, MemoryWorkspace(tmp_path)
    for number, project in enumerate(("", "boat", "house")):
        workspace.note(Note(f"the paint for the door is in box {number}", scope=Scope(project=project)), f"n{number}")
    store = await open_shared(tmp_path, server, tenant)
    try:
        await store.flush()
        for project in ("boat", "house"):
            query = Query("which paint for the door", scope=Visibility(whose=(WhoseScope(),), project=project))
            hits = (await store.search(query)).hits
            assert next(hit.scope.project for hit in hits) == project
            assert {hits[-1].scope.project} == {"boat", "house"} - {project}
            assert [hit.text for hit in hits] == [hit.text for hit in (await store.local.search(query)).hits]
    finally:
        await store.close()
