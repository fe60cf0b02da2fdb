"""What leads from a file back to what it was before: the pieces that differ, without those that do not.

Pieces begin at headings, so that a piece is an entry as a rule; lines would repeat too often.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

# Characters of a patch at most; a run that changes more is taken back entry by entry.
MOST_CHARACTERS = 65_536
_MOST_PIECES = 20_000
# Pieces that are alike, in pairs: comparing takes that many steps, and more.
_MOST_PAIRS = 200_000
_STARTS = re.compile(rb"^(?=#|<!--)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Hunk:
    """In the later file, the bytes from ``start`` to ``end`` stand in place of ``before``."""

    start: int
    end: int
    before: bytes


Patch = tuple[Hunk, ...]


def patch_back(after: bytes, before: bytes) -> Patch | None:
    """Return what leads from ``after`` back to ``before``, or None when that is long or no UTF-8."""
    new, old = _STARTS.split(after), _STARTS.split(before)
    counts = Counter(old)
    if len(new) + len(old) > _MOST_PIECES or sum(counts[piece] for piece in new) > _MOST_PAIRS:
        return None
    offsets = [0]
    for piece in new:
        offsets.append(offsets[-1] + len(piece))
    hunks: list[Hunk] = []
    for kind, i, j, m, n in SequenceMatcher(None, new, old, autojunk=False).get_opcodes():
        if kind != "equal":
            hunks.append(Hunk(offsets[i], offsets[j], b"".join(old[m:n])))
    if sum(len(hunk.before) for hunk in hunks) > MOST_CHARACTERS:
        return None
    try:
        for hunk in hunks:
            hunk.before.decode()
    except UnicodeDecodeError:
        return None
    return tuple(hunks)


def take_back(after: bytes, patch: Sequence[Hunk]) -> bytes:
    """Return the earlier file."""
    parts, done = [], 0
    for hunk in patch:
        parts += [after[done : hunk.start], hunk.before]
        done = hunk.end
    return b"".join([*parts, after[done:]])


def patch_to_json(patch: Patch) -> list[list[Any]]:
    """Return a patch as JSON values."""
    return [[hunk.start, hunk.end, hunk.before.decode()] for hunk in patch]


def patch_from_json(values: Sequence[Sequence[Any]]) -> Patch:
    """Return the patch. Raises `TypeError` or `ValueError` for what is none."""
    return tuple(Hunk(int(start), int(end), str(before).encode()) for start, end, before in values)
