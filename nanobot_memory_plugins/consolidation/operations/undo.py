"""Taking back what a run did, and bringing back what went."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.scoring import restored
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.journal import BY_HAND, PURGED, Run, last_known
from nanobot_memory_plugins.consolidation.store.patch import take_back
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.consolidation.store.snapshot import State, WantedState, sha256
from nanobot_memory_plugins.consolidation.store.three_way_merge import adopted, merged_entry
from nanobot_memory_plugins.core import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence


def last_undoable(runs: Sequence[Run]) -> Run | None:
    """Return the last run that is no undoing, was not undone, and was not made by hand."""
    undone = {run.undoes for run in runs if run.undoes}
    undoable = (run for run in reversed(runs) if run.changes and not run.undoes and run.who != BY_HAND)
    return next((run for run in undoable if run.id not in undone), None)


def _ends_with_a_purge(runs: Sequence[Run]) -> bool:
    """Return whether nothing has been done since a purge, undoing and edits by hand left out."""
    done = (
        run for run in reversed(runs) if not run.undoes and run.who != BY_HAND and (run.changes or run.why == PURGED)
    )
    last = next(done, None)
    return last is not None and last.why == PURGED


def undo(
    repository: EntryRepository, run_id: str = "", *, entry_id: str = "", who: str, why: str = "undone"
) -> Outcome:
    """Take back a run, the last one by default, or what it did to one entry.

    When the file is still as the run left it, its bytes become what they were before. Otherwise its entries do, and
    what was changed since then stays. Raises
    `InputError` when there is no such run or entry, and `MemoryFileError`.
    """
    with repository.locked():
        runs = repository.journal.runs()
        run = next((one for one in runs if one.id == run_id), None) if run_id else last_undoable(runs)
        if not run_id and _ends_with_a_purge(runs):
            raise InputError(
                "What was done last was to forget for good, which cannot be taken back.",
                hint="Name an earlier run: `nanobot-memory entries history` shows them.",
            )
        if run is None:
            raise InputError(
                Sentence("There is no run {run_id}.", run_id=run_id) if run_id else "There is nothing to undo."
            )
        if any(one.undoes == run.id for one in runs) and not entry_id:
            raise InputError(Sentence("The run {id} was undone already.", id=run.id))
        changes = [change for change in run.changes if entry_id in ("", change.id)]
        if not changes and (run.purged or run.why == PURGED):
            raise InputError(
                Sentence("What the run {id} did was forgotten for good, and cannot be taken back.", id=run.id)
            )
        if not changes:
            raise InputError(
                Sentence("The run {id} did nothing to the entry {entry_id}.", id=run.id, entry_id=entry_id)
            )
        before = {change.id: change.before for change in changes if change.before is not None}
        after = {change.id: change.after for change in changes if change.after is not None}

        def decide(state: State) -> WantedState:
            exact = None if entry_id else _exact(state, run)
            if exact is not None:
                document = parse(exact)
                return WantedState(adopted(document, document), exact)
            return WantedState(_taken_back(state.entries, before, after))

        whole = len(changes) == len(run.changes)
        return repository.write(decide, who=who, why=why, undoes=run.id if whole else "")


def restore(repository: EntryRepository, entry_id: str, *, now: datetime, who: str, why: str = "restored") -> Outcome:
    """Bring back an entry that was archived, forgotten, or deleted by anybody.

    Raises `InputError` when neither the file nor the journal knows it, and `MemoryFileError`.
    """
    with repository.locked():
        runs = repository.journal.runs()
        known = last_known(runs, entry_id)

        def decide(state: State) -> WantedState:
            entry = state.entries.get(entry_id) or _by_hand(state, entry_id) or known
            if entry is None:
                raise InputError(
                    Sentence("There is no entry {entry_id}, and the journal knows none.", entry_id=entry_id)
                )
            return WantedState({**state.entries, entry_id: restored(entry, now)})

        return repository.write(decide, who=who, why=why)


def _by_hand(state: State, entry_id: str) -> Entry | None:
    """Return an entry that somebody deleted since the last look."""
    return next((change.before for change in state.by_hand if change.id == entry_id and change.after is None), None)


def _exact(state: State, run: Run) -> bytes | None:
    """Return the bytes before the run, when the file is as the run left it."""
    if not state.holds_all:
        return None  # not all that counts is in its bytes
    if run.patch is None or state.raw is None or sha256(state.raw) != run.file_after:
        return None
    data = take_back(state.raw, run.patch)
    return data if sha256(data) == run.file_before else None


def _taken_back(entries: dict[str, Entry], before: dict[str, Entry], after: dict[str, Entry]) -> dict[str, Entry]:
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
