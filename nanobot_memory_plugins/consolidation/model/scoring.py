"""The life of an entry as arithmetic: it begins, is used, fades, expires, is contradicted, and goes.

Everything here is a pure function with the moment as an argument. The figures are those of the design document.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum

from nanobot_memory_plugins.core.values.entries import Entry

FORGET_BELOW = 0.05
"""The score below which an entry is shown to nobody."""
PROTECTED_DAYS = 7
HIT_SHARE = 0.2
CONTRADICTED_SHARE = 0.5
# What an expired todo's score becomes at most: archived, and not forgotten yet.
EXPIRED_SCORE = 0.15
# What a restored entry's score becomes at least: that of something new of low importance.
RESTORED_SCORE = 0.4

_DAY = timedelta(days=1)


class Importance(StrEnum):
    """How much something new matters."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


IMPORTANCES = tuple(Importance)
"""From what matters most on."""

INITIAL_SCORES: dict[str, float] = {Importance.HIGH: 0.8, Importance.MEDIUM: 0.6, Importance.LOW: 0.4}
"""The score with which an entry of an importance begins."""


def activated(entry: Entry, now: datetime) -> Entry:
    """Return the entry after it was used: faded up to now, then a fifth of what it lacks is added."""
    score = decayed(entry, now).score
    return replace(entry.with_use(score + (1.0 - score) * HIT_SHARE, now), hits=entry.hits + 1)


def decayed(entry: Entry, now: datetime) -> Entry:
    """Return the entry as it is now: faded for each whole day after the first seven without use.

    The result depends on ``now`` alone. Looking twice changes nothing, looking in between changes nothing, and when a
    clock that was ahead is set back, what it had taken comes back.
    """
    days = max(0, (now - entry.last_activated) // _DAY - PROTECTED_DAYS)
    return entry if days == entry.decayed_days else replace(entry, decayed_days=days)


def expired(entry: Entry, now: datetime) -> Entry:
    """Return an entry whose time has passed as one for the archive; any other one as it is."""
    is_over = entry.expires_at is not None and entry.expires_at <= now
    return entry.with_score(EXPIRED_SCORE) if is_over and entry.score > EXPIRED_SCORE else entry


def contradicted(old: Entry, new: Entry) -> tuple[Entry, Entry]:
    """Return an entry that is no longer true with half its score, and the one in its place, each naming the other.

    The same pair again changes nothing, so that a repeated extraction does no harm.
    """
    if old.superseded_by == new.id and old.id in new.supersedes:
        return old, new
    return (
        replace(old.with_score(old.score * CONTRADICTED_SHARE), superseded_by=new.id, ended_at=new.last_activated),
        replace(new, supersedes=tuple(dict.fromkeys((*new.supersedes, old.id)))),
    )


def as_of(entry: Entry, now: datetime) -> Entry:
    """Return an entry as it is now: faded, and for the archive where its time has passed."""
    return expired(decayed(entry, now), now)


def is_faded_away(entry: Entry) -> bool:
    """Return whether so little is left of an entry that nobody is shown it; it stays in the archive, for `restored`."""
    return entry.score < FORGET_BELOW


def shown_now(entries: Iterable[Entry], now: datetime) -> list[Entry]:
    """Return the entries as they are now, without those that have faded away."""
    return [entry for entry in (as_of(entry, now) for entry in entries) if not is_faded_away(entry)]


def restored(entry: Entry, now: datetime) -> Entry:
    """Return an archived or forgotten entry as one that is remembered again."""
    expires_at = None if entry.expires_at is not None and entry.expires_at <= now else entry.expires_at
    back = entry.with_use(max(entry.score, RESTORED_SCORE), now)
    return replace(back, hides=(), expires_at=expires_at)


def end_of(day: date, zone: tzinfo | None = None) -> datetime:
    """Return the moment at which a day is over in a time zone, the machine's by default, in UTC."""
    after = day + timedelta(days=1)
    midnight = datetime(after.year, after.month, after.day, tzinfo=zone)
    return (midnight if zone is not None else midnight.astimezone()).astimezone(UTC)


def last_day(ends_at: datetime, zone: tzinfo | None = None) -> date:
    """Return the last day, the machine's by default, on which something holds that ends at a moment."""
    return (ends_at - timedelta(microseconds=1)).astimezone(zone).date()
