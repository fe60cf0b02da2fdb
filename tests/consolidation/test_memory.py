"""The entries on an event loop."""

import asyncio
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.values.diagnosis import Health

from .made_entries import NOW, added, entry

ALONE = MemoryConfig.model_validate(
    {"plugins": {name: {"enabled": False} for name in ("storage", "recall", "nanobot")}}
)


@pytest.fixture
def memory(workspace: Path) -> AsyncEntryRepository:
    return AsyncEntryRepository(workspace, clock=ManualClock(NOW), redact=lambda text: text)


@pytest.mark.accept("EB-13")
async def test_triggers_at_once_are_done_one_after_the_other_and_none_is_lost(memory: AsyncEntryRepository):
    done = await asyncio.gather(
        *(memory.remember(NewEntry(f"text {number}"), who="test") for number in range(12)),
        *(memory.remember(NewEntry(f"more {number}"), who="test") for number in range(12)),
    )
    assert len(done) == 24
    assert len((await memory.load()).entries) == 24


async def test_the_loop_goes_on_while_the_file_is_locked(memory: AsyncEntryRepository, workspace: Path):
    with EntryRepository(workspace).locked():
        waiting = asyncio.create_task(memory.remember(NewEntry("likes tea"), who="test"))
        started = time.perf_counter()
        for _ in range(5):
            await asyncio.sleep(0.01)
        assert time.perf_counter() - started < 2
        assert not waiting.done()
    assert (await waiting).is_new


async def test_every_call_leads_to_the_file(memory: AsyncEntryRepository):
    tea = (await memory.remember(NewEntry("likes tea"), who="user")).entry
    base = (await memory.load()).entries
    assert set(base) == {tea.id}
    await memory.forget([tea.id], who="user")
    assert set((await memory.load()).entries) == set()


async def test_doctor_says_how_the_entries_stand(memory: AsyncEntryRepository, workspace: Path):
    async def state() -> tuple[Health, str]:
        async with MemoryHost(workspace, config=ALONE) as host:
            (found,) = [one for one in await host.diagnose() if one.subject == "scored entries"]
            return found.health, found.state

    memory.repository.update(added(entry("a", "one"), entry("b", "two", 0.1)), who="test", why="add")
    assert await state() == (Health.GOOD, "1 active, 1 archived in ENTRIES.md")
    path = workspace / "memory" / "ENTRIES.md"
    good = path.read_bytes()
    path.write_bytes(good.replace(b"0.10", b"much"))
    health, words = await state()
    assert (health, words.startswith("1 active, 0 archived in ENTRIES.md; line ")) == (Health.DEGRADED, True)
    path.write_bytes(good[:-20] + b"\0" * 20)
    # The start puts the last good copy in its place, and keeps the damaged one beside it.
    assert (await state())[1].startswith("1 active, ")
    (kept,) = path.parent.glob("ENTRIES.md.aside-*")
    assert kept.read_bytes().endswith(b"\0" * 20)
