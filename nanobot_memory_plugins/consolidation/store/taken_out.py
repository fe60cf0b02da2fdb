"""Entries that others took out of the file lately, by whatever edit, and how they come back."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from nanobot_memory_plugins.consolidation.store.journal import BY_HAND, read_line
from nanobot_memory_plugins.core.files import read_time
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from collections.abc import Collection

    from nanobot_memory_plugins.consolidation.store.repository import EntryRepository

_DAYS = 7
_MARK = f'"{BY_HAND}"'.encode()


@dataclass(frozen=True, slots=True)
class TakenOut:
    """What one run found gone: the ``ids`` that have not come back since, and were not forgotten for good."""

    run: str
    file: str
    ids: tuple[str, ...]

    @property
    def told(self) -> Sentence:
        """What is said of it."""
        return Sentence(
            "{count} entry was taken out of {file} by others in the last {days} days; `nanobot-memory entries undo"
            " {run}` brings it back"
            if len(self.ids) == 1
            else "{count} entries were taken out of {file} by others in the last {days} days; `nanobot-memory entries"
            " undo {run}` brings them back",
            count=len(self.ids),
            file=self.file,
            days=_DAYS,
            run=self.run,
        )


def taken_out_lately(repository: "EntryRepository", there: "Collection[str]") -> list[TakenOut]:
    """Return what others took out in the last week, the latest first. ``there`` are the ids in the file. It blocks.

    Raises `MemoryFileError`.
    """
    found: list[TakenOut] = []
    now, known = repository.clock.now(), set(there)
    runs = [run for line in repository.journal.lines() if _MARK in line and (run := read_line(line)) is not None]
    for run in reversed(runs):
        time = read_time(run.time)
        if run.who != BY_HAND or time is None or now - time > timedelta(days=_DAYS):
            continue
        went = [change.id for change in run.changes if change.after is None and change.id not in known]
        ids = tuple(id_ for id_ in went if not repository.tombstones.holds_id(id_))
        known.update(ids)
        if ids:
            found.append(TakenOut(run.id, run.file, ids))
    return found


def most_went(taken: list[TakenOut], there: "Collection[str]") -> bool:
    """Return whether more was taken out than is left: rather an accident than somebody's wish."""
    return sum(len(one.ids) for one in taken) > len(there)
