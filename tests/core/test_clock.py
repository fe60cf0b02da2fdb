"""What waits by a clock, and a clock that is moved."""

import asyncio
from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.core.clock import SystemClock, sleep, time_limit
from nanobot_memory_plugins.core.testing import ManualClock

NOW = datetime(2026, 3, 1, tzinfo=UTC)


async def test_what_waits_by_a_clock_goes_on_when_it_is_moved_in_order_and_from_any_thread():
    clock, rung = ManualClock(NOW), list[str]()
    clock.call_later(900.0, lambda: rung.append("late"))
    clock.call_later(300.0, lambda: rung.append("early"))
    clock.call_later(200.0, lambda: rung.append("never")).cancel()
    sleeping = asyncio.ensure_future(sleep(clock, 600.0))
    await asyncio.sleep(0)
    assert clock.alarms == [300.0, 600.0, 900.0]
    await asyncio.to_thread(clock.advance, 599.0)
    await asyncio.sleep(0)
    assert (rung, sleeping.done(), clock.alarms) == (["early"], False, [1.0, 301.0])
    clock.advance(400.0)
    await sleeping
    assert (rung, clock.alarms) == (["early", "late"], [])


@pytest.mark.parametrize("clock", [ManualClock(NOW), SystemClock()])
async def test_a_limit_that_nobody_moves_the_clock_for_ends_by_the_machines_own(clock: ManualClock | SystemClock):
    with pytest.raises(TimeoutError):
        async with time_limit(clock, 0.01) as limit:
            await asyncio.Event().wait()
    assert limit.expired()
    async with time_limit(clock, 500.0):
        pass
    assert getattr(clock, "alarms", []) == []
