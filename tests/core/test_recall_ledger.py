"""What each turn got is recorded off its path, and `nanobot-memory cost` says what that saved."""

import asyncio
import json
import threading
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.cost_command import savings
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host.recall_log import Injection, RecallLedger, injections
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

NO_TOOLS = CONFIG.core.model_copy(update={"tools": False})


async def never(query: object) -> None:
    await asyncio.sleep(60)


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


async def test_what_stands_beside_a_block_in_a_request_is_counted_with_the_turn(tmp_path: Path):
    memory_file = tmp_path / "memory" / "ENTRIES.md"
    memory_file.parent.mkdir()
    entry = f"### [0a1b2c3d] fact | 0.90 | {date.today()} | 3\nThe user drinks oolong tea in the morning.\n"
    memory_file.write_text(f"# Memory\n\n## Active Memories\n\n{entry}", encoding="utf-8")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="a:b", text="ok, thanks!")
        entries = memory.prompt_entries(session_key="a:b").text  # a host builds its prompt while recall goes on
        await memory.message_sent(session_key="a:b", text="You are welcome.")
        offered = [{"name": one.name, "description": one.description} for one in memory.tools()]
        await memory.flush_index()
        (first,) = recorded(tmp_path)
    assert "oolong" in entries
    assert first.entry_tokens == estimate_tokens(entries)
    assert first.tool_tokens > estimate_tokens(json.dumps(offered)) > 100
    async with MemoryHost(tmp_path, config=CONFIG.model_copy(update={"core": NO_TOOLS})) as memory:
        await memory.message_received(session_key="a:b", text="ok, thanks!")
    assert [row.tool_tokens for row in recorded(tmp_path)] == [first.tool_tokens, 0]


async def test_a_record_that_takes_long_holds_no_turn_up(tmp_path: Path, monkeypatch):
    go_on = threading.Event()
    monkeypatch.setattr(RecallLedger, "record", lambda *_: go_on.wait(30))
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.start()
        started = time.monotonic()
        for _ in range(3):
            await memory.message_received(session_key="a:b", text="ok")
        assert time.monotonic() - started < 25
        assert not go_on.is_set()
        go_on.set()


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


def test_cost_sums_up_by_day_what_was_saved(tmp_path: Path, capsys):
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
    assert run_command_line(["cost", "-w", str(tmp_path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    told = answer["recall"]
    assert told["total"] == {
        "day": "total",
        "turns": 3,
        "failed": 0,
        "with_memories": 2,
        "memories": 4,
        "injected_tokens": 200,
        "whole_tokens": 4_000,
        "saved_tokens": 3_800,
        "saved_share": 0.95,
    }
    assert len(told["days"]) == 1
    parts = {"blocks": 200, "tools": 650, "entries": 30, "background": 0}
    assert answer["cost"] == {**parts, "total": 880, "whole_memory": 4_000, "net": 3_120}
    assert run_command_line(["cost", "-w", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "3,800" in shown
    assert "On average the set takes 1,040 tokens less in a turn" in shown
    assert f"What the set costs since {today.date()}, in 3 turns:" in shown
    assert f"What recall added to your turns since {today.date()}" in shown


async def test_a_turn_in_which_recall_was_too_late_or_failed_is_no_saving(tmp_path: Path, capsys):
    memory_file = tmp_path / "memory" / "MEMORY.md"
    memory_file.parent.mkdir()
    memory_file.write_text("The staging database listens on port 5433.\n" + "- 其他的事。\n" * 500, encoding="utf-8")
    late = CONFIG.model_copy(update={"plugins": {**CONFIG.plugins, "recall": {"heavy_ms": 1, "light_ms": 1}}})
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.flush_index()
        await memory.message_received(session_key="a:b", text="ok, thanks!")  # needs nothing, and saves all of it
    async with MemoryHost(tmp_path, config=late) as memory:
        memory.store.search = never  # type: ignore[method-assign, union-attr]
        context = await memory.message_received(session_key="a:b", text="Do you remember the staging port?")
    assert context.hit_ids == ()
    assert run_command_line(["cost", "-w", str(tmp_path), "--json"]) == 0
    (day,) = json.loads(capsys.readouterr().out)["recall"]["days"]
    whole = estimate_tokens(memory_file.read_text(encoding="utf-8"))
    assert (day["turns"], day["failed"], day["whole_tokens"]) == (2, 1, whole)
    assert run_command_line(["cost", "-w", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "In 1 of the turns recall failed or was too late, which counts as no saving" in said


def test_turns_that_failed_are_told_from_those_that_needed_nothing(tmp_path: Path):
    def turn(minute: int, *ids: str) -> Injection:
        return Injection(NOW + timedelta(minutes=minute), ids, 10 * len(ids), 1_000)

    turns = [turn(0), turn(5, "a"), turn(6), turn(7), turn(200)]
    missed = [NOW + timedelta(minutes=one) for one in (4, 6.5, 80)]  # the last was never answered
    (day,) = savings(turns, missed)
    assert (day.turns, day.failed, day.whole_tokens, day.saved_tokens) == (5, 2, 3_000, 2_990)
    (alone,) = savings([turn(1)], [NOW])
    assert (alone.failed, alone.saved_tokens, alone.saved_share) == (1, 0, 0.0)
