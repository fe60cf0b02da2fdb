"""The scores of entries over time: they start, rise with use, fade, expire, and are halved by contradiction.

Every function here is pure and takes the current time as an argument. Entries are immutable: the result is a new one.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum

from nanobot_memory_plugins.core.values.entries import Entry

FORGET_BELOW = 0.05
"""Entries with a lower score are not shown."""
PROTECTED_DAYS = 7
HIT_SHARE = 0.2
CONTRADICTED_SHARE = 0.5
# The most that an expired entry's score can be: archived, but still shown.
EXPIRED_SCORE = 0.15
# The least that a restored entry's score can be: that of a new entry of low importance.
RESTORED_SCORE = 0.4

_DAY = timedelta(days=1)


class Importance(StrEnum):
    """How much an entry matters."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


IMPORTANCES = tuple(Importance)
"""The most important first."""

INITIAL_SCORES: dict[str, float] = {Importance.HIGH: 0.8, Importance.MEDIUM: 0.6, Importance.LOW: 0.4}
"""The initial score of an entry, by its importance."""


def activate_entry(entry: Entry, now: datetime) -> Entry:
    """Return the entry after a use: it fades up to now, then gains a fifth of what is missing to 1."""
    score = decay_entry(entry, now).score
    return replace(entry.with_use(score + (1.0 - score) * HIT_SHARE, now), hits=entry.hits + 1)


def decay_entry(entry: Entry, now: datetime) -> Entry:
    """Return the entry faded for each whole day after the first seven days without use.

    The result depends on ``now`` alone, however often it is computed in between. When a clock that was ahead is set
    back, the score rises again.
    """
    days = max(0, (now - entry.last_activated) // _DAY - PROTECTED_DAYS)
    return entry if days == entry.decayed_days else replace(entry, decayed_days=days)


def expire_entry(entry: Entry, now: datetime) -> Entry:
    """Return an entry past its expiry with a score for the archive; any other entry unchanged."""
    is_over = entry.expires_at is not None and entry.expires_at <= now
    return entry.with_score(EXPIRED_SCORE) if is_over and entry.score > EXPIRED_SCORE else entry


def contradict_entry(old: Entry, new: Entry) -> tuple[Entry, Entry]:
    """Return an entry that is no longer true with half its score, and its replacement, linked to each other.

    A pair that is already linked is unchanged, so that a repeated extraction does no harm.
    """
    if old.superseded_by == new.id and old.id in new.supersedes:
        return old, new
    return (
        replace(old.with_score(old.score * CONTRADICTED_SHARE), superseded_by=new.id, ended_at=new.last_activated),
        replace(new, supersedes=tuple(dict.fromkeys((*new.supersedes, old.id)))),
    )


def entry_as_of(entry: Entry, now: datetime) -> Entry:
    """Return an entry as of ``now``: faded, and archived if it has expired."""
    return expire_entry(decay_entry(entry, now), now)


def is_faded_away(entry: Entry) -> bool:
    """Return whether an entry's score is too low to be shown; it stays in the archive and can be restored."""
    return entry.score < FORGET_BELOW


def current_entries(entries: Iterable[Entry], now: datetime) -> list[Entry]:
    """Return the entries as of ``now``, without those that have faded away."""
    return [entry for entry in (entry_as_of(entry, now) for entry in entries) if not is_faded_away(entry)]


def restore_entry(entry: Entry, now: datetime) -> Entry:
    """Return an archived or forgotten entry as an active one; an expiry in the past is removed."""
    expires_at = None if entry.expires_at is not None and entry.expires_at <= now else entry.expires_at
    back = entry.with_use(max(entry.score, RESTORED_SCORE), now)
    return replace(back, hides=(), expires_at=expires_at)


def end_of(day: date, zone: tzinfo | None = None) -> datetime:
    """Return the moment in UTC when a day ends in a time zone, by default the machine's."""
    after = day + timedelta(days=1)
    midnight = datetime(after.year, after.month, after.day, tzinfo=zone)
    return (midnight if zone is not None else midnight.astimezone()).astimezone(UTC)


def last_day(ends_at: datetime, zone: tzinfo | None = None) -> date:
    """Return the last day before a moment in a time zone, by default the machine's."""
    return (ends_at - timedelta(microseconds=1)).astimezone(zone).date()
