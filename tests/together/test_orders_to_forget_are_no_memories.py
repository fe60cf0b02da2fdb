"""What an order to forget names is not brought up by the words of the order, whether it could be carried out or not."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.core.cli.main import app

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "start_limit": 60},
        "plugins": {"storage": {"embedding_provider": "none"}, "consolidation": {"consolidation_schedule": False}},
    }
)
ASKED = [
    ("Forget that I am allergic to peanuts.", "Do you remember what I am allergic to, peanuts?", "peanuts"),
    ("忘掉我对花生过敏这件事。", "你还记得我对花生过敏吗？", "花生"),
]


def files_with(workspace: Path, words: bytes) -> list[Path]:
    sessions = workspace / "memory" / "sessions"
    return [path for path in sessions.iterdir() if words in path.read_bytes()]


async def recalled(memory: MemoryHost, text: str) -> str:
    return (await memory.message_received(session_key="cli:later", text=text)).block or ""


@pytest.mark.parametrize(("order", "question", "word"), ASKED)
async def test_an_order_to_forget_is_neither_recalled_nor_found(tmp_path: Path, order: str, question: str, word: str):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:a", text=order)
        await memory.message_received(session_key="cli:a", text=f"{order} I moved to Berlin.")
        tail = await recalled(memory, question)
        await memory.flush_index()
        indexed = await recalled(memory, question)
        hits = (await memory.search(Query(text=word))).hits
        moved = (await memory.search(Query(text="Berlin"))).hits
    # The question itself is what is found.
    assert not [line for line in (tail + indexed).splitlines() if line.startswith("- ") and word in line]
    assert [hit.text for hit in hits if hit.text != question] == []
    assert [hit.text for hit in moved] == ["I moved to Berlin."]
    found = await asyncio.to_thread(CliRunner().invoke, app, ["search", word, "--workspace", str(tmp_path)])
    assert order not in found.output
    assert files_with(tmp_path, order.encode())
