"""The entries that do not stand in the prompt, found by meaning with the real store and the real embedding model."""

import asyncio
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import VectorStore

# id, text, score: those below 0.5 are not in the prompt, those below 0.2 are archived.
KNOWN = [
    ("tea1", "The user likes oolong tea", 0.9),
    ("cel1", "The user practises the cello every evening", 0.35),
    ("bonn", "Once upon a time the user had a flat in Bonn", 0.1),
    ("nut1", "用户对花生过敏", 0.3),
    ("car1", "用户曾经开一辆红色的大众", 0.15),
    ("rus1", "The project is written in Rust", 0.7),
    ("fri1", "Deployments are done on Tuesdays", 0.6),
]
# The first two share no word with the entry, nor its language.
ASKED = [
    ("food allergies", "花生过敏"),
    ("former car", "红色的大众"),
    ("以前的汽车是什么颜色", "红色的大众"),
    ("Which musical instrument does the user play?", "practises the cello"),
    ("In which city did the user live earlier?", "a flat in Bonn"),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "ENTRIES.md").touch()
    now = SystemClock().now().replace(microsecond=0)
    entries = {id_: Entry(id_, text, "fact", score, now) for id_, text, score in KNOWN}
    EntryRepository(tmp_path).update(lambda _: entries, who="test", why="add")
    return tmp_path


@pytest.mark.accept("EB-17")
async def test_archived_and_middling_entries_are_found_by_meaning(workspace, builtin_model):
    config = MemoryConfig.model_validate(
        {"plugins": {"recall": {"recall_memory_alias": True}, "nanobot": {"enabled": False}}}
    )
    async with MemoryHost(workspace, config=config) as memory:
        await memory.flush_index()
        assert isinstance(memory.store, VectorStore)
        await asyncio.wait_for(memory.store.vectors_complete(lambda *_: None), 120)
        tool = next(one for one in memory.tools() if one.name == "recall_memory")
        prompt = memory.prompt_entries().text
        for query, expected in ASKED:
            found = await tool.run({"query": query, "limit": 3, "source": "long_term"}, session_key="cli:new")
            assert expected in found, query
            assert "memory/ENTRIES.md:" in found
            assert expected not in prompt
    assert "oolong tea" in prompt
    snapshot = EntryRepository(workspace).load()
    assert {one.id for one in snapshot.entries.values() if one.section is Section.ARCHIVED} == {"bonn", "car1"}
