"""The example of a store: the memory searches it instead of the set's own store."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.values import Erasure, Note, Origin, Scope
from tests.support.patient import patient_config
from tests.support.third_party import install_example


def config(file: Path) -> MemoryConfig:
    return patient_config(shelf={"file": str(file)})


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "installed").mkdir()
    install_example(tmp_path / "installed", monkeypatch, "shelf_store")
    return tmp_path / "another disk" / "shelf.db"


async def test_recall_and_tools_answer_from_the_shelf(shelf: Path, tmp_path: Path):
    workspace = tmp_path / "workspace"
    async with MemoryHost(workspace, config=config(shelf)) as memory:
        await memory.message_received(session_key="cli:one", text="Our staging database listens on port 5433.")
        await memory.keep(Note("周三晚上去攀岩馆", origin=Origin.USER), session_key="cli:one")
        await memory.flush_index()
        asked = await memory.message_received(session_key="cli:two", text="Do you remember the staging database port?")
        assert asked.block is not None
        assert "port 5433" in asked.block
        search = next(tool for tool in memory.tools() if tool.name == "memory_search")
        assert "攀岩" in await search.run({"query": "攀岩馆"}, session_key="cli:two")
        (hit,) = (await memory.search(Query("攀岩馆"))).hits
        note = (workspace / hit.path).read_text(encoding="utf-8").splitlines()
        assert note[hit.line - 1].startswith("### ")
        assert hit.origin is Origin.USER
    assert not (workspace / ".storage" / "memory.db").exists()
    with sqlite3.connect(shelf) as file:
        assert file.execute("SELECT count(*) FROM memories").fetchone()[0] >= 3
    file.close()


async def test_two_workspaces_on_one_shelf_are_kept_apart_and_what_is_erased_is_nowhere(shelf: Path, tmp_path: Path):
    async with (
        MemoryHost(tmp_path / "a", config=config(shelf)) as a,
        MemoryHost(tmp_path / "b", config=config(shelf)) as b,
    ):
        await a.message_sent(session_key="cli:one", text="The garden gate is green.")
        assert len((await a.search(Query("garden gate"))).hits) == 1
        assert (await b.search(Query("garden gate"))).hits == ()
        await a.eraser.erase(Erasure(words=("The garden gate is green.",)))
    assert b"garden gate" not in await asyncio.to_thread(shelf.read_bytes)


async def test_the_shelf_is_a_store_and_can_be_deleted(shelf: Path, tmp_path: Path):
    async with MemoryHost(tmp_path / "a", config=config(shelf)) as memory:
        await memory.message_sent(session_key="cli:one", text="The garden gate is green.")
        await memory.flush_index()
    await asyncio.to_thread(shelf.unlink)
    async with MemoryHost(tmp_path / "a", config=config(shelf)) as memory:
        assert len((await memory.search(Query("garden gate"))).hits) == 1
        assert isinstance(memory.store, Store)


async def test_links_out_of_the_workspace_or_nowhere_are_passed_over(shelf: Path, tmp_path: Path):
    memory_folder = tmp_path / "a" / "memory"
    memory_folder.mkdir(parents=True)
    (memory_folder / "mine.md").write_text("The garden gate is green.", encoding="utf-8")
    (tmp_path / "secret.md").write_text("The garden gate of another.", encoding="utf-8")
    (memory_folder / "out.md").symlink_to(tmp_path / "secret.md")
    (memory_folder / "gone.md").symlink_to(tmp_path / "nowhere.md")
    async with MemoryHost(tmp_path / "a", config=config(shelf)) as memory:
        assert [hit.path for hit in (await memory.search(Query("garden gate"))).hits] == ["memory/mine.md"]


async def test_a_memory_keeps_its_whole_owner(shelf: Path, tmp_path: Path):
    owner = Scope(user="ana", project="helix")
    async with MemoryHost(tmp_path / "a", config=config(shelf)) as memory:
        await memory.keep(Note("the gate is green", scope=owner, tags=("garden work",)), session_key="cli:one")
        (hit,) = (await memory.search(Query("gate", scope=owner))).hits
        assert (hit.scope, hit.tags) == (owner, ("garden work",))
