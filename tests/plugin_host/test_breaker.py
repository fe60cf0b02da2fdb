"""The circuit breaker: when it lets a call through."""

from datetime import UTC, datetime

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.isolation.breaker import CircuitBreaker


def test_a_trial_that_is_broken_off_leaves_room_for_the_next():
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    one = CircuitBreaker(1, 60.0, clock)
    assert one.begin()
    assert one.fail()
    clock.advance(61)
    assert one.begin()
    one.release()
    assert one.begin()
