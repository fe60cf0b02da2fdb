"""Two writers, one file: what people changed, and how that goes together with what we change."""

from collections.abc import Mapping
from dataclasses import fields, replace

from nanobot_memory_plugins.consolidation.model.scoring import EXPIRED_SCORE, RESTORED_SCORE
from nanobot_memory_plugins.consolidation.store.document import EntryDocument
from nanobot_memory_plugins.core import Origin
from nanobot_memory_plugins.core.values.entries import Entry, Section

# Fields that say one thing together: of these, one side is taken whole.
_SCORE = ("anchor", "anchor_days", "decayed_days", "last_activated")
_SINGLE = tuple(field.name for field in fields(Entry) if field.name not in ("id", *_SCORE))


def entries_of(document: EntryDocument, known: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries of a file as people mean them; ``known`` are those that were written last.

    One that somebody moved to the other section gets a score for that: up, it is remembered again and their own word,
    and down, it is over.
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
    if slot.section is Section.ARCHIVED:
        return replace(entry.with_score(min(entry.score, EXPIRED_SCORE)), expires_at=None)
    if before is None:
        return entry
    origin = Origin.USER if entry.origin is Origin.SUMMARY else entry.origin
    return replace(entry.with_score(max(entry.score, RESTORED_SCORE)), origin=origin, expires_at=None)


def merged(base: Mapping[str, Entry], remote: Mapping[str, Entry], local: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries that come of two changes of ``base``. ``remote`` wins, field by field.

    What was deleted there is gone, what was added there stays, and what was changed there stays although removed here.
    """
    result: dict[str, Entry] = {}
    for id_, remote_entry in remote.items():
        old, local_entry = base.get(id_), local.get(id_)
        if local_entry is None:
            if old is None or remote_entry != old:
                result[id_] = remote_entry
        else:
            result[id_] = merged_entry(old, remote_entry, local_entry) if old is not None else remote_entry
    return result | {id_: local_entry for id_, local_entry in local.items() if id_ not in remote and id_ not in base}


def merged_entry(base: Entry, remote: Entry, local: Entry) -> Entry:
    """Return one entry that comes of two changes of ``base``; ``remote`` wins."""
    changed = {name: getattr(local, name) for name in _SINGLE if getattr(remote, name) == getattr(base, name)}
    if _score(remote) == _score(base):
        changed |= {name: getattr(local, name) for name in _SCORE}
    return replace(remote, **changed)


def _score(entry: Entry) -> tuple[object, ...]:
    return tuple(getattr(entry, name) for name in _SCORE)
