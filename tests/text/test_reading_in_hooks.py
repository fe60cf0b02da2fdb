"""What a message means is handed to every plugin that asks for it, through a whole host."""

import re

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

SOURCE = """
import asyncio
from nanobot_memory_plugins.core import ContextBlock, hookimpl


@hookimpl
async def on_message_received(reading):
    said = "; ".join(f"{clause.act}: {clause.text}" for clause in reading.clauses)
    return ContextBlock(text=f"same {id(reading)} | own: {reading.own_word.splitlines()[0]} | {said}")
"""


async def test_every_plugin_is_handed_the_one_reading_of_a_message(memory_workspace, installed_plugin, monkeypatch):
    for name in ("reader", "second"):
        installed_plugin(name, SOURCE)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "reader,second")
    text = "I take warfarin, is ibuprofen ok?\n\nHere is a mail I got:\nI live in Bonn."
    async with MemoryHost(memory_workspace.path, config=MemoryConfig(core={"message_limit": 30})) as memory:
        block = (await memory.message_received(session_key="cli:direct", text=text)).block or ""
    assert block.count("own: I take warfarin | states: I take warfarin,; asks: is ibuprofen ok?") == 2
    assert "Bonn" not in block
    assert len(set(re.findall(r"same (\d+)", block))) == 1
