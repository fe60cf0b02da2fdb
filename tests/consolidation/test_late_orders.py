"""Orders that could not be carried out when they were said: kept with the message, done later, and never told as done.

`NANOBOT_MEMORY_LONG=1` takes sixty orders instead of six.
"""

import asyncio
import os
import re
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, MemoryPaths
from nanobot_memory_plugins.core.files import file_lock
from tests.consolidation.test_orders import IN_PEOPLES_WORDS

ORDERS = [row for row in IN_PEOPLES_WORDS if row[1]][: 60 if os.environ.get("NANOBOT_MEMORY_LONG") else 6]
DONE = ("was written to", "已写入", "was known already", "早已记住")


def config(limit: float = 30.0, *, rest: float = 60.0) -> MemoryConfig:
    names = ("storage", "recall", "nanobot", "bootstrap", "observation", "flush", "summary", "compaction")
    plugins: dict[str, object] = {name: {"enabled": False} for name in names}
    core = {"message_limit": limit, "tool_limit": 30, "start_limit": 60}
    return MemoryConfig.model_validate({"core": core, "plugins": plugins})


def kept(workspace: Path) -> list[str]:
    """Return what the entries say, without the days that are added to it."""
    return [
        re.sub(r"\s*[(（]\d{4}-\d\d-\d\d[)）]", "", one.content)
        for one in EntryRepository(workspace).load().entries.values()
    ]


async def say(memory: MemoryHost, number: int, text: str) -> str:
    context = await memory.message_received(session_key=f"cli:{number % 3}", text=text)
    assert context.receipt.stored
    return context.block or ""


async def until(condition: object) -> None:
    assert callable(condition)
    for _ in range(600):
        if condition():
            return
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("limit", [0.000_001, 0.01])
async def test_orders_to_a_late_or_resting_plugin_are_kept_and_not_told_as_done(tmp_path: Path, limit: float):
    async with MemoryHost(tmp_path, config=config()) as memory:
        await say(memory, 0, "Good morning.")
    async with MemoryHost(tmp_path, config=config(limit)) as memory:
        for number, (text, meant) in enumerate(ORDERS):
            block = await say(memory, number, text)
            done = [meant in one for one in kept(tmp_path)]
            assert any(done) or not any(word in block for word in DONE), text
            assert any(
                word in block for word in (*DONE, "NOT carried out yet", "都还没有执行", "being kept", "正在保存")
            ), text
    async with MemoryHost(tmp_path, config=config()):
        await until(lambda: {meant for _, meant in ORDERS} <= set(kept(tmp_path)))
    contents = kept(tmp_path)
    assert {meant for _, meant in ORDERS} <= set(contents)
    assert len(contents) == len(set(contents))


async def test_a_plugin_that_is_switched_off_is_not_told_of(tmp_path: Path):
    off = config()
    plugins = {**{name: {"enabled": False} for name in off.plugins}, "consolidation": {"enabled": False}}
    off = MemoryConfig.model_validate({"core": {"message_limit": 30}, "plugins": plugins})
    async with MemoryHost(tmp_path, config=off) as memory:
        assert await say(memory, 0, "Remember that my dog is called Rex.") == ""


async def test_an_order_while_the_entries_are_locked_is_done_with_the_next_message(tmp_path: Path):
    async with MemoryHost(tmp_path, config=config(4.0)) as memory:
        await say(memory, 0, "Remember that my cat is called Pixel.")
        paths = MemoryPaths(tmp_path)
        with file_lock(paths, paths.memory / "ENTRIES.md"):
            block = await say(memory, 0, "Remember that my dog is called Rex.")
            assert not any(word in block for word in DONE)
        await until(lambda: "my dog is called Rex" in kept(tmp_path) or None)
        block = await say(memory, 0, "What is new?")
    assert kept(tmp_path).count("my dog is called Rex") == 1


async def test_what_was_carried_out_or_forgotten_is_not_carried_out_again(tmp_path: Path):
    async with MemoryHost(tmp_path, config=config()) as memory:
        await say(memory, 0, "Remember that my cat is called Pixel.")
        assert kept(tmp_path) == ["my cat is called Pixel"]
        await say(memory, 0, "Forget that my cat is called Pixel.")
        assert kept(tmp_path) == []
    for _ in range(2):
        async with MemoryHost(tmp_path, config=config()) as memory:
            assert "Pixel" not in await say(memory, 0, "What is new?")
    assert kept(tmp_path) == []


async def test_what_was_said_before_there_were_orders_is_left_alone(tmp_path: Path):
    off = MemoryConfig.model_validate({**config().model_dump(), "plugins": {"consolidation": {"enabled": False}}})
    async with MemoryHost(tmp_path, config=off) as memory:
        await memory.message_received(session_key="cli:0", text="Remember that my cat is called Pixel.")
    async with MemoryHost(tmp_path, config=config()) as memory:
        await say(memory, 0, "What is new?")
    assert kept(tmp_path) == []
