"""A turn without memory is recorded with the reason, and ``doctor`` reports it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host.turn_records import missed_findings, missed_turns
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values.diagnosis import Health

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
STORAGE = {"storage": {"embedding_provider": "none"}, "nanobot": {"enabled": False}}


def config(message_limit: float, recall_timeout: float) -> MemoryConfig:
    plugins = {**STORAGE, "recall": {"recall_timeout": recall_timeout}}
    return MemoryConfig.model_validate({"core": {"message_limit": message_limit}, "plugins": plugins})


class PassingClock(ManualClock):
    """A clock that advances a little on each reading, so that shorter limits are exceeded."""

    def monotonic(self) -> float:
        self.advance(0.001)
        return super().monotonic()


async def ask(workspace: Path, options: MemoryConfig) -> list[str]:
    """Send a message, and return the recorded reasons why its turn had no memory."""
    async with MemoryHost(workspace, config=options, clock=PassingClock(NOW)) as memory:
        await memory.message_received(session_key="a:b", text="Do you remember the port of the staging database?")
        await memory.flush_index()
        return [why for _, why in missed_turns(StateDatabase.of(workspace), since=NOW)]


async def test_a_turn_without_an_answer_in_time_is_reported_with_the_reason(tmp_path: Path):
    missed = await ask(tmp_path, config(message_limit=1e-6, recall_timeout=60))
    assert "no answer within 1e-06 s" in missed
    (found,) = missed_findings(StateDatabase.of(tmp_path), NOW + timedelta(hours=23))
    assert found.health is Health.DEGRADED
    assert "in the last day 1 (no answer within 1e-06 s)" in found.state
    assert missed_findings(StateDatabase.of(tmp_path), NOW + timedelta(hours=25)) == []


async def test_a_recall_over_its_own_limit_is_reported_and_the_hint_helps(tmp_path: Path):
    assert await ask(tmp_path, config(message_limit=60, recall_timeout=1e-6)) == ["no answer within 1e-06 s"]
    (found,) = missed_findings(StateDatabase.of(tmp_path), NOW)
    assert "config set recall.recallTimeout 2" in found.hint
    StateDatabase.of(tmp_path).execute("DELETE FROM event")
    assert await ask(tmp_path, config(message_limit=60, recall_timeout=60)) == []
    assert missed_findings(StateDatabase.of(tmp_path), NOW) == []
