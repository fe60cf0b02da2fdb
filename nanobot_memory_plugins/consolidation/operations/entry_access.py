"""The entries as `EntryAccess` has them: frozen views, and changes on behalf of a person."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry, whole_scope
from nanobot_memory_plugins.consolidation.model.entry_view import view_of
from nanobot_memory_plugins.consolidation.model.scoring import decayed, faded
from nanobot_memory_plugins.consolidation.operations.editing import edit as edit_entry
from nanobot_memory_plugins.consolidation.operations.editing import merge
from nanobot_memory_plugins.consolidation.operations.exchange import exported, take_in, taken_out
from nanobot_memory_plugins.consolidation.operations.profile import profile
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.operations.undo import restore, undo
from nanobot_memory_plugins.consolidation.operations.withheld import WithheldTexts
from nanobot_memory_plugins.consolidation.store.journal import BY_HAND, Action, Change, Run, is_told
from nanobot_memory_plugins.consolidation.store.rendering import in_order
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.files import read_time
from nanobot_memory_plugins.core.host.withheld_words import WithheldWords
from nanobot_memory_plugins.core.values import (
    EntryChange,
    EntryEdit,
    EntryList,
    EntryRun,
    EntryUpdate,
    EntryView,
    Profile,
    ScorePoint,
    Visibility,
    Whose,
)


class RepositoryAccess:
    """The entries of a repository, as core's `EntryAccess`. ``who`` is named in the journal.

    ``whose`` says whose it is what is added.
    """

    def __init__(self, repository: EntryRepository, *, who: str = "user", whose: Callable[[], Scope] = Scope) -> None:
        self._repository = repository
        self._who = who
        self._whose = whose
        self._withheld = WithheldTexts(repository)
        self._runs: _Runs | None = None
        self._list: tuple[str, EntryList, dict[str, Entry]] | None = None

    def version(self) -> str:
        """Return a text that changes with the file, the journal, and the hour, in which entries fade and expire."""
        journal = self._repository.journal.path
        return f"{_stamp(self._repository.path)} {_stamp(journal)} {self._repository.clock.now():%Y-%m-%d %H}"

    def entries(self) -> EntryList:
        """Return all entries of the file, as of now."""
        return self._entries()[0]

    def _entries(self) -> tuple[EntryList, dict[str, Entry]]:
        """Return the entries as others see them, and as they are; the file is read once for each of its states."""
        version, known = self.version(), self._list
        if known is None or known[0] != version:
            known = self._list = (version, *self._read())
        return known[1:]

    def _read(self) -> tuple[EntryList, dict[str, Entry]]:
        snapshot = self._repository.load()
        now = self._repository.clock.now()
        views = [view_of(entry) for entry in in_order(faded(snapshot.entries, now).entries.values())]
        problems = (snapshot.damage, *snapshot.problems) if snapshot.damage else snapshot.problems
        return EntryList(self._repository.paths.relative(snapshot.path), tuple(views), problems), snapshot.entries

    def gone(self) -> Sequence[EntryView]:
        """Return what the journal knows and the file does not hold."""
        there = self.entries().entries
        known: dict[str, Entry] = {}
        for run in self._journal().all:
            for change in run.changes:
                last = change.after or change.before
                known.pop(change.id, None)  # so that what went last stands last
                if last is not None:
                    known[change.id] = last
        here = {view.id for view in there}
        return [view_of(entry, gone=True) for id_, entry in reversed(known.items()) if id_ not in here]

    def history(self, entry_id: str = "", *, limit: int = 100) -> Sequence[EntryRun]:
        """Return runs, the last first."""
        runs = self._journal()
        undone = {run.undoes for run in runs.all if run.undoes}
        if entry_id:
            of_entry = [replace(run, changes=(change,)) for run, change in runs.by_entry.get(entry_id, ())]
            return [_run_view(run, undone) for run in reversed(of_entry[-limit:])]
        told = (run for run in reversed(runs.all) if is_told(run))
        return [_run_view(run, undone) for run, _ in zip(told, range(limit), strict=False)]

    def scores(self, entry_id: str, *, points: int = 60) -> Sequence[ScorePoint]:
        """Return the score at ``points`` moments: the journal says what was set, the days fade it."""
        now = self._repository.clock.now()
        states = list(_states(self._journal().by_entry.get(entry_id, ())))
        current = self._entries()[1].get(entry_id)
        if current is not None and (not states or states[-1][1] != current):
            states.append((max([current.last_activated, *(time for time, _ in states)]), current))
        if not states:
            return []
        first = states[0][1]
        begun = first.created_at if first is not None and first.created_at is not None else states[0][0]
        begun = min(begun, states[0][0], now)
        step = (now - begun) / max(1, points - 1) if now > begun else timedelta(0)
        moments = [begun + step * number for number in range(points - 1)] + [now] if step else [now]
        return [ScorePoint(moment, _score_at(states, moment)) for moment in moments]

    def profile(self, about: str = "", *, visible: Scope | Visibility | None = None) -> Profile:
        """Return what is known of the user, or about somebody or something, without words that were to be forgotten."""
        entries = faded(self._repository.load().entries, self._repository.clock.now()).entries.values()
        seen = [one for one in entries if visible is None or visible.allows(whole_scope(one))]
        held = WithheldWords(self._withheld.texts(visible or Visibility(whose=(Whose(),))))
        return profile(seen, about=about, held=held)

    def add(self, text: str, *, group: str = "") -> EntryRun | None:
        """Remember a text."""
        said = NewEntry(text, group=group, scope=self._whose())
        return self._told(remember(self._repository, said, who=self._who).outcome)

    def edit(self, entry_id: str, edit: EntryEdit) -> EntryRun | None:
        """Change an entry."""
        return self._told(edit_entry(self._repository, entry_id, edit, who=self._who))

    def merge(self, ids: Sequence[str], text: str) -> EntryRun | None:
        """Make one entry of several."""
        return self._told(merge(self._repository, ids, text, who=self._who))

    def forget(self, ids: Sequence[str]) -> EntryRun | None:
        """Take entries out of the memory."""
        return self._told(forget(self._repository, ids, who=self._who))

    def restore(self, entry_id: str) -> EntryRun | None:
        """Bring back an entry."""
        now = self._repository.clock.now()
        return self._told(restore(self._repository, entry_id, now=now, who=self._who))

    def undo(self, run_id: str = "") -> EntryRun | None:
        """Take back a run."""
        return self._told(undo(self._repository, run_id, who=self._who))

    def exported(self) -> Mapping[str, str]:
        """Return each entry as a text, for other machines."""
        return exported(self._repository)

    def taken_out(self, ids: Collection[str]) -> Collection[str]:
        """Return those of some entries that somebody has taken out."""
        return taken_out(self._repository, ids)

    def take_in(self, updates: Sequence[EntryUpdate]) -> None:
        """Merge what other machines made of entries."""
        take_in(self._repository, updates)

    def _told(self, outcome: Outcome) -> EntryRun | None:
        return _run_view(outcome.run, set()) if outcome.run is not None else None

    def _journal(self) -> "_Runs":
        """Return the runs; the journal is read once for each of its states, since a long one takes its time."""
        stamp, known = _stamp(self._repository.journal.path), self._runs
        if known is None or stamp != known.stamp or not stamp:
            known = self._runs = _Runs(stamp, self._repository.journal.runs())
            for run in known.all:
                for change in run.changes:
                    known.by_entry.setdefault(change.id, []).append((run, change))
        return known


@dataclass(slots=True)
class _Runs:
    """The runs of the journal, and what was done to each entry, oldest first."""

    stamp: str
    all: list[Run]
    by_entry: dict[str, list[tuple[Run, Change]]] = field(default_factory=dict)


def _run_view(run: Run, undone: set[str]) -> EntryRun:
    # Fading is no deed of anybody.
    time = read_time(run.time)
    changes = tuple(_change_view(change, time) for change in run.changes if change.action is not Action.FADED)
    return EntryRun(run.id, time, run.who, run.why, changes, run.undoes, run.id in undone, run.who == BY_HAND)


def _change_view(change: Change, time: datetime | None) -> EntryChange:
    # The journal has an entry as it was when it was written last; meanwhile it has faded.
    before = decayed(change.before, time) if change.before is not None and time is not None else change.before
    return EntryChange(
        change.id,
        change.action.value,
        view_of(before) if before else None,
        view_of(change.after) if change.after else None,
    )


def _states(changes: Iterable[tuple[Run, Change]]) -> Iterable[tuple[datetime, Entry | None]]:
    """Yield when an entry came to which state; None where it was taken away."""
    known = False
    for run, change in changes:
        time = read_time(run.time)
        if time is None:
            continue
        if not known and change.before is not None:
            yield (min(change.before.created_at or change.before.last_activated, time), change.before)
        known = True
        yield time, change.after


def _score_at(states: Sequence[tuple[datetime, Entry | None]], moment: datetime) -> float:
    state = next((entry for time, entry in reversed(states) if time <= moment), states[0][1])
    return decayed(state, moment).score if state is not None else 0.0


def _stamp(path: Path) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_mtime_ns}-{found.st_size}-{found.st_ino}"
