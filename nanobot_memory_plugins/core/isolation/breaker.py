"""A circuit breaker: whoever fails again and again is left alone for a while."""

from nanobot_memory_plugins.core.clock import Clock


class CircuitBreaker:
    """Counts the failures in a row of one implementation, and says whether it may be called. It knows the last reason.

    So many as ``most`` open it for ``rest_seconds``; one trial is allowed afterwards. Each call asks `begin`, and ends
    with exactly one of `succeed`, `fail` and `release`. What ends during a rest began before it, and counts for
    nothing.
    """

    __slots__ = ("_clock", "_is_trial", "_most", "_rest_seconds", "_resting_until", "failures", "reason")

    def __init__(self, most: int, rest_seconds: float, clock: Clock) -> None:
        self.failures = 0
        self.reason = ""
        self._most = most
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._resting_until: float | None = None
        self._is_trial = False

    @property
    def resting(self) -> bool:
        """Whether a call would be refused now."""
        return self._resting_until is not None and (self._is_trial or self._clock.monotonic() < self._resting_until)

    def begin(self) -> bool:
        """Return whether a call may begin. After the rest, one at a time may."""
        if self.resting:
            return False
        self._is_trial = self._resting_until is not None
        return True

    def succeed(self) -> bool:
        """Count a success; true when it ends a rest."""
        if self._resting_until is not None and not self._is_trial:
            return False
        ends = self._is_trial
        self.failures, self._resting_until, self._is_trial = 0, None, False
        return ends

    def fail(self, reason: str = "") -> bool:
        """Count a failure; true when it begins a rest, false when it only prolongs one."""
        self.reason = reason
        if self._resting_until is not None and not self._is_trial:
            return False
        self.failures += 1
        prolongs, self._is_trial = self._is_trial, False
        if prolongs or self.failures >= self._most:
            self._resting_until = self._clock.monotonic() + self._rest_seconds
            return not prolongs
        return False

    def release(self) -> None:
        """Count nothing: the call was broken off from outside."""
        self._is_trial = False
