"""`nanobot-memory stats`: how much is stored, and how often something is recalled."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host.turn_records import record_injection
from nanobot_memory_plugins.core.values import ContextBlock
from nanobot_memory_plugins.core.values.entries import Entry

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
CONFIG = MemoryConfig.model_validate(
    {"plugins": {"storage": {"enabled": False}, "nanobot": {"enabled": False}, "recall": {"enabled": False}}}
)


def stats_of(workspace: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run_command_line(["stats", "-w", str(workspace), "--json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


async def test_messages_notes_entries_and_turns_are_counted(tmp_path: Path, capsys):
    async with MemoryHost(tmp_path, config=CONFIG, clock=ManualClock(NOW)) as memory:
        await memory.message_received(session_key="cli:a", text="two\nlines")
        await memory.message_sent(session_key="cli:a", text="OK.")
        await memory.message_received(session_key="cli:b", text="again")
        await memory.keep(Note("the kiln is hot", details="type: bug\norigin: web"))
    (tmp_path / "memory" / "2026-03-07.md").write_text("### 2026-03-07 10:00\nJust a heading of mine.\n")
    entries = {"aaaa1111": Entry("aaaa1111", "likes tea", "fact", 0.9, NOW)}
    EntryRepository(tmp_path, clock=ManualClock(NOW)).update(lambda _: entries, who="test", why="made")
    assert stats_of(tmp_path, capsys)["recall"] == {"turns": 0, "with_memories": 0, "since": None}
    for ids in (("a", "b"), ()):
        record_injection(tmp_path, ManualClock(NOW), [ContextBlock("x", ids)], tool_tokens=0, entries="")
    found = stats_of(tmp_path, capsys)
    assert (found["messages"]["count"], found["messages"]["files"], found["notes"]["count"]) == (3, 2, 1)
    assert found["entries"] == {"count": 1, "active": 1}
    assert found["recall"] == {"turns": 2, "with_memories": 1, "since": "2026-03-06"}
