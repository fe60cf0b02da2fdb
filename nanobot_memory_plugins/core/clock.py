"""Time as the set sees it, so that tests can set it."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """A source of wall-clock and monotonic time."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start that never go backwards."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return ``time.monotonic()``, in seconds."""
        return time.monotonic()


class ManualClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, now: datetime, monotonic: float = 0.0) -> None:
        if now.tzinfo is None:
            raise ValueError("ManualClock needs an aware datetime")
        self._now = now
        self._monotonic = monotonic

    def now(self) -> datetime:
        """Return the time that was set last."""
        return self._now

    def monotonic(self) -> float:
        """Return the monotonic seconds that were set last."""
        return self._monotonic

    def set(self, now: datetime) -> None:
        """Set the wall clock, backwards too; the monotonic clock stays as it is."""
        self._now = now

    def advance(self, seconds: float) -> None:
        """Move both clocks forward by ``seconds``."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds
