"""The circuit breaker: when it lets a call through."""

from datetime import UTC, datetime

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.isolation.breaker import BreakerSettings, CircuitBreaker


def breaker(failures: int = 3) -> tuple[CircuitBreaker, ManualClock]:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    return CircuitBreaker(BreakerSettings(failures, 60.0), clock), clock


def fail(one: CircuitBreaker) -> bool:
    assert one.begin()
    return one.fail()


def test_a_trial_that_fails_prolongs_the_rest():
    one, clock = breaker(failures=1)
    fail(one)
    clock.advance(61)
    assert not fail(one)
    assert not one.begin()
    clock.advance(61)
    assert one.begin()


def test_a_trial_that_is_broken_off_leaves_room_for_the_next():
    one, clock = breaker(failures=1)
    fail(one)
    clock.advance(61)
    one.begin()
    one.release()
    assert one.begin()


def test_a_call_from_before_the_rest_neither_ends_nor_prolongs_it():
    one, clock = breaker(failures=1)
    for _ in range(3):
        one.begin()
    one.fail()
    clock.advance(59)
    assert not one.succeed()
    assert not one.fail()
    assert (one.failures, one.resting) == (1, True)
    clock.advance(2)
    assert not one.resting
