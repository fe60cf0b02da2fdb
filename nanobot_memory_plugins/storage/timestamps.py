"""Moments as numbers, the same wherever they are compared."""

from datetime import UTC, datetime, tzinfo


def timestamp(time: datetime) -> float:
    """Return seconds since 1970; a time without a zone is taken as UTC, on every machine."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def in_zone(time: datetime, zone: tzinfo | None) -> datetime:
    """Return the same moment in a zone; as it is without one, and where the calendar of the zone does not reach."""
    try:
        return time.astimezone(zone) if zone is not None and time.tzinfo is not None else time
    except OverflowError:
        return time
