"""Superseded and expired entries are found, and marked as such."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.scoring import contradict_entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.entries import Entry
from nanobot_memory_plugins.core.values.scopes import OwnerFilter

LATER = datetime(2026, 5, 2, 12, tzinfo=UTC)


@pytest.mark.accept("EB-14")
async def test_a_superseded_entry_is_marked_as_earlier_and_a_plan_shows_its_day(tmp_path: Path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "ENTRIES.md").touch()
    begun = LATER - timedelta(days=90)
    old = Entry("bonn", "The user lives in Bonn", "fact", 0.8, begun, created_at=begun)
    new = Entry("kiel", "The user lives in Kiel", "fact", 0.8, LATER, created_at=LATER)
    zh = Entry("zh", "用户在银行工作", "fact", 0.8, begun, created_at=begun)
    dentist = Entry("d", "The user sees the dentist", "todo", 0.15, LATER, expires_at=LATER)
    pairs = [*contradict_entry(old, new), contradict_entry(zh, new)[0]]
    EntryRepository(tmp_path).update(lambda _: {one.id: one for one in [*pairs, dentist]}, who="test", why="add")
    plugins = {"storage": {"embeddingProvider": "none"}, "nanobot": {"enabled": False}}
    async with MemoryHost(tmp_path, config=MemoryConfig.model_validate({"plugins": plugins})) as memory:
        await memory.flush_index()
        tool = next(one for one in memory.tools() if one.name == "memory_search")

        async def found(query: str) -> str:
            return str(await tool.run({"query": query}, session_key="cli:new"))

        assert "The user lives in Bonn (earlier, 2026-02-01 to 2026-05-02)" in await found("lives in Bonn")
        kiel = await found("lives in Kiel")
        assert "The user lives in Kiel (since 2026-05-02)" in kiel
        assert "Kiel (earlier" not in kiel
        assert "用户在银行工作（以前，2026-02-01至2026-05-02）" in await found("银行工作")
        assert "The user sees the dentist (2026-05-02)" in await found("dentist")
        await memory.message_sent(session_key="cli:new", text="She moved away from Bonn (earlier)")
        await memory.flush_index()
        everything = Visibility(owners=(OwnerFilter(),))
        hits = [
            one
            for query in ("The user lives in Bonn", "银行工作")
            for one in (await memory.search(Query(query, scope=everything))).hits
        ]
    assert {one.text.split(" (")[0].split("（")[0]: one.superseded for one in hits} == {
        "The user lives in Bonn": True,
        "用户在银行工作": True,
        "The user lives in Kiel": False,
        "The user sees the dentist": False,
        "She moved away from Bonn": False,
    }
