"""When the consolidation runs: once a day, in one process, whatever clocks and processes do."""

import asyncio
import contextlib
import sys
import textwrap
import time
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from nanobot_memory_plugins.consolidation.nightly.schedule import is_due, next_slot
from nanobot_memory_plugins.consolidation.nightly.scheduler import Scheduler, alone
from nanobot_memory_plugins.consolidation.store.nightly_records import LastRun
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import ManualClock
from tests.support.each import each

from .made_entries import NOW
from .nightly_days import Days, Model, at, operations

COFFEE = "The user drinks coffee in the morning since March"
ADD = operations({"op": "add", "content": COFFEE})


@pytest.fixture
def world(workspace: Path) -> Days:
    return Days(workspace)


def scheduler(world: Days, model: Model | None, **more) -> Scheduler:
    consolidation = world.consolidation(model)
    values = {"clock": world.clock, "hour": 3, "delay": 30.0, "timezone": UTC, **more}
    return Scheduler(consolidation, **values)


@pytest.mark.accept("NC-06")
@each(
    ("last", "now", "hour", "due"),
    [
        ("2026-02-19T03:00:05", "2026-02-20T02:59", 3, False),
        ("2026-02-19T03:00:05", "2026-02-20T03:00", 3, True),
        ("2026-02-20T03:00:05", "2026-02-20T10:00", 3, False),
        ("2026-02-01T03:00:05", "2026-02-20T01:00", 3, True),  # missed for weeks: once, at once
        ("2026-02-19T22:30", "2026-02-19T23:00", 23, True),
        ("2026-02-19T23:00:05", "2026-02-20T22:59", 23, False),
    ],
)
def test_it_is_due_once_for_each_day_at_the_hour(last: str, now: str, hour: int, due: bool):
    assert is_due(LastRun(at(last)), at(now), hour, UTC) is due


def test_the_hour_is_local_and_survives_changes_of_the_clocks():
    berlin = ZoneInfo("Europe/Berlin")
    assert next_slot(at("2026-01-10T12:00"), 3, berlin) == at("2026-01-11T02:00")
    assert next_slot(at("2026-07-10T12:00"), 3, berlin) == at("2026-07-11T01:00")
    # 2 o'clock is left out on 29 March 2026.
    spring = next_slot(at("2026-03-28T12:00"), 2, berlin)
    assert at("2026-03-29T00:00") <= spring <= at("2026-03-29T02:00")
    last, runs, now = LastRun(at("2026-03-25T12:00")), 0, at("2026-03-25T12:00")
    while now < at("2026-04-04T12:00"):
        now += timedelta(minutes=7)
        if is_due(last, now, 2, berlin):
            last, runs = LastRun(now), runs + 1
    assert runs == 10


def test_a_failed_night_is_tried_again_after_an_hour():
    failed = LastRun(at("2026-02-19T03:00"), failures=1, failed_at=at("2026-02-20T03:00"))
    assert not is_due(failed, at("2026-02-20T03:59"), 3, UTC)
    assert is_due(failed, at("2026-02-20T04:00"), 3, UTC)


async def test_three_failures_give_the_day_up(world: Days):
    world.note(COFFEE)
    world.consolidation(None).records.note_run(LastRun(NOW - timedelta(days=2)))
    model = Model("what?")
    one = scheduler(world, model)
    done = []
    for _ in range(12):
        done.append(await one.look())
        world.clock.advance(1_800)
    assert sum(done) == 3
    assert len(model.asked) == 3
    world.clock.set(NOW + timedelta(days=1))
    assert await one.look()


@pytest.mark.accept("NC-06")
async def test_the_first_start_counts_from_now_and_later_starts_make_up_for_what_was_missed(world: Days):
    world.note(COFFEE)
    model = Model(ADD)
    assert not await scheduler(world, model).look()
    world.clock.advance(3_600)
    assert not await scheduler(world, model).look()
    world.clock.advance(3 * 86_400)  # the machine was off for three nights
    assert await scheduler(world, model).look()
    assert not await scheduler(world, model).look()
    assert len(model.asked) == 1


class OneOfMany:
    """A store that machines share: says whether this one does the work."""

    def __init__(self) -> None:
        self.free = False
        self.asked: list[float] = []

    async def lease(self, work: str, seconds: float) -> bool:
        self.asked.append(seconds)
        return self.free


async def test_of_machines_that_share_a_memory_one_at_a_time_consolidates(world: Days):
    world.note(COFFEE)
    world.consolidation(None).records.note_run(LastRun(NOW - timedelta(days=2)))
    model, store = Model(ADD), OneOfMany()
    one = scheduler(world, model, store=lambda: store)
    assert not await one.look()
    assert model.asked == []
    store.free = True
    assert await one.look()
    assert len(model.asked) == 1
    assert store.asked[-1] == 0  # and is given back


async def test_a_clock_that_was_ahead_neither_stops_it_for_ever_nor_makes_it_run_at_once(world: Days):
    world.note(COFFEE)
    one = scheduler(world, Model(ADD))
    world.consolidation(None).records.note_run(LastRun(NOW + timedelta(days=400)))
    assert not await one.look()
    world.clock.advance(86_400)
    assert await one.look()


async def test_it_waits_after_the_start_and_then_until_the_hour(world: Days):
    world.note(COFFEE)
    world.consolidation(None).records.note_run(LastRun(NOW - timedelta(hours=1)))
    slept: list[float] = []
    woken = asyncio.Event()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        world.clock.advance(seconds)
        if world.clock.now() > NOW + timedelta(hours=40):
            woken.set()
            await asyncio.Event().wait()

    model = Model(ADD)
    one = scheduler(world, model, sleep=sleep)
    one.start()
    await asyncio.wait_for(woken.wait(), 30)
    await one.stop()
    assert (slept[0], max(slept) <= 300) == (30.0, True)
    (run,) = [run for run in world.memory.repository.journal.runs() if run.who == "consolidation"]
    assert run.time.startswith("2026-02-21T03:00:0")


@pytest.mark.slow
async def test_only_one_of_several_processes_does_it(world: Days, workspace: Path):
    world.note(COFFEE)
    world.consolidation(None).records.note_run(LastRun(NOW - timedelta(days=2)))
    code = textwrap.dedent(
        """
        import asyncio, sys
        from pathlib import Path
        from tests.consolidation.nightly_days import Days, Model, operations
        from tests.consolidation.test_nightly_schedule import ADD, scheduler

        class Slow(Model):
            async def __call__(self, messages, *, max_tokens, purpose):
                Path(sys.argv[1], "asked").open("a").write("x")
                await asyncio.sleep(0.3)
                return await super().__call__(messages, max_tokens=max_tokens, purpose=purpose)

        async def main():
            one = scheduler(Days(Path(sys.argv[1])), Slow(ADD))
            for _ in range(8):
                await one.look()
                await asyncio.sleep(0.05)

        asyncio.run(main())
        """
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", code, str(workspace)]
    started = [await asyncio.create_subprocess_exec(*command, cwd=root) for _ in range(4)]
    assert [await process.wait() for process in started] == [0] * 4
    assert (workspace / "asked").read_text() == "x"
    assert world.contents() == {COFFEE}


async def test_while_another_consolidates_nothing_is_begun(world: Days):
    world.note(COFFEE)
    world.consolidation(None).records.note_run(LastRun(NOW - timedelta(days=2)))
    model = Model(ADD)
    async with alone(world.memory.repository.paths) as is_alone:
        assert is_alone
        assert not await scheduler(world, model).look()
    assert await scheduler(world, model).look()


async def test_the_host_consolidates_in_the_background_and_ends_at_once(world: Days, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    world.note(COFFEE)
    world.consolidation(None).records.note_run(LastRun(NOW - timedelta(days=2)))
    config = MemoryConfig.model_validate({"plugins": {"consolidation": {"consolidationDelay": 0.05}}})
    asked = asyncio.Event()

    async def hangs(messages, *, max_tokens, purpose):
        asked.set()
        await asyncio.Event().wait()

    async with MemoryHost(world.workspace, config=config, llm=hangs, clock=ManualClock(NOW)):
        await asyncio.wait_for(asked.wait(), 20)
        started = time.perf_counter()
    assert time.perf_counter() - started < 5
    assert world.entries() == {}

    model = Model(ADD)
    async with MemoryHost(world.workspace, config=config, llm=model, clock=ManualClock(NOW)):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(20):
                while not world.entries():
                    await asyncio.sleep(0.05)
    assert world.contents() == {COFFEE}
    assert len(model.asked) == 1


async def test_it_can_be_left_to_the_command(world: Days, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    world.consolidation(None).records.note_run(LastRun(NOW - timedelta(days=2)))
    options = {"consolidationSchedule": False, "consolidationDelay": 0}
    config = MemoryConfig.model_validate({"plugins": {"consolidation": options}})
    async with MemoryHost(world.workspace, config=config, clock=ManualClock(NOW)):
        await asyncio.sleep(0.3)
    assert world.consolidation(None).records.last_run() == replace(LastRun(), when=NOW - timedelta(days=2))
