"""Two writers, one file: what people changed, and how that goes together with what we change."""

from collections.abc import Mapping
from dataclasses import fields, replace

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.store.document import EntryDocument

# Fields that say one thing together: of these, one side is taken whole.
_SCORE = ("anchor", "anchor_days", "decayed_days", "last_activated")
_SINGLE = tuple(field.name for field in fields(Entry) if field.name not in ("id", *_SCORE))


def entries_of(document: EntryDocument, known: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries of a file as people mean them; ``known`` are those that were written last.

    An entry that somebody moved to the other section stays there, whatever its score says.
    """
    return {id_: _as_meant(id_, document, known) for id_ in document.slots}


def _as_meant(id_: str, document: EntryDocument, known: Mapping[str, Entry]) -> Entry:
    slot, before = document.slots[id_], known.get(id_)
    entry = slot.entry
    if entry.section is slot.section:
        return entry
    if entry.is_forgotten:  # among the active ones it is wanted again
        return replace(entry, hides=())
    if before is not None and before.section is slot.section:
        return entry  # its score was changed where it stood, or it has crossed the border
    if entry.section_by_score is slot.section:
        return replace(entry, kept_in=None)
    if before is None and slot.section is Section.ACTIVE:
        return entry
    return replace(entry, kept_in=slot.section)


def merged(base: Mapping[str, Entry], theirs: Mapping[str, Entry], ours: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries that come of two changes of ``base``. Theirs wins, field by field.

    What they deleted is gone, what they added stays, and what they changed stays although we removed it.
    """
    result: dict[str, Entry] = {}
    for id_, their in theirs.items():
        old, our = base.get(id_), ours.get(id_)
        if our is None:
            if old is None or their != old:
                result[id_] = their
        else:
            result[id_] = merged_entry(old, their, our) if old is not None else their
    return result | {id_: our for id_, our in ours.items() if id_ not in theirs and id_ not in base}


def merged_entry(base: Entry, theirs: Entry, ours: Entry) -> Entry:
    """Return one entry that comes of two changes of ``base``; theirs wins."""
    changed = {name: getattr(ours, name) for name in _SINGLE if getattr(theirs, name) == getattr(base, name)}
    if _score(theirs) == _score(base):
        changed |= {name: getattr(ours, name) for name in _SCORE}
    return replace(theirs, **changed)


def _score(entry: Entry) -> tuple[object, ...]:
    return tuple(getattr(entry, name) for name in _SCORE)
