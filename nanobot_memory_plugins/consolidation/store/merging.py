"""Merging concurrent changes to the entries, by people in the file and by this program."""

from collections.abc import Mapping
from dataclasses import fields, replace

from nanobot_memory_plugins.consolidation.model.scoring import EXPIRED_SCORE, RESTORED_SCORE
from nanobot_memory_plugins.consolidation.store.document import EntryDocument
from nanobot_memory_plugins.core import Origin
from nanobot_memory_plugins.core.values.entries import Entry, Section

# Fields that form one value together: they are taken from one side as a whole.
_SCORE_FIELDS = ("anchor", "anchor_days", "decayed_days", "last_activated")
_OTHER_FIELDS = tuple(field.name for field in fields(Entry) if field.name not in ("id", *_SCORE_FIELDS))


def entries_of(document: EntryDocument, known: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries of a file as people intend them; ``known`` are the entries as they were last written.

    An entry that somebody moved to the other section gets a score to match and no longer expires. A model's note that
    is moved to the active section becomes their own statement.
    """
    return {id_: _intended_entry(id_, document, known) for id_ in document.slots}


def _intended_entry(id_: str, document: EntryDocument, known: Mapping[str, Entry]) -> Entry:
    slot, before = document.slots[id_], known.get(id_)
    entry = slot.entry
    if entry.section is slot.section:
        return entry
    if entry.is_forgotten:  # moved to the active section, it is wanted again
        return replace(entry, hides=())
    if before is not None and before.section is slot.section:
        return entry  # only its score changed, by an edit or by fading
    if slot.section is Section.ARCHIVED:
        return replace(entry.with_score(min(entry.score, EXPIRED_SCORE)), expires_at=None)
    if before is None:
        return entry
    origin = Origin.USER if entry.origin is Origin.SUMMARY else entry.origin
    return replace(entry.with_score(max(entry.score, RESTORED_SCORE)), origin=origin, expires_at=None)


def merge_entries(
    base: Mapping[str, Entry], remote: Mapping[str, Entry], local: Mapping[str, Entry]
) -> dict[str, Entry]:
    """Return the result of two changes of ``base``. ``remote`` wins, field by field.

    An entry deleted in ``remote`` is deleted, and one added there is kept, as is one changed there but deleted in
    ``local``.
    """
    result: dict[str, Entry] = {}
    for id_, remote_entry in remote.items():
        old, local_entry = base.get(id_), local.get(id_)
        if local_entry is None:
            if old is None or remote_entry != old:
                result[id_] = remote_entry
        else:
            result[id_] = merge_entry(old, remote_entry, local_entry) if old is not None else remote_entry
    return result | {id_: local_entry for id_, local_entry in local.items() if id_ not in remote and id_ not in base}


def merge_entry(base: Entry, remote: Entry, local: Entry) -> Entry:
    """Return the result of two changes of one entry ``base``; ``remote`` wins, field by field."""
    changed = {name: getattr(local, name) for name in _OTHER_FIELDS if getattr(remote, name) == getattr(base, name)}
    if _score_of(remote) == _score_of(base):
        changed |= {name: getattr(local, name) for name in _SCORE_FIELDS}
    return replace(remote, **changed)


def _score_of(entry: Entry) -> tuple[object, ...]:
    return tuple(getattr(entry, name) for name in _SCORE_FIELDS)
