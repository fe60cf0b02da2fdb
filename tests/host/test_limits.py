"""What a plugin that hangs costs a host, by a clock that is moved."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.testing import ManualClock, install_plugin

HANGS = """
import asyncio
from nanobot_memory_plugins.core import hookimpl

async def hang():
    await asyncio.Event().wait()

def hanging(name):
    async def one():
        await hang()
    one.__name__ = name
    return hookimpl(one)

for name in ("on_tool_executed", "on_session_idle", "before_compaction"):
    globals()[name] = hanging(name)
"""
HISTORY = [{"role": "user", "content": "The gate is green."}, {"role": "assistant", "content": "Noted."}]


async def test_an_idle_and_a_compaction_with_a_plugin_that_hangs_cost_a_minute_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "site").mkdir()
    install_plugin(tmp_path / "site", monkeypatch, "hangs", HANGS)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "hangs")
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    async with MemoryHost(tmp_path / "workspace", clock=clock) as memory:
        began = clock.monotonic()
        for use in (
            memory.session_idle(session_key="cli:a", history=HISTORY),
            memory.before_compaction(
                session_key="cli:a", messages=HISTORY, context_window=8_000, reason="token_pressure"
            ),
        ):
            using = asyncio.ensure_future(use)
            while not using.done():
                await asyncio.sleep(0)
                if clock.alarms:
                    clock.advance(clock.alarms[0])
        assert 120 <= clock.monotonic() - began <= 130
