"""Moments as numbers, the same wherever they are compared."""

from datetime import UTC, datetime


def timestamp(time: datetime) -> float:
    """Return seconds since 1970; a time without a zone is taken as UTC, on every machine."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
