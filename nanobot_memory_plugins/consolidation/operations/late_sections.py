"""Sections of entries that appear in MEMORY.md once ENTRIES.md holds the entries: which of theirs may be taken."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.consolidation.store.atomic_files import read_file
from nanobot_memory_plugins.consolidation.store.damage import damage_of
from nanobot_memory_plugins.consolidation.store.document import Heading, Slot, parse
from nanobot_memory_plugins.consolidation.store.journal import Run
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.consolidation.store.three_way_merge import adopted

# Why the runs were made that brought entries out of MEMORY.md: at the first start, and on demand.
MOVED = "moved from MEMORY.md to ENTRIES.md"
IMPORTED = "imported from MEMORY.md"


def late_entries(repository: EntryRepository) -> dict[str, Entry]:
    """Return the entries of MEMORY.md that count nowhere and may be taken; none while those of MEMORY.md are in force.

    Raises `MemoryFileError`.
    """
    raw = read_file(repository.paths.long_term)
    if raw is None or repository.path != repository.own_path or not has_sections(raw) or damage_of(raw, None):
        return {}
    document = parse(raw)
    return may_be_taken(repository, adopted(document, document), repository.load().entries)


def may_be_taken(
    repository: EntryRepository, found: Mapping[str, Entry], current: Mapping[str, Entry]
) -> dict[str, Entry]:
    """Return those of ``found`` that are new or changed beside the ``current`` entries.

    What was purged, was forgotten or has ended stays so, be it under another id. Raises `MemoryFileError`.
    """
    runs = repository.journal.runs()
    before, gone = moved_before(runs), _gone(runs, current)
    now = repository.clock.now()
    ended = {id_ for id_, one in current.items() if one.superseded_by or (one.expires_at and one.expires_at <= now)}
    words = {wording(one.content).key for one in (*gone.values(), *current.values())}

    def is_new(id_: str, entry: Entry) -> bool:
        here, moved = current.get(id_), before.get(id_)
        if any(one is not None and is_same(entry, one) for one in (here, moved)) or id_ in gone or id_ in ended:
            return False
        return (here is not None or wording(entry.content).key not in words) and not repository.tombstones.holds(entry)

    return {id_: entry for id_, entry in found.items() if is_new(id_, entry)}


def has_sections(data: bytes | None) -> bool:
    """Return whether a file has a section of entries, or an entry."""
    return data is not None and any(isinstance(piece, (Heading, Slot)) for piece in parse(data).pieces)


def moved_before(runs: Iterable[Run]) -> dict[str, Entry]:
    """Return the entries of MEMORY.md as they were when they were taken last."""
    moved: dict[str, Entry] = {}
    listed = list(runs)
    undone = {run.undoes for run in listed if run.undoes}
    for run in listed:
        if run.why in (MOVED, IMPORTED) and run.id not in undone:
            moved.update({change.id: change.after for change in run.changes if change.after is not None})
    return moved


def is_same(one: Entry, other: Entry) -> bool:
    """Return whether two are the same entry but for the days that it has faded since."""
    return replace(one, decayed_days=other.decayed_days) == other


def _gone(runs: Iterable[Run], current: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries that went, as they were before."""
    gone: dict[str, Entry] = {}
    for run in runs:
        for change in run.changes:
            if change.after is None and change.before is not None:
                gone[change.id] = change.before
    return {id_: entry for id_, entry in gone.items() if id_ not in current}
