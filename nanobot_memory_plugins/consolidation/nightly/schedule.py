"""The task that consolidates once a day, in one of the processes of a workspace."""

import asyncio
import contextvars
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from nanobot_memory_plugins.consolidation.nightly.consolidation import LastRun, NightlyConsolidation
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.core import PluginContext, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread

# Seconds between looks at the clock: it may be set, and the machine may have slept.
_LOOK_SECONDS = 300.0


def is_due(last: datetime, now: datetime, hour: int, timezone: tzinfo | None = None) -> bool:
    """Return whether it has been ``hour`` o'clock since the last run, in local time."""

    def day(moment: datetime) -> datetime:
        return moment.astimezone(timezone).replace(tzinfo=None) - timedelta(hours=hour)

    return day(last).date() < day(now).date()


class Schedule:
    """Consolidates daily at ``hour`` o'clock, and what was missed some seconds after the start, as the options say."""

    def __init__(self, context: PluginContext) -> None:
        self._consolidation = NightlyConsolidation(context)
        self._options: ConsolidationOptions = context.options
        self._clock = context.clock
        # In a context of its own: the time limit of the hook that happens to start the memory is not ours.
        self._task = asyncio.create_task(self._run(), name="consolidation", context=contextvars.Context())

    async def stop(self) -> None:
        """End; a use of the model that is under way is given up, a write that has begun is finished."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        await asyncio.sleep(self._options.consolidation_delay)
        while True:
            try:
                await self._run_if_due()
            except Exception as error:  # a night that fails must not be the last one
                logger.warning("consolidation: it could not be done: {}", type(error).__name__)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _run_if_due(self) -> None:
        """Consolidate when it is due and nobody else does."""
        if await self._is_due():
            async with self._consolidation.alone() as is_alone:
                if is_alone and await self._is_due():  # another process may just have done it
                    (await self._consolidation.run()).log()

    async def _is_due(self) -> bool:
        return await run_in_daemon_thread(self._look_at_the_clock)

    def _look_at_the_clock(self) -> bool:
        now, last = self._clock.now(), self._consolidation.last_run()
        if last.when is None or last.when > now:
            # From here on days are counted: at the first start ever, and when a clock that was ahead is set back.
            self._consolidation.note_run(replace(last, when=now) if last.when else LastRun(now))
            return False
        return is_due(last.when, now, self._options.consolidation_hour)
