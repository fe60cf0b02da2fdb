"""What recall injects, on the real path: through `MemoryHost`, from files and the real store."""

import re
from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Origin, Query
from nanobot_memory_plugins.core.text.fence import is_fenced
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Destination

# Limits that no loaded machine reaches: what is shown here is not the speed.
CONFIG = {
    "core": {"message_limit": 30},
    "plugins": {
        "recall": {"recall_timeout": 20, "heavy_max_snippet_chars": 150},
        "storage": {"embedding_provider": "none"},
    },
}
TIME = datetime(2026, 2, 16, 9, tzinfo=UTC)


@pytest.fixture
async def memory(tmp_path):
    async with MemoryHost(tmp_path, config=MemoryConfig.model_validate(CONFIG)) as host:
        yield host


async def keep(memory: MemoryHost, *tldrs: str, **more: object) -> None:
    for tldr in tldrs:
        await memory.keep(Note(tldr=tldr, time=TIME, origin=Origin.USER, **more))
    await memory.flush_index()


async def ask(memory: MemoryHost, text: str) -> str | None:
    return (await memory.message_received(session_key="cli:new", text=text)).block


@pytest.mark.accept("NC-04")
async def test_injected_memories_stand_under_the_file_that_they_come_from(memory):
    await keep(memory, "The telescope stands in the attic", "The telescope cost 800 euros", "I paint on Sundays")
    await keep(memory, "The telescope is a Dobson", destination=Destination.LONG_TERM)
    await memory.message_received(session_key="cli:old", text="My telescope needs a new mirror.")
    await memory.flush_index()
    block = await ask(memory, "What did I tell you about my telescope before?")
    assert is_fenced(block)
    lines = block.splitlines()[1:-1]
    groups: dict[str, list[str]] = {}
    path = ""
    for line in lines:
        if line.startswith("- "):
            groups[path].append(line)
        else:
            path = line
            assert path not in groups
            groups[path] = []
    day = next(path for path in groups if re.fullmatch(r"memory/\d{4}-\d\d-\d\d\.md", path))
    assert sum("attic" in line or "800" in line for line in groups[day]) == 2
    assert ["Dobson" in line for line in groups["memory/MEMORY.md"]] == [True]
    assert any(path.startswith("memory/sessions/") for path in groups)


@pytest.mark.parametrize(
    "details",
    [
        "The telescope stands in the attic. It needs a mirror.",
        "- The telescope stands in\n  the attic\n- It needs a mirror",
    ],
)
async def test_a_note_whose_details_begin_with_its_first_line_says_it_once(memory, details):
    await keep(memory, "The telescope stands in the attic", details=details)
    block = await ask(memory, "What did I tell you about my telescope and its mirror before?")
    assert block is not None
    assert "mirror" in block
    assert block.count("telescope") == 1


@pytest.mark.accept("LR-05")
async def test_heavy_results_carry_file_date_and_snippet_and_so_does_the_block(memory):
    await keep(memory, "部署用 Cloudflare 免费计划", details="原因：成本最低。" * 120)
    await keep(memory, "Cloudflare holds the domain", destination=Destination.LONG_TERM)
    await memory.message_received(session_key="cli:old", text="Cloudflare 的账号是 Ann 的")
    await memory.flush_index()
    result = await memory.search(Query(text="Cloudflare 部署"))
    assert len(result.hits) >= 3
    for hit in result.hits:
        assert (memory.workspace / hit.path).is_file()
        assert hit.line >= 1
        assert hit.time is not None
        assert hit.snippet
        assert len(hit.snippet) <= 360
    block = await ask(memory, "你记得 Cloudflare 吗？")
    memories = [line for line in block.splitlines() if line.startswith("- ")]
    assert len(memories) >= 3
    assert all(
        re.fullmatch(r"- \[(\d{1,2} \w+ \d{4}|\d{4}年\d{1,2}月\d{1,2}日)\] .+ \(line \d+\)", line) for line in memories
    )


@pytest.mark.accept("V3-19")
async def test_the_best_stand_whole_the_rest_by_snippet_inside_the_budget(memory):
    filler = "It has a long history, told in many words that matter little here. "
    for n in range(9):
        await keep(memory, f"Telescope {n}", details=f"Telescope story {n}. {filler * 5} The end of story {n}.")
    block = await ask(memory, "What did I say about the telescope before?")
    whole = [n for n in range(9) if f"The end of story {n}." in block]
    shown = [n for n in range(9) if f"Telescope story {n}." in block]
    assert whole
    assert len(shown) > len(whole)
    assert len(block) <= 1_800
    assert estimate_tokens(block) <= 800


async def test_what_was_said_twice_is_injected_once(memory):
    await keep(
        memory, "我的猫叫小白", "我的猫也叫小白。", "My telescope is a Dobson", "My telescope really is a Dobson!"
    )
    assert (await ask(memory, "你记得我的猫叫什么吗？")).count("小白") == 1
    assert (await ask(memory, "Do you remember my telescope?")).count("Dobson") == 1


async def test_a_relative_phrase_is_injected_with_the_days_that_it_meant(memory):
    await keep(memory, "Last Friday my telescope fell from the attic window")  # kept on Monday, 16 February 2026
    block = await ask(memory, "What happened to my telescope?")
    assert "- [16 February 2026] user: Last Friday (13 February 2026) my telescope fell" in block
