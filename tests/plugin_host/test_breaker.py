"""The circuit breaker, by example and as a state machine."""

from datetime import UTC, datetime

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.isolation.breaker import BreakerSettings, CircuitBreaker
from tests.support.examples import examples

START = datetime(2026, 1, 1, tzinfo=UTC)


def breaker(failures: int = 3, rest: float = 60.0) -> tuple[CircuitBreaker, ManualClock]:
    clock = ManualClock(START)
    return CircuitBreaker(BreakerSettings(failures, rest), clock), clock


def fail(one: CircuitBreaker) -> bool:
    permit = one.begin()
    assert permit is not None
    return one.fail(permit)


def test_it_rests_after_failures_in_a_row():
    one, _ = breaker()
    assert [fail(one) for _ in range(3)] == [False, False, True]
    assert one.resting
    assert one.begin() is None


def test_a_success_in_between_starts_the_count_again():
    one, _ = breaker()
    fail(one)
    fail(one)
    one.succeed(one.begin())
    assert [fail(one), fail(one)] == [False, False]
    assert not one.resting


def test_after_the_rest_one_trial_is_let_through():
    one, clock = breaker(failures=1)
    fail(one)
    clock.advance(59.9)
    assert one.begin() is None
    clock.advance(0.2)
    trial = one.begin()
    assert trial is not None
    assert one.begin() is None
    assert one.succeed(trial)
    assert one.failures == 0
    assert one.begin() is not None


def test_a_trial_that_fails_prolongs_the_rest():
    one, clock = breaker(failures=1)
    fail(one)
    clock.advance(61)
    assert not fail(one)
    assert one.begin() is None
    clock.advance(61)
    assert one.begin() is not None


def test_a_trial_that_is_broken_off_leaves_room_for_the_next():
    one, clock = breaker(failures=1)
    fail(one)
    clock.advance(61)
    one.release(one.begin())
    assert one.begin() is not None


def test_a_call_from_before_the_rest_neither_ends_nor_prolongs_it():
    one, _ = breaker(failures=1)
    early, other = one.begin(), one.begin()
    fail(one)
    assert not one.succeed(early)
    assert one.resting
    one.fail(other)
    assert one.failures == 1


@pytest.mark.parametrize("wrong", [{"failures": 0}, {"rest_seconds": -1.0}, {"rest_seconds": float("nan")}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]):
    with pytest.raises(ValueError, match=r"breaker|rest_seconds"):
        BreakerSettings(**wrong)


class BreakerMachine(RuleBasedStateMachine):
    """Calls that overlap and end in any order, against a plain model of what was seen."""

    def __init__(self) -> None:
        super().__init__()
        self.limit = 2
        self.rest = 10.0
        self.clock = ManualClock(START)
        self.breaker = CircuitBreaker(BreakerSettings(self.limit, self.rest), self.clock)
        self.running: list[tuple[int, int]] = []  # permit, and the model's period at the time
        self.period = 0
        self.in_a_row = 0
        self.opened_at: float | None = None
        self.trial = False

    def due(self) -> bool:
        return self.opened_at is not None and self.clock.monotonic() >= self.opened_at + self.rest

    @rule()
    def call(self) -> None:
        allowed = self.opened_at is None or (self.due() and not self.trial)
        permit = self.breaker.begin()
        assert (permit is not None) == allowed
        if permit is not None:
            self.trial = self.opened_at is not None
            self.running.append((permit, self.period))

    @precondition(lambda self: self.running)
    @rule(data=st.data(), how=st.sampled_from(["succeed", "fail", "release"]))
    def end(self, data: st.DataObject, how: str) -> None:
        permit, period = self.running.pop(data.draw(st.integers(0, len(self.running) - 1)))
        getattr(self.breaker, how)(permit)
        if period != self.period:
            return
        if how == "release":
            self.trial = False
        elif how == "succeed":
            self.in_a_row = 0
            if self.opened_at is not None:
                self.opened_at, self.trial = None, False
                self.period += 1
        else:
            self.in_a_row += 1
            if self.opened_at is not None or self.in_a_row >= self.limit:
                self.opened_at, self.trial = self.clock.monotonic(), False
                self.period += 1

    @rule(seconds=st.floats(0, 20))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @invariant()
    def it_counts_failures_in_a_row(self) -> None:
        assert self.breaker.failures == self.in_a_row

    @invariant()
    def it_rests_when_the_model_does(self) -> None:
        assert self.breaker.resting == (self.opened_at is not None and (self.trial or not self.due()))

    @invariant()
    def below_the_limit_it_never_rests(self) -> None:
        assert not self.breaker.resting or self.in_a_row >= self.limit


TestBreakerMachine = BreakerMachine.TestCase
TestBreakerMachine.settings = settings(max_examples=examples(60), stateful_step_count=40, deadline=None)
