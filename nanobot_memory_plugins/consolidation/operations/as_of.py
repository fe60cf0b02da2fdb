"""The entries that held at a moment, as the journal tells."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import FORGET_BELOW, Entry
from nanobot_memory_plugins.consolidation.model.scoring import decayed
from nanobot_memory_plugins.consolidation.store.journal import Run
from nanobot_memory_plugins.core.files import read_time


def held_at(entries: Mapping[str, Entry], runs: Iterable[Run], moment: datetime) -> dict[str, Entry]:
    """Return the entries that held at a moment, as they were then: learned by then, and neither replaced nor over.

    ``entries`` are those of now, ``runs`` the journal, oldest first. What has faded away since is among them; what
    somebody has forgotten or deleted is not.
    """
    then: dict[str, Entry] = {}
    told: set[str] = set()
    taken_away: set[str] = set()
    for run in runs:
        time = read_time(run.time)
        for change in run.changes:
            told.add(change.id)
            faded_away = change.after is None and _has_faded_away(change.before, time)
            if change.after is not None or faded_away:
                taken_away.discard(change.id)
            else:
                taken_away.add(change.id)
            if time is None or time > moment or faded_away:
                continue
            if change.after is None:
                then.pop(change.id, None)
            else:
                then[change.id] = change.after
    then |= {id_: entry for id_, entry in entries.items() if id_ not in told}
    return {
        id_: decayed(entry, moment)
        for id_, entry in then.items()
        if id_ not in taken_away and (entry.created_at or entry.last_activated) <= moment and _holds(entry, moment)
    }


def _holds(entry: Entry, moment: datetime) -> bool:
    if entry.superseded_by and (entry.ended_at is None or entry.ended_at <= moment):
        return False
    return entry.expires_at is None or entry.expires_at > moment


def _has_faded_away(entry: Entry | None, time: datetime | None) -> bool:
    return entry is not None and time is not None and decayed(entry, time).score < FORGET_BELOW
