"""Everything that the set makes is readable and writable by its owner alone, whatever the umask is."""

import asyncio
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from nanobot_memory_plugins.core.values import Note

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of this kind")


@pytest.fixture(autouse=True)
def no_umask() -> Iterator[None]:
    """Take nothing away from the modes that are asked for."""
    before = os.umask(0)
    yield
    os.umask(before)


def wide(folder: Path) -> dict[str, str]:
    """Return what below a folder others than its owner may read, write or enter, and its mode."""
    found = {}
    for path in folder.rglob("*"):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & ~(0o700 if path.is_dir() else 0o600):
            found[path.relative_to(folder).as_posix()] = oct(mode)
    return found


async def use_everything(workspace: Path) -> None:
    """Have a memory do whatever writes something."""

    async def answer(_messages: object, *, max_tokens: int, purpose: str) -> str:
        return f"What was said about {purpose}, in {max_tokens} tokens."

    config = MemoryConfig.model_validate({"plugins": {"storage": {"embeddingProvider": "none"}}})
    async with MemoryHost(workspace, config=config, llm=answer) as memory:
        for number in range(4):
            text = f"Remember that my dog number {number} is called Rex{number}."
            await memory.message_received(session_key="plain", text=text)
            await memory.message_sent(session_key="plain", text="I shall.")
        await memory.tool_executed(
            session_key="plain", tool_name="exec", arguments={}, result="x", error=None, duration_ms=1
        )
        tools = {tool.name: tool for tool in memory.tools()}
        said = await tools["remember"].run({"text": "The user's cat is called Tabby"}, session_key="plain")
        assert "memory/ENTRIES.md" in said
        await memory.keep(Note(tldr="The cat sleeps"), session_key="plain")
        history = memory.history("plain")
        await memory.before_compaction(
            session_key="plain", messages=history * 30, context_window=2_000, reason="token_pressure"
        )
        await memory.session_idle(session_key="plain", history=history, ended=True)
        await memory.flush_index()


def test_what_is_ours_is_made_narrow_and_what_is_a_persons_stays(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    memory, storage = workspace / "memory", workspace / ".storage"
    (memory / "sessions").mkdir(parents=True, mode=0o777)
    (memory / ".locks").mkdir(mode=0o777)
    storage.mkdir(mode=0o777)
    (memory / "MEMORY.md").write_text("# Long term\n\nThe user likes plums.\n")
    (memory / "topic.md").write_text("# Topic\n\nPlums.\n")
    (memory / "sessions" / "plain.jsonl").touch()
    (storage / "memory.db").touch()
    (storage / "indexer.lock").touch()
    asyncio.run(use_everything(workspace))
    assert (memory / "ENTRIES.md").exists()
    assert wide(tmp_path) == {
        "workspace": "0o777",
        "workspace/memory": "0o777",
        "workspace/memory/MEMORY.md": "0o666",
        "workspace/memory/topic.md": "0o666",
    }
