"""The entries as `EntryAccess` has them: frozen views, and changes on behalf of a person."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section, new_id, sessions_in, whole_scope
from nanobot_memory_plugins.consolidation.model.scoring import as_of, decayed, is_faded_away, shown_now
from nanobot_memory_plugins.consolidation.operations import changes
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.document import in_order
from nanobot_memory_plugins.consolidation.store.entry_text import read_entry, write_entry
from nanobot_memory_plugins.consolidation.store.history import BY_HAND, Change, Run
from nanobot_memory_plugins.consolidation.store.merging import merged
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.fields import read_time
from nanobot_memory_plugins.core.files.reading import file_stamp
from nanobot_memory_plugins.core.values import Erasure, Visibility
from nanobot_memory_plugins.core.values.entries import (
    EntryChange,
    EntryEdit,
    EntryList,
    EntryRun,
    EntryUpdate,
    EntryView,
)
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Who is named in the history for what a person does.
_WHO = "user"
_OTHERS, _CHANGED_ELSEWHERE = "shared memory", "changed on another machine"
CONFLICT = "conflict"
"""The group of an entry whose text was changed on two machines at once: of both, the one that came second."""


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


class RepositoryAccess:
    """The entries of a repository, as core's `EntryAccess` and `ExchangedEntries`. Everything here blocks.

    ``owner`` returns the scope that new entries are given.
    """

    def __init__(self, repository: EntryRepository, *, owner: Callable[[], Scope] = Scope) -> None:
        self._repository = repository
        self._owner = owner
        self._list: tuple[str, EntryList] | None = None

    def version(self) -> str:
        """Return a text that changes with the file, and with the hour, in which entries fade and expire."""
        return f"{file_stamp(self._repository.path)} {self._repository.clock.now():%Y-%m-%d %H}"

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

    def exported(self) -> dict[str, str]:
        """Return each entry as it is in the file, forgotten ones too; that it fades is no change.

        A secret that a person wrote into one stays here. Raises `MemoryFileError`.
        """
        every, redacted = self._repository.load().every, self._repository.redacted
        return {
            id_: write_entry(replace(entry, content=redacted(entry.content, entry.origin), decayed_days=0))
            for id_, entry in every.items()
        }

    def taken_out(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of some entries that somebody has taken out, as the file, the history or a purge has it.

        One that went with the whole file is none of them. Raises `MemoryFileError`.
        """
        history, is_there = self._repository.history, self._repository.path.exists()
        return frozenset(
            id_
            for id_ in set(ids) - self._repository.load().every.keys()
            if history.is_purged(id_) or (is_there and history.last_known(id_) is not None)
        )

    def take_in(self, updates: Sequence[EntryUpdate]) -> None:
        """Merge what other machines made of entries into those here. Raises `MemoryFileError`."""
        self._forget_for_good([update.id for update in updates if update.forgotten])
        read = [(update, _entry_of(update.base), _entry_of(update.remote)) for update in updates]
        ids = [update.id for update in updates]

        def change(current: dict[str, Entry]) -> dict[str, Entry]:
            result = dict(current)
            now = self._repository.clock.now()
            for update, base, remote in read:
                local = result.pop(update.id, None)
                if update.forgotten:
                    continue
                if remote is None and base is not None and local is not None and local.content != base.content:
                    result[update.id] = local  # somebody took it out while somebody else wrote it anew
                    continue
                sides = (
                    {update.id: decayed(entry, now)} if entry is not None else {} for entry in (base, remote, local)
                )
                result |= merged(*sides)
                if remote is not None and local is not None and _is_conflict(base, remote, local):
                    conflict_id = new_id((*result, *ids))
                    result[conflict_id] = replace(
                        local, id=conflict_id, group=CONFLICT, supersedes=(), superseded_by=""
                    )
            return result

        self._repository.update(change, who=_OTHERS, why=_CHANGED_ELSEWHERE, with_forgotten=True)

    def _forget_for_good(self, ids: Collection[str]) -> None:
        """Forget entries here as they were elsewhere: out of the history and the backup as well."""
        written = self._repository.history.written_entries() if ids else {}
        gone = {id_: written[id_] for id_ in ids if id_ in written}
        if gone:
            erasure = Erasure(tuple(gone), tuple(entry.content for entry in gone.values()))
            erase_entries(self._repository, erasure, dry_run=False, who=_OTHERS)

    def _run_of(self, outcome: Outcome) -> EntryRun | None:
        return _run_view(outcome.run, set()) if outcome.run is not None else None


def _is_conflict(base: Entry | None, remote: Entry, local: Entry) -> bool:
    """Tell whether both have written a text of their own."""
    before = base.content if base is not None else None
    return remote.content != local.content and before not in (remote.content, local.content)


def _entry_of(text: str) -> Entry | None:
    if not text:
        return None
    read = read_entry(text)
    if isinstance(read, str):
        raise MemoryFileError(
            "A newer version wrote entries on another machine.",
            hint="Update nanobot-memory-consolidation here; until then entries are exchanged no more.",
        )
    return read[0]


def _run_view(run: Run, undone: set[str]) -> EntryRun:
    time = read_time(run.time)
    changes = tuple(_change_view(change, time) for change in run.changes)
    return EntryRun(run.id, time, run.who, run.why, changes, run.undoes, run.id in undone, run.who == BY_HAND)


def _change_view(change: Change, time: datetime | None) -> EntryChange:
    # The history has an entry as it was when it was written last; meanwhile it has faded.
    before = decayed(change.before, time) if change.before is not None and time is not None else change.before
    after = view_of(change.after) if change.after and not change.after.is_forgotten else None
    return EntryChange(change.id, change.action.value, view_of(before) if before else None, after)
