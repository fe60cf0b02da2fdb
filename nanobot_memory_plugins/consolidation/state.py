"""What the file holds now, seen beside what it held when we last looked."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from nanobot_memory_plugins.consolidation.damage import best_copy, damage_of
from nanobot_memory_plugins.consolidation.document import Document, Stamps, parse
from nanobot_memory_plugins.consolidation.entry import Entry
from nanobot_memory_plugins.consolidation.journal import Change, Run, changes_between, rewound
from nanobot_memory_plugins.consolidation.merging import adopted, merged

_STAMP = re.compile(rb"Last updated:[ \t]*([0-9T:+\-]+)")


@dataclass(frozen=True, slots=True)
class State:
    """One look at the file.

    ``raw`` are its bytes, None when there is no file. ``document`` is what they say, or where ``damage`` says what is
    wrong with them, what a copy says. ``entries`` are the entries as people mean them, ``by_hand`` is what others did
    to them since the last look. ``finishes`` says that it completes what a process left when it ended, ``doubt`` what
    is wrong with bytes that are used all the same, for want of a copy.
    """

    raw: bytes | None
    document: Document
    entries: dict[str, Entry]
    by_hand: tuple[Change, ...]
    damage: str = ""
    finishes: bool = False
    doubt: str = ""


def look(raw: bytes | None, seen: bytes | None, backup: bytes | None, runs: Callable[[], Sequence[Run]]) -> State:
    """Return the state of a file. ``runs`` reads the journal, where that is needed."""
    data = raw if raw is not None else b""
    damage = damage_of(data, seen if seen is not None else backup) if raw is not None else ""
    # Without a copy, what can be read of the damaged file is the best there is.
    if damage and (copy := best_copy([seen, backup])):
        document = parse(copy)
        return State(raw, document, adopted(document, document), (), damage)
    document = parse(data)
    if seen is None:
        entries = adopted(document, None)
        return State(raw, document, entries, changes_between({}, entries), doubt=damage)
    if seen == data:
        return State(raw, document, adopted(document, document), (), doubt=damage)
    before = parse(seen)
    known = adopted(before, before)
    entries = adopted(document, before)
    stale = _older_stamp(document, before)
    if stale is not None:
        entries = _onto_an_old_version(entries, known, stale, runs())
    return State(raw, document, entries, changes_between(known, entries), doubt=damage)


def sha256(data: bytes) -> str:
    """Return the hash by which the journal names a state of the file."""
    return hashlib.sha256(data).hexdigest()


def stamp_time(document: Document) -> datetime | None:
    """Return when the file says that it was written by us."""
    for piece in document.pieces:
        if isinstance(piece, Stamps) and (match := _STAMP.search(piece.data)):
            try:
                found = datetime.fromisoformat(match[1].decode())
            except ValueError:
                return None
            return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return None


def _older_stamp(document: Document, seen: Document) -> datetime | None:
    """Return the time of the version on which somebody worked, when that is not our last one."""
    theirs, ours = stamp_time(document), stamp_time(seen)
    return theirs if theirs is not None and ours is not None and theirs < ours else None


def _onto_an_old_version(
    theirs: Mapping[str, Entry], ours: Mapping[str, Entry], since: datetime, runs: Sequence[Run]
) -> dict[str, Entry]:
    """Return the entries when somebody read the file, we wrote it, and then they wrote theirs over ours.

    What they did not know of is no deletion. The journal leads back to the version that they had read.
    """
    later = [run for run in runs if _second(run.time) is None or (_second(run.time) or since) > since]
    if len(later) == len(runs):
        return dict(theirs)  # a version that we did not write
    return merged(rewound(ours, later), theirs, ours)


def _second(time: str) -> datetime | None:
    try:
        return datetime.fromisoformat(time).replace(microsecond=0)
    except ValueError:
        return None
