"""Each turn is recorded in the background, and `nanobot-memory stats` shows what the memory costs."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.host.turn_records import injections
from nanobot_memory_plugins.core.state import StateDatabase
from tests.support.patient import patient_config

CONFIG = patient_config(nanobot={"enabled": False})


def recorded_turns(workspace: Path) -> list:
    return list(injections(StateDatabase.of(workspace), since=date(2000, 1, 1)))


async def test_a_turn_is_recorded_with_ids_and_without_texts(tmp_path: Path):
    memory_file = tmp_path / "memory" / "MEMORY.md"
    memory_file.parent.mkdir()
    memory_file.write_text("The staging database listens on port 5433.\n" + "- 其他的事。\n" * 500, encoding="utf-8")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.flush_index()
        context = await memory.message_received(session_key="a:b", text="Do you remember the staging port?")
        await memory.message_received(session_key="a:b", text="ok, thanks!")
    with_memories, without = recorded_turns(tmp_path)
    assert with_memories.ids == context.hit_ids
    assert 0 < with_memories.tokens <= 800
    assert (without.ids, without.tokens, without.tool_tokens > 0) == ((), 0, True)
    bodies = StateDatabase.of(tmp_path).read("SELECT body FROM event WHERE kind = 'recall'")
    assert not any("staging" in body or "5433" in body for (body,) in bodies)


def test_stats_show_the_tokens_of_the_memory(tmp_path: Path, capsys):
    state, today = StateDatabase.of(tmp_path), datetime.now(UTC)
    first = {"ids": ["a", "b"], "tokens": 100}
    for row in (first, {**first, "tool_tokens": 650, "entry_tokens": 30}, {"ids": [], "tokens": 0}):
        state.add_event("recall", today, row)
    state.add_event("recall", datetime(2020, 1, 1, tzinfo=UTC), first)
    assert run_command_line(["stats", "-w", str(tmp_path), "--json"]) == 0
    cost = json.loads(capsys.readouterr().out)["cost"]
    parts = {"blocks": 200, "tools": 650, "entries": 30, "background": 0}
    assert cost == {"days": 7, "turns": 3, **parts, "total": 880, "uses": []}
    assert run_command_line(["stats", "-w", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    assert "What the memory used in the last 7 days (3 turns):" in output
