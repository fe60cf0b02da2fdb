"""The clock that all code reads the time from, and one that tests can set."""

import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio

# A larger number of time units since 1970 is in milliseconds, a smaller one in seconds.
_LARGEST_SECONDS = 1e11


class Alarm(Protocol):
    """A call that is scheduled for a time."""

    def cancel(self) -> None:
        """Cancel the call."""


class Clock(Protocol):
    """A source of wall-clock time, of monotonic time and of alarms."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start that never go backwards."""

    def call_later(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        """Call ``ring`` once, on the running event loop, after ``seconds``."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return ``time.monotonic()``, in seconds."""
        return time.monotonic()

    def call_later(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        """Call ``ring`` once, on the running event loop, after ``seconds``."""
        import asyncio  # slow to import: a short command does without it

        return asyncio.get_running_loop().call_later(seconds, ring)


@asynccontextmanager
async def time_limit(clock: Clock, seconds: float) -> "AsyncIterator[asyncio.Timeout]":
    """Limit the time of the block, as ``asyncio.timeout`` does, but by ``clock``. Raises `TimeoutError`."""
    import asyncio

    async with asyncio.timeout(None) as timeout:
        now = asyncio.get_running_loop().time
        alarm = clock.call_later(seconds, lambda: timeout.reschedule(now()))
        try:
            yield timeout
        finally:
            alarm.cancel()


async def sleep(clock: Clock, seconds: float) -> None:
    """Return after ``seconds`` by ``clock``."""
    import asyncio

    event = asyncio.Event()
    alarm = clock.call_later(seconds, event.set)
    try:
        await event.wait()
    finally:
        alarm.cancel()


class ManualClock:
    """A clock that moves only when a test moves it.

    An alarm rings when the clock reaches its time, or when its seconds have passed in real time, whichever comes first:
    a wait ends even if the test never moves the clock.
    """

    def __init__(self, now: datetime, monotonic: float = 0.0) -> None:
        if now.tzinfo is None:
            raise ValueError("ManualClock needs an aware datetime")
        self._now = now
        self._monotonic = monotonic
        self._alarms: set[_ManualAlarm] = set()

    def now(self) -> datetime:
        """Return the wall-clock time."""
        return self._now

    def monotonic(self) -> float:
        """Return the monotonic time, in seconds."""
        return self._monotonic

    def set(self, now: datetime) -> None:
        """Set the wall clock, forwards or backwards. The monotonic clock does not change."""
        self._now = now

    def call_later(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        """Call ``ring`` on the running event loop once the clock has moved forward by ``seconds``."""
        alarm = _ManualAlarm(self._alarms, self._monotonic + seconds, seconds, ring)
        self._alarms.add(alarm)
        return alarm

    @property
    def alarms(self) -> list[float]:
        """The seconds left until each pending alarm, in ascending order."""
        return sorted(alarm.when - self._monotonic for alarm in tuple(self._alarms))

    def advance(self, seconds: float) -> None:
        """Move both clocks forward by ``seconds``. May be called from any thread."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds
        for alarm in sorted(self._alarms, key=lambda item: item.when):
            if alarm.when <= self._monotonic:
                alarm.ring_soon()


class _ManualAlarm:
    """An alarm of a `ManualClock`. ``when`` is the clock's monotonic time at which it rings."""

    def __init__(self, alarms: "set[_ManualAlarm]", when: float, seconds: float, ring: Callable[[], None]) -> None:
        import asyncio

        self.when = when
        self._alarms = alarms
        self._ring = ring
        self._loop = asyncio.get_running_loop()
        self._real_timer = self._loop.call_later(seconds, self._ring_once)

    def cancel(self) -> None:
        """Cancel the alarm."""
        self._real_timer.cancel()
        self._alarms.discard(self)

    def ring_soon(self) -> None:
        """Ring on the event loop that set the alarm, unless that loop is closed."""
        if self._loop.is_closed():
            self._alarms.discard(self)
        else:
            self._loop.call_soon_threadsafe(self._ring_once)

    def _ring_once(self) -> None:
        if self in self._alarms:
            self.cancel()
            self._ring()


def in_local_zone(time: datetime) -> datetime:
    """Return a time in the machine's time zone. A naive time is taken as local."""
    try:
        return time.astimezone()
    except (OverflowError, OSError, ValueError):  # the ends of the calendar
        return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def time_of(value: object) -> datetime | None:
    """Return the time in a JSON value: ISO 8601, or seconds or milliseconds since 1970. Return None for anything else.

    ISO 8601 without an offset gives a naive time.
    """
    if isinstance(value, str) and re.fullmatch(r"\d{10,13}", value):
        value = int(value)
    try:
        if isinstance(value, (int, float)) and value > 0 and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _LARGEST_SECONDS else value, UTC)
        return datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except (OverflowError, OSError, ValueError):
        return None
