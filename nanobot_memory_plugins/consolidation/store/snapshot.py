"""What the file holds now, seen beside what it held when we last looked."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store import clock_ahead
from nanobot_memory_plugins.consolidation.store.damage import best_copy, damage_of
from nanobot_memory_plugins.consolidation.store.document import EntryDocument, Stamps, parse
from nanobot_memory_plugins.consolidation.store.journal import BY_HAND, Change, Run, changes_between, rewound
from nanobot_memory_plugins.consolidation.store.three_way_merge import adopted, merged
from nanobot_memory_plugins.core.files import read_time

_STAMP = re.compile(rb"Last updated:[ \t]*([0-9T:+\-.]+)")

# Runs that say what was found, beside the write of the same time.
_NO_WRITES = (BY_HAND, clock_ahead.WHO)


@dataclass(frozen=True, slots=True)
class State:
    """One look at the file.

    ``raw`` are its bytes, None when there is no file. ``document`` is what they say, or where ``damage`` says what is
    wrong with them, what a copy says. ``entries`` are the entries as people mean them, ``by_hand`` is what others did
    to them since the last look. ``unrecovered_damage`` is what is wrong with bytes that
    are used all the same, since no good copy exists.
    ``is_earlier`` says that the file is one that we wrote before the last one, edited or not; ``purged`` are the ids of
    entries that stand in it and were forgotten for good. ``returned`` is what comes back with a clock that was set
    right.
    """

    raw: bytes | None
    document: EntryDocument
    entries: dict[str, Entry]
    by_hand: tuple[Change, ...]
    damage: str = ""
    unrecovered_damage: str = ""
    is_earlier: bool = False
    purged: tuple[str, ...] = ()
    returned: tuple[Change, ...] = ()

    @property
    def holds_all(self) -> bool:
        """Whether the bytes hold what counts, and nothing else."""
        return not (self.is_earlier or self.purged or self.returned)


class WantedState(NamedTuple):
    """What a change comes to: the entries, and the bytes of the file where they are known exactly.

    ``document`` is the file that they are written into, where that is not the one that was read.
    """

    entries: Mapping[str, Entry]
    data: bytes | None = None
    document: EntryDocument | None = None


def look(
    raw: bytes | None,
    seen: bytes | None,
    backup: bytes | None,
    runs: Callable[[], Sequence[Run]],
    was_purged: Callable[[Entry], bool],
) -> State:
    """Return the state of a file. ``runs`` reads what the journal knows of the file, where that is needed.

    ``was_purged`` says whether an entry was forgotten for good, or holds what was: it does not come back with a file.
    """
    data = raw if raw is not None else b""
    damage = damage_of(data, seen if seen is not None else backup) if raw is not None else ""
    # Without a copy, what can be read of the damaged file is the best there is.
    if damage and (copy := best_copy([seen, backup])):
        document = parse(copy)
        return State(raw, document, adopted(document, document), (), damage)
    document = parse(data)
    if seen == data:
        return State(raw, document, adopted(document, document), (), unrecovered_damage=damage)
    before = parse(seen) if seen is not None else None
    known = adopted(before, before) if before is not None else {}
    entries = adopted(document, before)
    made_of = _made_of(document, before, entries, known, runs) if before is not None else None
    if made_of is not None:
        entries = merged(made_of, entries, known)
    entries, purged = _without_purged(entries, known, was_purged)
    by_hand = changes_between(known, entries)
    return State(
        raw, document, entries, by_hand, unrecovered_damage=damage, is_earlier=made_of is not None, purged=purged
    )


def sha256(data: bytes) -> str:
    """Return the hash by which the journal names a state of the file."""
    return hashlib.sha256(data).hexdigest()


def stamp_time(document: EntryDocument) -> datetime | None:
    """Return when the file says that it was written by us."""
    for piece in document.pieces:
        if isinstance(piece, Stamps) and (match := _STAMP.search(piece.data)):
            try:
                found = datetime.fromisoformat(match[1].decode())
            except ValueError:
                return None
            return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return None


def _made_of(
    document: EntryDocument,
    seen: EntryDocument,
    theirs: dict[str, Entry],
    known: Mapping[str, Entry],
    runs: Callable[[], Sequence[Run]],
) -> dict[str, Entry] | None:
    """Return the entries as they stood in the file of ours that this one was made of; None where that is the last one.

    What came later is no deletion of whoever puts such a file in place. The file names its write by the time, to the
    digit: no clock need be right for that. One without a time is known when it is byte for byte one that we knew. Of
    ``theirs``, those that are as they were are put in place of what differs in the days of fading alone.
    """
    written = stamp_time(document)
    if not document.data or written == stamp_time(seen):
        return None
    listed = runs()
    place = _by_time(listed, written) if written is not None else _by_bytes(listed, sha256(document.data))
    if place is None:
        return None
    first, last = place
    # What others did behind that write, and before our next one, may have been read with it, or not.
    while last + 1 < len(listed) and listed[last + 1].who in _NO_WRITES:
        last += 1
    early, late = rewound(known, listed[first + 1 :]), rewound(known, listed[last + 1 :])
    base: dict[str, Entry] = {}
    for id_ in {**late, **early}:
        their = theirs.get(id_)
        old = early.get(id_) if _same(their, early.get(id_)) else late.get(id_)
        if old is not None:
            base[id_] = old
            if _same(their, old):
                theirs[id_] = old
    return base


def _by_time(runs: Sequence[Run], written: datetime) -> tuple[int, int] | None:
    """Return the first and the last write of a time."""
    found = [number for number, run in enumerate(runs) if run.who not in _NO_WRITES]
    exact = [number for number in found if read_time(runs[number].time) == written]
    return (exact[0], exact[-1]) if exact else None


def _by_bytes(runs: Sequence[Run], digest: str) -> tuple[int, int] | None:
    """Return the write that left these bytes, or that before the one which found them."""
    for number in range(len(runs) - 1, -1, -1):
        if runs[number].file_after == digest:
            return number, number
        if runs[number].file_before == digest:
            return number - 1, number - 1
    return None


def _without_purged(
    entries: dict[str, Entry], known: Mapping[str, Entry], was_purged: Callable[[Entry], bool]
) -> tuple[dict[str, Entry], tuple[str, ...]]:
    """Return the entries without those that were forgotten for good, and the ids of what went."""
    new = [id_ for id_, entry in entries.items() if is_purged(entry, known.get(id_), was_purged)]
    if not new:
        return entries, ()
    kept = {id_: entry for id_, entry in entries.items() if id_ not in new}
    return kept | {id_: known[id_] for id_ in new if id_ in known}, tuple(new)


def is_purged(entry: Entry, before: Entry | None, was_purged: Callable[[Entry], bool]) -> bool:
    """Return whether what is new of an entry was forgotten for good. One that we wrote since then was asked for."""
    if before is not None and before.content == entry.content:
        return False
    return was_purged(entry) and (before is None or not was_purged(before))


def _same(one: Entry | None, other: Entry | None) -> bool:
    """Return whether two are the same but for the days that they have faded, which go on by themselves."""
    if one is None or other is None:
        return one is other
    return one == other or replace(one, decayed_days=other.decayed_days) == other
