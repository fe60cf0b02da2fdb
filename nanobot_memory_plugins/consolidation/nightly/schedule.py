"""When the daily consolidation is due: pure functions of the moment."""

from datetime import datetime, time, timedelta, tzinfo

from nanobot_memory_plugins.consolidation.store.nightly_records import LastRun

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
