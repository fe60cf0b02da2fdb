"""What a clock that was ahead took from the entries, once it has been set right.

Fading depends on the moment alone and comes back by itself. An entry that was forgotten, a todo that was over, a use
that was counted: these are written down, and the journal knows at what time and what was before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.scoring import activated, decayed, expired, faded
from nanobot_memory_plugins.consolidation.store.journal import Change, Run
from nanobot_memory_plugins.core.files import read_time

# Who is named in the journal for what comes back, and why.
WHO = "clock"
WHY = "the clock had been ahead"
# Those who let go what time has worn, among other things that they do.
_WORN_BY = frozenset({"decay", "consolidation", "extraction"})


def is_ahead(run: Run | None, now: datetime) -> bool:
    """Return whether a run was made at a time that is still to come."""
    time = read_time(run.time) if run is not None else None
    return time is not None and time > now


def set_right(entries: Mapping[str, Entry], runs: Sequence[Run], now: datetime) -> dict[str, Entry]:
    """Return the entries with what a clock ahead of ``now`` took, as it would be had the clock been right.

    What a person or a model did meanwhile stays done. Where all that the journal knows lies ahead, it is this clock
    that is behind, and nothing is changed.
    """
    if all(is_ahead(run, now) for run in runs):
        return dict(entries)
    result = dict(entries)
    for id_, (left, right) in _taken(runs, now).items():
        here = result.get(id_)
        as_it_was_left = here is None if left is None else here is not None and _same(here, left)
        if as_it_was_left:
            result.update(faded({id_: right}, now).entries)
    return result


def _taken(runs: Iterable[Run], now: datetime) -> dict[str, tuple[Entry | None, Entry]]:
    """Return for each entry that only the clock has changed since then what it left of it, and what is right."""
    found: dict[str, tuple[Entry | None, Entry]] = {}
    for run in runs:
        time = read_time(run.time) if is_ahead(run, now) else None
        for change in run.changes:
            before = found[change.id][1] if change.id in found else change.before
            right = _right(change, before, run.who, time, now) if time is not None and before is not None else None
            if right is not None:
                found[change.id] = (change.after, right)
            else:
                found.pop(change.id, None)
    return found


def _right(change: Change, before: Entry, who: str, time: datetime, now: datetime) -> Entry | None:
    """Return what becomes of ``before`` at the right time, or None where it was not the time that changed it."""
    old, new = change.before, change.after
    if old is None:
        return None
    worn = expired(decayed(old, time), time)
    if new is None:
        return before if who in _WORN_BY and not faded({old.id: old}, time).entries else None
    if _same(new, worn):
        return before
    used = activated(worn, new.last_activated)
    if new.last_activated > now and (new.anchor, new.hits) == (used.anchor, used.hits):
        right = activated(before, now)
        return replace(new, anchor=right.anchor, anchor_days=0, decayed_days=0, last_activated=now)
    return None


def _same(one: Entry, other: Entry) -> bool:
    return replace(one, decayed_days=other.decayed_days) == other
