"""Time as the set sees it, so that tests can set it."""

import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio

# Above it a time since 1970 is in milliseconds.
_MILLISECONDS = 1e11


class Alarm(Protocol):
    """Something that is to happen at a time."""

    def cancel(self) -> None:
        """Let it not happen."""


class Clock(Protocol):
    """A source of wall-clock and monotonic time, and of alarms that ring by it."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start that never go backwards."""

    def call_later(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        """Call ``ring`` on the event loop that runs here, once, when so many seconds have passed."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return ``time.monotonic()``, in seconds."""
        return time.monotonic()

    def call_later(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        """Call ``ring`` on the event loop that runs here, as the loop's own method of this name does."""
        import asyncio  # which takes longer than what a short command does

        return asyncio.get_running_loop().call_later(seconds, ring)


@asynccontextmanager
async def time_limit(clock: Clock, seconds: float) -> "AsyncIterator[asyncio.Timeout]":
    """Bound what is done inside, as ``asyncio.timeout`` does, by a clock. Raises `TimeoutError`."""
    import asyncio

    async with asyncio.timeout(None) as bound:
        now = asyncio.get_running_loop().time
        alarm = clock.call_later(seconds, lambda: bound.reschedule(now()))
        try:
            yield bound
        finally:
            alarm.cancel()


async def sleep(clock: Clock, seconds: float) -> None:
    """Return when so many seconds have passed by a clock."""
    import asyncio

    rung = asyncio.Event()
    alarm = clock.call_later(seconds, rung.set)
    try:
        await rung.wait()
    finally:
        alarm.cancel()


class ManualClock:
    """A clock that moves only when a test moves it.

    An alarm rings when the clock is moved to its time, and at the latest when so many seconds have really passed: what
    nobody moves the clock for still ends.
    """

    def __init__(self, now: datetime, monotonic: float = 0.0) -> None:
        if now.tzinfo is None:
            raise ValueError("ManualClock needs an aware datetime")
        self._now = now
        self._monotonic = monotonic
        self._alarms: set[_ManualAlarm] = set()

    def now(self) -> datetime:
        """Return the time that was set last."""
        return self._now

    def monotonic(self) -> float:
        """Return the monotonic seconds that were set last."""
        return self._monotonic

    def set(self, now: datetime) -> None:
        """Set the wall clock, backwards too; the monotonic clock stays as it is."""
        self._now = now

    def call_later(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        """Call ``ring`` on the event loop that runs here when the clock has been moved by so many seconds."""
        alarm = _ManualAlarm(self._alarms, self._monotonic + seconds, seconds, ring)
        self._alarms.add(alarm)
        return alarm

    @property
    def alarms(self) -> list[float]:
        """In how many seconds each alarm rings that is set: what is being waited for, and until when."""
        return sorted(alarm.when - self._monotonic for alarm in tuple(self._alarms))

    def advance(self, seconds: float) -> None:
        """Move both clocks forward by ``seconds``; it may be called from any thread."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds
        for alarm in sorted(self._alarms, key=lambda one: one.when):
            if alarm.when <= self._monotonic:
                alarm.ring_soon()


class _ManualAlarm:
    """An alarm among those of a manual clock; ``when`` is the clock's monotonic time."""

    def __init__(self, alarms: "set[_ManualAlarm]", when: float, seconds: float, ring: Callable[[], None]) -> None:
        import asyncio

        self.when = when
        self._alarms = alarms
        self._ring = ring
        self._loop = asyncio.get_running_loop()
        self._really = self._loop.call_later(seconds, self._now)

    def cancel(self) -> None:
        """Let it not ring."""
        self._really.cancel()
        self._alarms.discard(self)

    def ring_soon(self) -> None:
        """Ring on the loop that it was set on, unless that has ended."""
        if self._loop.is_closed():
            self._alarms.discard(self)
        else:
            self._loop.call_soon_threadsafe(self._now)

    def _now(self) -> None:
        if self in self._alarms:
            self.cancel()
            self._ring()


def in_local_zone(time: datetime) -> datetime:
    """Return a time in the machine's zone; a naive one is there already."""
    try:
        return time.astimezone()
    except (OverflowError, OSError, ValueError):  # the ends of the calendar
        return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def time_of(value: object) -> datetime | None:
    """Return the time that a JSON value names: ISO 8601, or seconds or milliseconds since 1970; None for anything else.

    Without a zone it stays so.
    """
    if isinstance(value, str) and re.fullmatch(r"\d{10,13}", value):
        value = int(value)
    try:
        if isinstance(value, (int, float)) and value > 0 and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
        return datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except (OverflowError, OSError, ValueError):
        return None
