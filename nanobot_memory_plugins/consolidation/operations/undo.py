"""Taking back what a run did, and bringing back what went: the inverse change, by the same merge as any other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.scoring import restored
from nanobot_memory_plugins.consolidation.store.history import BY_HAND, PURGED, Run
from nanobot_memory_plugins.consolidation.store.merging import merged_entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome, Snapshot
from nanobot_memory_plugins.core import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence


def undo(
    repository: EntryRepository, run_id: str = "", *, entry_id: str = "", who: str, why: str = "undone"
) -> Outcome:
    """Take back a run, the last one by default, or what it did to one entry; what was changed since then stays.

    Raises `InputError` when there is no such run or entry, and `MemoryFileError`.
    """
    with repository.locked():
        runs = repository.history.runs()
        run = next((one for one in runs if one.id == run_id), None) if run_id else _last_undoable(runs)
        if run is None:
            raise InputError(
                Sentence("There is no run {run_id}.", run_id=run_id) if run_id else "There is nothing to undo."
            )
        if any(one.undoes == run.id for one in runs) and not entry_id:
            raise InputError(Sentence("The run {id} was undone already.", id=run.id))
        changes = [change for change in run.changes if entry_id in ("", change.id)]
        if not changes:
            raise InputError(
                Sentence("The run {id} did nothing to the entry {entry_id}.", id=run.id, entry_id=entry_id)
                if entry_id
                else Sentence("Of what the run {id} did, nothing is known any more.", id=run.id)
            )
        before = {change.id: change.before for change in changes if change.before is not None}
        after = {change.id: change.after for change in changes if change.after is not None}
        whole = len(changes) == len(run.changes)

        def decide(found: Snapshot) -> Mapping[str, Entry]:
            return _taken_back(found.every, before, after)

        return repository.write(decide, who=who, why=why, undoes=run.id if whole else "")


def restore(repository: EntryRepository, entry_id: str, *, now: datetime, who: str, why: str = "restored") -> Outcome:
    """Bring back an entry that was archived, forgotten, or deleted by anybody.

    Raises `InputError` when neither the file nor the history knows it, and `MemoryFileError`.
    """

    def decide(found: Snapshot) -> Mapping[str, Entry]:
        removed = {change.id: change.before for change in found.by_hand if change.after is None}
        entry = found.every.get(entry_id) or removed.get(entry_id) or repository.history.last_known(entry_id)
        if entry is None:
            raise InputError(Sentence("There is no entry {entry_id}, and the history knows none.", entry_id=entry_id))
        return {**found.every, entry_id: restored(entry, now)}

    with repository.locked():
        return repository.write(decide, who=who, why=why)


def _last_undoable(runs: Sequence[Run]) -> Run | None:
    """Return the last run that is no undoing, was not undone, and was not made by hand.

    Raises `InputError` where what was done last cannot be taken back.
    """
    undone = {run.undoes for run in runs if run.undoes}
    for run in reversed(runs):
        if run.why == PURGED:
            raise InputError(
                "What was done last was to forget for good, which cannot be taken back.",
                hint="Name an earlier run: `nanobot-memory entries history` shows them.",
            )
        if run.changes and not run.undoes and run.who != BY_HAND and run.id not in undone:
            return run
    return None


def _taken_back(
    entries: Mapping[str, Entry], before: Mapping[str, Entry], after: Mapping[str, Entry]
) -> dict[str, Entry]:
    """Return the entries without what a run did: what was added goes, what went comes back, changed fields go back.

    A field that was changed again since then stays, and an entry that went since then stays away.
    """
    result = dict(entries)
    for id_ in {**before, **after}:
        if id_ not in before:
            result.pop(id_, None)
        elif id_ not in after:
            result.setdefault(id_, before[id_])
        elif id_ in entries:
            # The days of fading go on by themselves: they are no change.
            current = replace(entries[id_], decayed_days=after[id_].decayed_days)
            result[id_] = merged_entry(after[id_], current, before[id_])
    return result
