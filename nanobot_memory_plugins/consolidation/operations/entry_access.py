"""The entries as `EntryAccess` has them: frozen views, and changes on behalf of a person."""

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section, sessions_in, whole_scope
from nanobot_memory_plugins.consolidation.model.scoring import as_of, decayed, is_faded_away, shown_now
from nanobot_memory_plugins.consolidation.operations import changes
from nanobot_memory_plugins.consolidation.operations.exchange import EntryExchange
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.history import BY_HAND, Change, Run
from nanobot_memory_plugins.consolidation.store.rendering import in_order
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.files.fields import read_time
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.entries import (
    EntryChange,
    EntryEdit,
    EntryList,
    EntryRun,
    EntryView,
)
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Who is named in the history for what a person does.
_WHO = "user"


def view_of(entry: Entry, *, gone: bool = False) -> EntryView:
    """Return an entry as others see it."""
    return EntryView(
        id=entry.id,
        text=entry.content,
        category=entry.category,
        score=entry.score,
        last_used=entry.last_activated,
        archived=entry.section is Section.ARCHIVED,
        gone=gone,
        group=entry.group,
        hits=entry.hits,
        created_at=entry.created_at,
        expires_at=entry.expires_at,
        superseded_by=entry.superseded_by,
        origin=entry.origin,
        scope=entry.scope,
        source_session=", ".join(sorted(sessions_in(entry.source_session))),
        kind=entry.kind,
        pinned=entry.pinned,
        quote=entry.shown_quote,
        quoted_on=entry.quoted_on,
    )


class RepositoryAccess(EntryExchange):
    """The entries of a repository, as core's `EntryAccess` and `ExchangedEntries`.

    ``owner`` returns the scope that new entries are given.
    """

    def __init__(self, repository: EntryRepository, *, owner: Callable[[], Scope] = Scope) -> None:
        super().__init__(repository)
        self._owner = owner
        self._list: tuple[str, EntryList] | None = None

    def version(self) -> str:
        """Return a text that changes with the file, and with the hour, in which entries fade and expire."""
        return f"{_stamp(self._repository.path)} {self._repository.clock.now():%Y-%m-%d %H}"

    def entries(self) -> EntryList:
        """Return all entries of the file, as of now; the file is read once for each of its states."""
        version = self.version()
        if self._list is None or self._list[0] != version:
            snapshot, now = self._repository.load(), self._repository.clock.now()
            views = [view_of(entry) for entry in in_order(shown_now(snapshot.shown(), now))]
            problems = (snapshot.damage, *snapshot.problems) if snapshot.damage else snapshot.problems
            self._list = version, EntryList(self._repository.paths.relative(snapshot.path), tuple(views), problems)
        return self._list[1]

    def gone(self) -> Sequence[EntryView]:
        """Return what was forgotten, and what the history knows and the file does not hold."""
        snapshot = self._repository.load()
        now = self._repository.clock.now()
        gone = self._repository.history.gone(snapshot.entries)
        gone |= {id_: entry for id_, entry in snapshot.forgotten.items() if id_ not in gone}
        gone |= {id_: entry for id_, entry in snapshot.entries.items() if is_faded_away(as_of(entry, now))}
        return [view_of(entry, gone=True) for entry in gone.values()]

    def history(self, entry_id: str = "", *, limit: int = 100) -> Sequence[EntryRun]:
        """Return runs, the last first."""
        runs = self._repository.history.runs()
        undone = {run.undoes for run in runs if run.undoes}
        found = self._repository.history.runs(entry_id) if entry_id else runs
        return [_run_view(run, undone) for run in reversed(found[-limit:])]

    def profile(self, about: str = "", *, visible: Scope | Visibility | None = None) -> Sequence[EntryView]:
        """Return what is known of the user, or about somebody or something."""
        entries = shown_now(self._repository.load().shown(), self._repository.clock.now())
        name = simplified(about.strip()).casefold()
        found = [entry for entry in entries if name in simplified(f"{entry.content} {entry.quote}").casefold()]
        visible_entries = [entry for entry in found if visible is None or visible.allows(whole_scope(entry))]
        return [view_of(entry) for entry in sorted(visible_entries, key=lambda entry: (-entry.score, entry.id))]

    def add(self, text: str, *, group: str = "") -> EntryRun | None:
        """Remember a text."""
        new = NewEntry(text, group=group, scope=self._owner())
        return self._run_of(remember(self._repository, new, who=_WHO).outcome)

    def edit(self, entry_id: str, edit: EntryEdit) -> EntryRun | None:
        """Change an entry."""
        return self._run_of(changes.edit(self._repository, [entry_id], edit, who=_WHO))

    def forget(self, ids: Sequence[str]) -> EntryRun | None:
        """Take entries out of the memory."""
        return self._run_of(changes.forget(self._repository, ids, who=_WHO))

    def restore(self, entry_id: str) -> EntryRun | None:
        """Bring back an entry."""
        return self._run_of(changes.restore(self._repository, entry_id, who=_WHO))

    def undo(self, run_id: str = "") -> EntryRun | None:
        """Take back a run."""
        return self._run_of(changes.undo(self._repository, run_id, who=_WHO))

    def _run_of(self, outcome: Outcome) -> EntryRun | None:
        return _run_view(outcome.run, set()) if outcome.run is not None else None


def _run_view(run: Run, undone: set[str]) -> EntryRun:
    time = read_time(run.time)
    changes = tuple(_change_view(change, time) for change in run.changes)
    return EntryRun(run.id, time, run.who, run.why, changes, run.undoes, run.id in undone, run.who == BY_HAND)


def _change_view(change: Change, time: datetime | None) -> EntryChange:
    # The history has an entry as it was when it was written last; meanwhile it has faded.
    before = decayed(change.before, time) if change.before is not None and time is not None else change.before
    after = view_of(change.after) if change.after and not change.after.is_forgotten else None
    return EntryChange(change.id, change.action.value, view_of(before) if before else None, after)


def _stamp(path: Path) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_mtime_ns}-{found.st_size}-{found.st_ino}"
