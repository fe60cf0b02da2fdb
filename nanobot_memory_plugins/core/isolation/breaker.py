"""A circuit breaker: whoever fails again and again is left alone for a while."""

from nanobot_memory_plugins.core.clock import Clock


class CircuitBreaker:
    """Counts the failures in a row of one implementation, and says when it is to rest. It knows the last reason.

    So many as ``most`` let it rest for ``rest_seconds``, and after that each one more does, until one call succeeds.
    What ends during a rest began before it, and counts for nothing.
    """

    __slots__ = ("_clock", "_most", "_rest_seconds", "_resting_until", "failures", "reason")

    def __init__(self, most: int, rest_seconds: float, clock: Clock) -> None:
        self.failures = 0
        self.reason = ""
        self._most = most
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._resting_until: float | None = None

    @property
    def resting(self) -> bool:
        """Whether it is not to be called now."""
        return self._resting_until is not None and self._clock.monotonic() < self._resting_until

    def succeed(self) -> bool:
        """Count a success; true when it is the first after a rest."""
        if self.resting:
            return False
        ends = self._resting_until is not None
        self.failures, self._resting_until = 0, None
        return ends

    def fail(self, reason: str = "") -> bool:
        """Count a failure; true when it begins a rest, false when it only prolongs one."""
        self.reason = reason
        if self.resting:
            return False
        begins = self._resting_until is None
        self.failures += 1
        if self.failures >= self._most:
            self._resting_until = self._clock.monotonic() + self._rest_seconds
        return begins and self.failures >= self._most
