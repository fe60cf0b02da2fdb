"""The entries as `EntryAccess` has them: frozen views, and changes on behalf of a person."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import new_id
from nanobot_memory_plugins.consolidation.model.scoring import as_of, decayed, is_faded_away, shown_now
from nanobot_memory_plugins.consolidation.operations import changes
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.document import in_order
from nanobot_memory_plugins.consolidation.store.entry_text import read_entry, write_entry
from nanobot_memory_plugins.consolidation.store.merging import merged
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

# Who is named in the history for what a person does.
_WHO = "user"
_OTHERS, _CHANGED_ELSEWHERE = "shared memory", "changed on another machine"
CONFLICT = "conflict"
"""The group of an entry whose text was changed on two machines at once: of both, the one that came second."""


class RepositoryAccess:
    """The entries of a repository, as core's `EntryAccess` and `ExchangedEntries`. Everything here blocks.

    ``owner`` returns the scope that new entries are given.
    """

    def __init__(self, repository: EntryRepository, *, owner: Callable[[], Scope] = Scope) -> None:
        self._repository = repository
        self._owner = owner

    def version(self) -> str:
        """Return a text that changes with the file, and with the hour, in which entries fade and expire."""
        return f"{file_stamp(self._repository.path)} {self._repository.clock.now():%Y-%m-%d %H}"

    def entries(self) -> EntryList:
        """Return all entries of the file, as of now; the file is read once for each of its states."""
        look = self._repository.look()
        entries = in_order(shown_now(look.shown(), self._repository.clock.now()))
        problems = (look.damage, *look.problems) if look.damage else look.problems
        return EntryList(self._repository.paths.relative(self._repository.path), tuple(entries), problems)

    def gone(self) -> Sequence[Entry]:
        """Return what was forgotten, has faded away, or is in the history alone: all as forgotten."""
        snapshot = self._repository.load()
        now = self._repository.clock.now()
        gone = self._repository.history.gone(snapshot.entries)
        gone |= {id_: entry for id_, entry in snapshot.forgotten.items() if id_ not in gone}
        gone |= {id_: entry for id_, entry in snapshot.entries.items() if is_faded_away(as_of(entry, now))}
        return [replace(entry, hides=entry.hides or (id_,)) for id_, entry in gone.items()]

    def history(self, entry_id: str = "", *, limit: int = 100) -> Sequence[EntryRun]:
        """Return runs, the last first."""
        return self._repository.history.runs(entry_id)[-limit:][::-1]

    def add(self, text: str, *, group: str = "") -> EntryRun | None:
        """Remember a text."""
        new = NewEntry(text, group=group, scope=self._owner())
        return remember(self._repository, new, who=_WHO).outcome.run

    def edit(self, entry_id: str, edit: EntryEdit) -> EntryRun | None:
        """Change an entry."""
        return changes.edit(self._repository, [entry_id], edit, who=_WHO).run

    def forget(self, ids: Sequence[str]) -> EntryRun | None:
        """Take entries out of the memory."""
        return changes.forget(self._repository, ids, who=_WHO).run

    def restore(self, entry_id: str) -> EntryRun | None:
        """Bring back an entry."""
        return changes.restore(self._repository, entry_id, who=_WHO).run

    def undo(self, run_id: str = "") -> EntryRun | None:
        """Take back a run."""
        return changes.undo(self._repository, run_id, who=_WHO).run

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
            hint="Update nanobot-memory-consolidation here; until then entries are exchanged no more.",
        )
    return read[0]
