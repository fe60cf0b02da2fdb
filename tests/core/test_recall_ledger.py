"""What each turn got is recorded off its path, and `nanobot-memory stats` says what that costs."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host.recall_log import RecallLedger, injections
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.tokens import estimate_tokens

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 60},
        "plugins": {
            "storage": {"embedding_provider": "none"},
            "recall": {"recall_timeout": 60},
            "nanobot": {"enabled": False},
        },
    }
)


def recorded(workspace: Path) -> list:
    return list(injections(StateDatabase.of(workspace), since=date(2000, 1, 1)))


async def test_a_turn_is_recorded_with_its_memories_and_what_all_of_it_would_have_cost(tmp_path: Path):
    memory_file = tmp_path / "memory" / "MEMORY.md"
    memory_file.parent.mkdir()
    memory_file.write_text("The staging database listens on port 5433.\n" + "- 其他的事。\n" * 500, encoding="utf-8")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.flush_index()
        context = await memory.message_received(session_key="a:b", text="Do you remember the staging port?")
        await memory.message_received(session_key="a:b", text="ok, thanks!")
    with_memories, without = recorded(tmp_path)
    assert with_memories.ids == context.hit_ids
    assert 0 < with_memories.tokens <= 800
    assert with_memories.whole_tokens == estimate_tokens(memory_file.read_text(encoding="utf-8"))
    assert (without.ids, without.tokens, without.whole_tokens) == ((), 0, with_memories.whole_tokens)
    bodies = StateDatabase.of(tmp_path).read("SELECT body FROM event WHERE kind = 'recall'")
    assert not any("staging" in body or "5433" in body for (body,) in bodies)


def test_a_file_is_measured_again_when_it_has_grown_and_forgotten_when_it_is_gone(tmp_path: Path):
    clock = ManualClock(NOW)
    ledger = RecallLedger(tmp_path, clock)
    memory = tmp_path / "memory"
    memory.mkdir()
    ledger.record([], 0)
    (memory / "MEMORY.md").write_text("x" * 400)
    ledger.record([], 0)
    (memory / "2026-03-06.md").write_text("y" * 40)
    ledger.record(["m#1"], 7)
    (memory / "MEMORY.md").write_text("x" * 800)
    ledger.record([], 0)
    (memory / "MEMORY.md").unlink()
    ledger.record([], 0)
    assert [row.whole_tokens for row in recorded(tmp_path)] == [0, 100, 110, 210, 10]


def test_stats_say_what_the_memory_costs_and_what_all_of_it_would(tmp_path: Path, capsys):
    (tmp_path / "memory").mkdir()
    state, today = StateDatabase.of(tmp_path), datetime.now(UTC)
    first = {"ids": ["a", "b"], "tokens": 100, "whole_tokens": 1_000}
    for row in (
        first,
        {**first, "tool_tokens": 650, "entry_tokens": 30},
        {"ids": [], "tokens": 0, "whole_tokens": 2_000},
    ):
        state.add_event("recall", today, row)
    state.add_event("recall", datetime(2020, 1, 1, tzinfo=UTC), first)
    assert run_command_line(["stats", "-w", str(tmp_path), "--json"]) == 0
    cost = json.loads(capsys.readouterr().out)["cost"]
    parts = {"blocks": 200, "tools": 650, "entries": 30, "background": 0}
    assert cost == {"days": 7, "turns": 3, **parts, "total": 880, "whole_memory": 4_000, "uses": []}
    assert run_command_line(["stats", "-w", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "What the memory took in the last 7 days (3 turns):" in told
    assert "The whole Markdown of the memory would take 1,333 a turn." in told
