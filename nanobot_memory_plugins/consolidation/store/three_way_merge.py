"""Two writers, one file: what people changed, and how that goes together with what we change."""

from collections.abc import Mapping
from dataclasses import fields, replace

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.store.document import EntryDocument

# Fields that say one thing together: of these, one side is taken whole.
_SCORE = ("anchor", "anchor_days", "decayed_days", "last_activated")
_SINGLE = tuple(field.name for field in fields(Entry) if field.name not in ("id", *_SCORE))


def adopted(document: EntryDocument, seen: EntryDocument | None) -> dict[str, Entry]:
    """Return the entries of a file as people mean them, ``seen`` being the file as it was when we last looked.

    An entry that somebody moved to the other section stays there, whatever its score says.
    """
    return {id_: _adopted(id_, document, seen) for id_ in document.slots}


def _adopted(id_: str, document: EntryDocument, seen: EntryDocument | None) -> Entry:
    slot = document.slots[id_]
    entry = slot.entry
    before = seen.slots.get(id_) if seen is not None else None
    if entry.section is slot.section:
        return entry
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
        elif old is None:
            result[id_] = their
        else:
            result[id_] = merged_entry(old, their, our)
    return result | {id_: our for id_, our in ours.items() if id_ not in theirs and id_ not in base}


def merged_entry(base: Entry, theirs: Entry, ours: Entry) -> Entry:
    """Return one entry that comes of two changes of ``base``; theirs wins."""
    if theirs in (base, ours):
        return ours
    changed = {name: getattr(ours, name) for name in _SINGLE if getattr(theirs, name) == getattr(base, name)}
    if _score(theirs) == _score(base):
        changed |= {name: getattr(ours, name) for name in _SCORE}
    return replace(theirs, **changed)


def _score(entry: Entry) -> tuple[object, ...]:
    return tuple(getattr(entry, name) for name in _SCORE)


def holds_text_unknown_to(document: EntryDocument, *others: EntryDocument) -> bool:
    """Return whether a line of somebody's text stands in a document and in none of the others."""
    known = {line.strip() for other in others for line in other.foreign.splitlines()}
    return any(line.strip() and line.strip() not in known for line in document.foreign.splitlines())
