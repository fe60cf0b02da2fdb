"""Entries of many machines: each has its file, and takes in what was made of them on the others."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import Entry, new_id
from nanobot_memory_plugins.consolidation.model.scoring import decayed
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries
from nanobot_memory_plugins.consolidation.store.entry_text import read_entry, write_entry
from nanobot_memory_plugins.consolidation.store.merging import merged
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.core.values.entries import EntryUpdate

WHO, WHY = "shared memory", "changed on another machine"
CONFLICT = "conflict"
"""The group of an entry whose text was changed on two machines at once: of both, the one that came second."""


class EntryExchange:
    """The entries of a repository for those who exchange them with other machines. It blocks."""

    def __init__(self, repository: EntryRepository) -> None:
        self._repository = repository

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
            if history.is_purged_id(id_) or (is_there and history.last_known(id_) is not None)
        )

    def take_in(self, updates: Sequence[EntryUpdate]) -> None:
        """Merge what other machines made of entries into those here. Raises `MemoryFileError`."""
        self._forget([update.id for update in updates if update.forgotten])
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

        self._repository.update(change, who=WHO, why=WHY, with_forgotten=True)

    def _forget(self, ids: Collection[str]) -> None:
        """Forget entries here as they were elsewhere: out of the history and the backup as well."""
        written = self._repository.history.written_entries() if ids else {}
        gone = {id_: written[id_] for id_ in ids if id_ in written}
        if gone:
            erasure = Erasure(tuple(gone), tuple(entry.content for entry in gone.values()))
            erase_entries(self._repository, erasure, dry_run=False, who=WHO)


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
    return read.entry
