"""What leads from a file back to what it was before: the pieces that differ, without those that do not.

Pieces begin at headings, so that a piece is an entry as a rule; lines would repeat too often.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
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
    hunks: list[Hunk] = []
    i = m = 0
    for i, j, m, n in _first_lines(after, before):
        hunks.append(Hunk(i, j, before[m:n]))
        i, m = j, n
    same = _common(after, before, i, m)
    i, m = i + same, m + same
    end = _common_end(after, before, i, m)
    found = _pieces_back(after[i : len(after) - end], before[m : len(before) - end])
    if found is None:
        return None
    hunks += [Hunk(i + hunk.start, i + hunk.end, hunk.before) for hunk in found]
    if sum(len(hunk.before) for hunk in hunks) > MOST_CHARACTERS:
        return None
    try:
        for hunk in hunks:
            hunk.before.decode()
    except UnicodeDecodeError:
        return None
    return tuple(hunks)


def _first_lines(after: bytes, before: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield the comments above everything in which two files differ, so that what lies below need not be compared."""
    i = m = 0
    for _ in range(2):
        same = _common(after, before, i, m)
        i, m = i + same, m + same
        j, n = after.find(b"\n", i) + 1, before.find(b"\n", m) + 1
        if not (j and n and after.startswith(b"<!--", i) and before.startswith(b"<!--", m)):
            return
        yield i, j, m, n
        i, m = j, n


def _common(after: bytes, before: bytes, i: int, m: int) -> int:
    """Return how many bytes from two places on are the same, up to the end of a line."""
    low, high = 0, min(len(after) - i, len(before) - m)
    if after[i : i + high] == before[m : m + high]:
        low = high
    while high - low > 1:
        middle = (low + high) // 2
        if after[i + low : i + middle] == before[m + low : m + middle]:
            low = middle
        else:
            high = middle
    return after.rfind(b"\n", i, i + low) + 1 - i if after.rfind(b"\n", i, i + low) >= 0 else 0


def _common_end(after: bytes, before: bytes, i: int, m: int) -> int:
    """Return how many bytes at the ends are the same, behind two places and from the beginning of a line on."""
    low, high = 0, min(len(after) - i, len(before) - m)
    if high and after[len(after) - high :] == before[len(before) - high :]:
        low = high
    while high - low > 1:
        middle = (low + high) // 2
        a, b = len(after), len(before)
        if after[a - middle : a - low] == before[b - middle : b - low]:
            low = middle
        else:
            high = middle
    start = after.find(b"\n", len(after) - low)
    return len(after) - start - 1 if low and start >= 0 else 0


def _pieces_back(after: bytes, before: bytes) -> list[Hunk] | None:
    """Return what leads from one to the other, piece by piece, or None where that is long."""
    new, old = _STARTS.split(after), _STARTS.split(before)
    if len(new) + len(old) > _MOST_PIECES:
        return None
    offsets = [0]
    for piece in new:
        offsets.append(offsets[-1] + len(piece))
    hunks: list[Hunk] = []
    for i, j, m, n in _gaps(new, old):
        if new[i:j] != old[m:n]:
            found = _compared(new[i:j], old[m:n])
            if found is None:
                return None
            hunks += [Hunk(offsets[i + a], offsets[i + b], b"".join(old[m + c : m + d])) for a, b, c, d in found]
    return hunks


def _gaps(new: Sequence[bytes], old: Sequence[bytes]) -> Iterator[tuple[int, int, int, int]]:
    """Yield what lies between pieces that stand once in both, in the longest order that they share.

    Most pieces do, and so most of two files need no comparing: it takes as long as sorting them.
    """
    places = {piece: n for n, piece in enumerate(old)}
    once_old, once_new = Counter(old), Counter(new)
    pairs = [(m, places[one]) for m, one in enumerate(new) if once_new[one] == 1 and once_old.get(one) == 1]
    i = m = 0
    for at, there in _rising(pairs):
        yield i, at, m, there
        i, m = at + 1, there + 1
    yield i, len(new), m, len(old)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest run of pairs whose second numbers rise, too."""
    ends: list[int] = []  # the smallest second number at which a run of each length ends
    last: list[int] = []  # the pair that ends it
    before: list[int] = []
    for number, (_, there) in enumerate(pairs):
        length = bisect_left(ends, there)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [there]
        last[length : length + 1] = [number]
    found: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _compared(new: Sequence[bytes], old: Sequence[bytes]) -> list[tuple[int, int, int, int]] | None:
    """Return the stretches in which two lists of pieces differ, or None where comparing would take too long."""
    counts = Counter(old)
    if sum(counts[piece] for piece in new) > _MOST_PAIRS:
        return None
    steps = SequenceMatcher(None, new, old, autojunk=False).get_opcodes()
    return [(i, j, m, n) for kind, i, j, m, n in steps if kind != "equal"]


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
