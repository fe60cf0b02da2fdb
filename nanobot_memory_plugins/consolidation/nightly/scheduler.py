"""The task that consolidates once a day, in one of the processes of a workspace."""

import asyncio
import contextlib
import contextvars
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import datetime, time, timedelta, tzinfo

from nanobot_memory_plugins.consolidation.nightly.pipeline import NightlyConsolidation, log_report
from nanobot_memory_plugins.consolidation.store.nightly_records import LastRun, Records
from nanobot_memory_plugins.core import Clock, Store, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import LeasingStore

WORK = "entries"
# Seconds for which a machine that has died keeps the others waiting.
_HELD = 300.0


@contextlib.asynccontextmanager
async def only_machine(store: Store | None) -> AsyncIterator[bool]:
    """Return whether no other machine works on the entries, and keep it so inside the block.

    Where no machines share a memory, there is no other one.
    """
    if not isinstance(store, LeasingStore):
        yield True
        return
    taken = await store.lease(WORK, _HELD)
    keeping = asyncio.create_task(_keep(store)) if taken else None
    try:
        yield taken
    finally:
        if keeping is not None:
            keeping.cancel()
            await asyncio.wait({keeping})
            await store.lease(WORK, 0.0)


async def _keep(store: LeasingStore) -> None:
    while True:
        await asyncio.sleep(_HELD / 3)
        await store.lease(WORK, _HELD)


# After a failure of the model, before the next try.
RETRY_AFTER = timedelta(hours=1)


def slot_on(now: datetime, days: int, hour: int, timezone: tzinfo | None) -> datetime:
    """Return the moment of ``hour`` o'clock, ``days`` days from today, in local time.

    Where a change of the clocks leaves that hour out, it is the hour after it.
    """
    local = now.astimezone(timezone)
    naive = datetime.combine(local.date() + timedelta(days=days), time(hour))
    return (naive.replace(tzinfo=timezone) if timezone is not None else naive).astimezone(now.tzinfo)


def next_slot(now: datetime, hour: int, timezone: tzinfo | None = None) -> datetime:
    """Return the next moment after ``now`` at which a consolidation is planned."""
    slots = [slot_on(now, days, hour, timezone) for days in (0, 1, 2)]
    return next(slot for slot in slots if slot > now)


def is_due(last: LastRun, now: datetime, hour: int, timezone: tzinfo | None = None) -> bool:
    """Return whether a consolidation was planned since the last one. One that failed is due again an hour later.

    Without a last run nothing was missed; one that lies ahead counts as having been now: a clock was wrong.
    """
    if last.when is None or last.when > now:
        return False
    if last.failures and last.failed_at is not None and timedelta() <= now - last.failed_at < RETRY_AFTER:
        return False
    slots = [slot_on(now, days, hour, timezone) for days in (-1, 0)]
    planned = max(slot for slot in slots if slot <= now)
    return last.when < planned


# Seconds between looks at the clock, at most: it may be set, and the machine may have slept.
_LOOK_SECONDS = 300.0
_SHORTEST_SECONDS = 1.0


@contextlib.asynccontextmanager
async def alone(records: Records, clock: Clock) -> AsyncIterator[bool]:
    """Return whether no other process consolidates, and keep it so inside the block. Raises `StoreError`."""
    is_alone = await run_in_daemon_thread(records.begin, clock.now())
    try:
        yield is_alone
    finally:
        if is_alone:
            await run_in_daemon_thread(records.end)


class Scheduler:
    """Consolidates daily at ``hour`` o'clock, local time, and what was missed ``delay`` seconds after the start.

    ``sleep`` and ``timezone`` can be set by tests; the zone is the machine's own by default. ``store`` is the open
    store: of machines that share one, one consolidates at a time.
    """

    def __init__(
        self,
        consolidation: NightlyConsolidation,
        *,
        clock: Clock,
        hour: int,
        delay: float,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        timezone: tzinfo | None = None,
        store: Callable[[], Store | None] = lambda: None,
    ) -> None:
        self._consolidation = consolidation
        self._store = store
        self._records: Records = consolidation.records
        self._clock = clock
        self._hour = hour
        self._delay = delay
        self._sleep = sleep
        self._timezone = timezone
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin. It does not wait for anything."""
        if self._task is None:
            # In a context of its own: the time limit of the hook that happens to start the memory is not ours.
            self._task = asyncio.create_task(self._run(), name="consolidation", context=contextvars.Context())

    async def stop(self) -> None:
        """End; a use of the model that is under way is given up, a write that has begun is finished."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def look(self) -> bool:
        """Consolidate when it is due and nobody else does; return whether it was done. Raises `MemoryFileError`."""
        if not await self._is_due():
            return False
        async with alone(self._records, self._clock) as is_alone:
            # Another process may just have done it.
            if not is_alone or not await self._is_due():
                return False
            async with only_machine(self._store()) as is_only:
                if is_only:
                    log_report(await self._consolidation.run())
                return is_only

    async def _run(self) -> None:
        await self._sleep(self._delay)
        while True:
            try:
                await self.look()
            except Exception as error:  # a night that fails must not be the last one
                logger.warning("consolidation: it could not be done: {}", type(error).__name__)
            now = self._clock.now()
            left = (next_slot(now, self._hour, self._timezone) - now).total_seconds()
            await self._sleep(max(_SHORTEST_SECONDS, min(_LOOK_SECONDS, left)))

    async def _is_due(self) -> bool:
        return await run_in_daemon_thread(self._look_at_the_clock)

    def _look_at_the_clock(self) -> bool:
        now, last = self._clock.now(), self._records.last_run()
        if last.when is None or last.when > now:
            # From here on days are counted: at the first start ever, and when a clock that was ahead is set back.
            self._records.note_run(replace(last, when=now, failures=0) if last.when else LastRun(now))
            return False
        return is_due(last, now, self._hour, self._timezone)
