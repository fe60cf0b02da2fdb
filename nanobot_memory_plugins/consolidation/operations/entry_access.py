"""The implementation of core's `EntryAccess` and `ExchangedEntries` on a repository."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import new_id
from nanobot_memory_plugins.consolidation.model.scoring import current_entries, decay_entry, entry_as_of, is_faded_away
from nanobot_memory_plugins.consolidation.operations import changes
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.document import sort_by_score
from nanobot_memory_plugins.consolidation.store.entry_text import read_entry, write_entry
from nanobot_memory_plugins.consolidation.store.merging import merge_entries
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.reading import file_stamp
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.core.values.entries import (
    Entry,
    EntryEdit,
    EntryList,
    EntryRun,
    EntryUpdate,
)

# The author that the history names for a person's changes.
_WHO = "user"
_OTHER_MACHINES, _CHANGED_ELSEWHERE = "shared memory", "changed on another machine"
CONFLICT = "conflict"
"""The group of the second of two versions of an entry whose text was changed on two machines at once."""


class RepositoryAccess:
    """The entries of a repository for people and for other machines. All methods block.

    ``owner`` returns the scope of new entries.
    """

    def __init__(self, repository: EntryRepository, *, owner: Callable[[], Scope] = Scope) -> None:
        self._repository = repository
        self._owner = owner

    def version(self) -> str:
        """Return a text that changes with the file, and every hour, since entries fade and expire."""
        return f"{file_stamp(self._repository.path)} {self._repository.clock.now():%Y-%m-%d %H}"

    def entries(self) -> EntryList:
        """Return all entries of the file as of now; the file is read only when it has changed."""
        snapshot = self._repository.load_cached()
        entries = sort_by_score(current_entries(snapshot.displayed_entries(), self._repository.clock.now()))
        problems = (snapshot.damage, *snapshot.problems) if snapshot.damage else snapshot.problems
        return EntryList(self._repository.paths.relative(self._repository.path), tuple(entries), problems)

    def gone(self) -> Sequence[Entry]:
        """Return the entries that were forgotten, faded away or are only in the history, all marked as forgotten."""
        snapshot = self._repository.load()
        now = self._repository.clock.now()
        gone = self._repository.history.removed_entries(snapshot.entries)
        gone |= {id_: entry for id_, entry in snapshot.forgotten.items() if id_ not in gone}
        gone |= {id_: entry for id_, entry in snapshot.entries.items() if is_faded_away(entry_as_of(entry, now))}
        return [replace(entry, hides=entry.hides or (id_,)) for id_, entry in gone.items()]

    def history(self, entry_id: str = "", *, limit: int = 100) -> Sequence[EntryRun]:
        """Return the runs of the history, the last first."""
        return self._repository.history.runs(entry_id)[-limit:][::-1]

    def add(self, text: str, *, group: str = "") -> EntryRun | None:
        """Remember a text."""
        new = NewEntry(text, group=group, scope=self._owner())
        return remember(self._repository, new, who=_WHO).outcome.run

    def edit(self, entry_id: str, edit: EntryEdit) -> EntryRun | None:
        """Change an entry."""
        return changes.edit(self._repository, [entry_id], edit, who=_WHO).run

    def forget(self, ids: Sequence[str]) -> EntryRun | None:
        """Forget entries."""
        return changes.forget(self._repository, ids, who=_WHO).run

    def restore(self, entry_id: str) -> EntryRun | None:
        """Restore an entry."""
        return changes.restore(self._repository, entry_id, who=_WHO).run

    def undo(self, run_id: str = "") -> EntryRun | None:
        """Take back a run."""
        return changes.undo(self._repository, run_id, who=_WHO).run

    def export_entries(self) -> dict[str, str]:
        """Return the text of each entry by id, including forgotten ones; fading does not change the text.

        A secret that a person wrote into an entry is redacted. Raises `MemoryFileError`.
        """
        entries, redact = self._repository.load().all_entries, self._repository.redact
        return {
            id_: write_entry(replace(entry, content=redact(entry.content, entry.origin), decayed_days=0))
            for id_, entry in entries.items()
        }

    def removed_entries(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of ``ids`` that somebody removed, according to the file, the history and the purges.

        Entries that are missing because the whole file is missing are excluded. Raises `MemoryFileError`.
        """
        history, file_exists = self._repository.history, self._repository.path.exists()
        return frozenset(
            id_
            for id_ in set(ids) - self._repository.load().all_entries.keys()
            if history.is_purged(id_) or (file_exists and history.last_known(id_) is not None)
        )

    def merge_updates(self, updates: Sequence[EntryUpdate]) -> None:
        """Merge the changes of other machines into the entries. Raises `MemoryFileError`."""
        self._purge([update.id for update in updates if update.forgotten])
        versions = [(update, _entry_of(update.base), _entry_of(update.remote)) for update in updates]
        ids = [update.id for update in updates]

        def change(current: dict[str, Entry]) -> dict[str, Entry]:
            result = dict(current)
            now = self._repository.clock.now()
            for update, base, remote in versions:
                local = result.pop(update.id, None)
                if update.forgotten:
                    continue
                if remote is None and base is not None and local is not None and local.content != base.content:
                    result[update.id] = local  # it was removed elsewhere and rewritten here
                    continue
                sides = (
                    {update.id: decay_entry(entry, now)} if entry is not None else {} for entry in (base, remote, local)
                )
                result |= merge_entries(*sides)
                if remote is not None and local is not None and _is_conflict(base, remote, local):
                    conflict_id = new_id((*result, *ids))
                    result[conflict_id] = replace(
                        local, id=conflict_id, group=CONFLICT, supersedes=(), superseded_by=""
                    )
            return result

        self._repository.update(change, who=_OTHER_MACHINES, why=_CHANGED_ELSEWHERE, with_forgotten=True)

    def _purge(self, ids: Collection[str]) -> None:
        """Erase entries that were purged on another machine, from the history and the backup as well."""
        written = self._repository.history.written_entries() if ids else {}
        gone = {id_: written[id_] for id_ in ids if id_ in written}
        if gone:
            erasure = Erasure(tuple(gone), tuple(entry.content for entry in gone.values()))
            erase_entries(self._repository, erasure, dry_run=False, who=_OTHER_MACHINES)


def _is_conflict(base: Entry | None, remote: Entry, local: Entry) -> bool:
    before = base.content if base is not None else None
    return remote.content != local.content and before not in (remote.content, local.content)


def _entry_of(text: str) -> Entry | None:
    if not text:
        return None
    read = read_entry(text)
    if isinstance(read, str):
        raise MemoryFileError(
            "A newer version wrote entries on another machine.",
            hint="Update nanobot-memory-consolidation here; until then no entries are exchanged.",
        )
    return read[0]
