"""A circuit breaker: whoever fails again and again is left alone for a while."""

from dataclasses import dataclass

from nanobot_memory_plugins.core.clock import Clock


@dataclass(frozen=True, slots=True)
class BreakerSettings:
    """When a breaker opens, and for how long.

    ``failures`` in a row open it for ``rest_seconds``; one trial is allowed afterwards.
    """

    failures: int = 3
    rest_seconds: float = 60.0

    def __post_init__(self) -> None:
        if self.failures < 1:
            raise ValueError("a breaker needs at least one failure to open")
        if not self.rest_seconds >= 0:
            raise ValueError("rest_seconds cannot be negative")


class CircuitBreaker:
    """Counts the failures in a row of one implementation and says whether it may be called.

    Every call asks `begin` for a permit and hands it back with exactly one of `succeed`, `fail` and
    `release`. What a call reports after the breaker has moved on (a call from before it opened, say) is
    not counted: a permit is the number of the period in which it was given.
    """

    __slots__ = ("_clock", "_period", "_resting_until", "_settings", "_trial", "failures")

    def __init__(self, settings: BreakerSettings, clock: Clock) -> None:
        self.failures = 0
        self._settings = settings
        self._clock = clock
        self._period = 0
        self._resting_until: float | None = None
        self._trial = False

    @property
    def resting(self) -> bool:
        """Whether a call would be refused now."""
        return self._resting_until is not None and (self._trial or self._clock.monotonic() < self._resting_until)

    def begin(self) -> int | None:
        """Return a permit, or None while resting. After the rest, one call at a time is let through."""
        if self._resting_until is not None:
            if self.resting:
                return None
            self._trial = True
        return self._period

    def succeed(self, permit: int) -> bool:
        """Count a success; true when it ends a rest."""
        if permit != self._period:
            return False
        self.failures = 0
        if self._resting_until is None:
            return False
        self._resting_until = None
        self._next_period()
        return True

    def fail(self, permit: int) -> bool:
        """Count a failure; true when it begins a rest, false when it only prolongs one."""
        if permit != self._period:
            return False
        self.failures += 1
        begins = self._resting_until is None
        if begins and self.failures < self._settings.failures:
            return False
        self._resting_until = self._clock.monotonic() + self._settings.rest_seconds
        self._next_period()
        return begins

    def release(self, permit: int) -> None:
        """Give a permit back unused: the call was broken off from outside and shows nothing."""
        if permit == self._period:
            self._trial = False

    def _next_period(self) -> None:
        self._trial = False
        self._period += 1
