"""Changes to existing entries: edit, forget, restore and undo. Each is one run of the history."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import (
    Category,
    canonical_group,
    contains_words,
    content_of,
    with_replaced,
)
from nanobot_memory_plugins.consolidation.model.scoring import decay_entry, entry_as_of, restore_entry
from nanobot_memory_plugins.consolidation.store.document import sort_by_score
from nanobot_memory_plugins.consolidation.store.history import PURGED
from nanobot_memory_plugins.consolidation.store.merging import merge_entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import InputError, Origin
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.values.entries import Entry, EntryEdit, EntryRun, Section
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Characters of a text that is remembered. A longer text is not a single fact.
MOST_CHARACTERS = 2_000
# The last records of a session, in which an answer is looked for.
_MOST_RECORDS = 20_000
# Entries that are suggested when somebody gives words instead of an id.
_MOST_NAMED = 3


def edit(
    repository: EntryRepository, ids: Collection[str], changes: EntryEdit, *, who: str, why: str = "edit"
) -> Outcome:
    """Apply ``changes`` to some entries; a new or confirmed text counts as the user's own.

    Raises `InputError` for an unknown id, an unknown category, a score outside 0..1, or a text that is empty or too
    long, and `MemoryFileError`.
    """
    content = None if changes.text is None else content_to_keep(changes.text)
    if changes.category is not None and changes.category not in set(Category):
        raise InputError(
            Sentence('There is no category "{category}".', category=changes.category),
            hint=Sentence("Known categories: {category}.", category=", ".join(Category)),
        )
    if changes.score is not None and not 0.0 <= changes.score <= 1.0:
        raise InputError("A score lies between 0 and 1.", hint="Write 0.8, for example.")
    now = repository.clock.now()

    def apply_edit(entry: Entry) -> Entry:
        if changes.confirmed or content not in (None, entry.content):
            entry = replace(entry, content=content or entry.content, origin=Origin.USER)
        if changes.category is not None:
            entry = replace(entry, category=changes.category)
        if changes.group is not None:
            entry = replace(entry, group=canonical_group(changes.group))
        if changes.score is not None and round(decay_entry(entry, now).score, 2) != round(changes.score, 2):
            entry = decay_entry(entry, now).with_score(changes.score)
        return entry

    return _change_each(repository, ids, apply_edit, who=who, why=why)


def forget(repository: EntryRepository, ids: Collection[str], *, who: str) -> Outcome:
    """Archive entries and those that they replaced as forgotten, and hide the messages that they came from.

    Raises `InputError` for an unknown id, and `MemoryFileError`.
    """

    def mark_forgotten(entry: Entry) -> Entry:
        return replace(entry, hides=(entry.id, *_hidden_records(repository.paths, entry)))

    ids = with_replaced(ids, repository.load().entries)
    return _change_each(repository, ids, mark_forgotten, who=who, why="forget")


def restore(repository: EntryRepository, entry_id: str, *, who: str) -> Outcome:
    """Bring back an entry that was archived, replaced, forgotten, or deleted by anybody.

    Raises `InputError` when neither the file nor the history knows it, and `MemoryFileError`.
    """
    now = repository.clock.now()

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        entry = entries.get(entry_id) or repository.history.last_known(entry_id)
        if entry is None:
            raise InputError(Sentence("There is no entry {entry_id}, not even in the history.", entry_id=entry_id))
        is_present = entry_id in entries and not entry.is_forgotten
        if is_present and entry_as_of(entry, now).section is Section.ACTIVE and not entry.superseded_by:
            return entries
        back = replace(restore_entry(entry, now), superseded_by="")  # it is valid again, next to its replacement
        if is_present and back.section is Section.ARCHIVED:  # a model's note, which the person confirms
            back = replace(back, origin=Origin.USER)
        return {**entries, entry_id: back}

    return repository.update(change, who=who, why="restored", allow_purged=True, with_forgotten=True)


def undo(repository: EntryRepository, run_id: str = "", *, who: str, why: str = "undone") -> Outcome:
    """Take back a run, the last one by default; later changes stay.

    Raises `InputError` when there is no such run, and `MemoryFileError`.
    """
    runs = repository.history.runs()
    run = next((one for one in runs if one.id == run_id), None) if run_id else _last_undoable(runs)
    if run is None:
        raise InputError(
            Sentence("There is no run {run_id}.", run_id=run_id) if run_id else "There is nothing to undo."
        )
    if run.undone:
        raise InputError(Sentence("The run {id} was undone already.", id=run.id))
    if not run.changes:
        raise InputError(Sentence("The changes of the run {id} are no longer known.", id=run.id))

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        reverted = {one.id: _revert(entries.get(one.id), one.before, one.after) for one in run.changes}
        return {id_: entry for id_, entry in {**entries, **reverted}.items() if entry is not None}

    return repository.update(change, who=who, why=why, undoes=run.id, allow_purged=True, with_forgotten=True)


def _change_each(
    repository: EntryRepository, ids: Collection[str], change_entry: Callable[[Entry], Entry], *, who: str, why: str
) -> Outcome:
    """Apply ``change_entry`` to each of some entries. Raises `InputError` for an unknown id, and `MemoryFileError`."""

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        if missing := sorted(set(ids) - entries.keys()):
            raise no_entry(missing, entries)
        return {id_: change_entry(entry) if id_ in ids else entry for id_, entry in entries.items()}

    return repository.update(change, who=who, why=why, allow_purged=True)


def no_entry(missing: Collection[str], entries: Mapping[str, Entry]) -> InputError:
    """Return the error for unknown ids; it names the entries whose texts contain them as words."""
    matches = [entry for entry in sort_by_score(entries.values()) if contains_words(entry.content, " ".join(missing))]
    named = Sentence.joined(
        Sentence("{id} ({text})", id=entry.id, text=entry.content) for entry in matches[:_MOST_NAMED]
    )
    hint = Sentence("These entries contain it: {entries}. Use the id.", entries=named)
    list_hint = Sentence("`nanobot-memory entries list` shows the ids, `nanobot-memory entries history` older ones.")
    cause = Sentence("There is no entry {missing}.", missing=", ".join(missing))
    return InputError(cause, hint=hint if matches else list_hint)


def content_to_keep(text: str) -> str:
    """Return a text in the form that an entry contains. Raises `InputError` for an empty or too long text."""
    content = content_of(text[: 4 * MOST_CHARACTERS])
    if not content:
        raise InputError("There is no text.", hint="Write what it should say; to do away with an entry, forget it.")
    if len(content) > MOST_CHARACTERS:
        raise InputError(
            Sentence("The text is too long for an entry: {most:,} characters at most.", most=MOST_CHARACTERS),
            hint="Shorten it; a longer text can be a file of its own below memory/, where it is searched.",
        )
    return content


def _hidden_records(paths: MemoryPaths, entry: Entry) -> tuple[str, ...]:
    """Return the ids of the messages that an entry came from, and of the assistant's answers to them."""
    found = dict.fromkeys(entry.records)
    for session in entry.sessions if found else ():
        is_answer = False
        try:
            records = last_records(paths.transcript(session), session, _MOST_RECORDS)
        except OSError:
            continue
        for record in records:
            is_answer = record.id in entry.records or (is_answer and record.origin is Origin.ASSISTANT)
            if is_answer:
                found[record.id] = None
    return tuple(found)


def _last_undoable(runs: Sequence[EntryRun]) -> EntryRun | None:
    """Return the last run that can be undone, or None. Raises `InputError` if a purge comes first."""
    for run in reversed(runs):
        if run.why == PURGED:
            raise InputError(
                "The last run was a purge, which cannot be undone.",
                hint="Name an earlier run: `nanobot-memory entries history` shows them.",
            )
        if run.is_undoable:
            return run
    return None


def _revert(entry: Entry | None, before: Entry | None, after: Entry | None) -> Entry | None:
    """Return an entry with the changes of a run reverted; None if the run added it.

    A removed entry comes back, and a changed field gets its old value unless it was changed again since then. An entry
    that was removed later stays removed.
    """
    if before is None or after is None:
        return before and (entry or before)
    if entry is None:
        return None
    # Fading is not a change.
    return merge_entry(after, replace(entry, decayed_days=after.decayed_days), before)
