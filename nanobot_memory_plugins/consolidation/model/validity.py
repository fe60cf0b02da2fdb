"""Until when an entry holds: its last day is included, in the zone of this machine."""

from datetime import UTC, date, datetime, timedelta, tzinfo


def end_of(day: date, zone: tzinfo | None = None) -> datetime:
    """Return the moment at which a day is over in a time zone, the machine's by default, in UTC."""
    after = day + timedelta(days=1)
    midnight = datetime(after.year, after.month, after.day, tzinfo=zone)
    return (midnight if zone is not None else midnight.astimezone()).astimezone(UTC)


def last_day(ends_at: datetime, zone: tzinfo | None = None) -> date:
    """Return the last day, the machine's by default, on which something holds that ends at a moment."""
    return (ends_at - timedelta(microseconds=1)).astimezone(zone).date()
