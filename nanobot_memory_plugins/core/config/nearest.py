"""The option that somebody may have meant: the nearest of those that there are, or none where all are far-fetched."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_LONGEST = 80
# From this likeness on a name is offered. `tests/config/test_nearest.py` has what lies on either side.
_NEAR = 0.78
# A part of a name ("topk" of "recallTopK") is at least as like as this, when it is no shorter.
_PART_LIKENESS, _SHORTEST_PART = 0.8, 4
_SEPARATORS = re.compile(r"[\s_-]+")


def nearest(wanted: str, known: Iterable[str]) -> str:
    """Return which of some names, with dots between their parts, ``wanted`` is most like; nothing if like none.

    A last part alone stands for the whole, where it is that of one name only.
    """
    typed = _folded(wanted[:_LONGEST])
    names = list(dict.fromkeys(known))
    best = max(names, key=lambda name: (_likeness(typed, _folded(name)), _by_last_part(typed, name)), default="")
    if best and _likeness(typed, _folded(best)) >= _NEAR:
        return best
    if "." in typed:
        return ""
    scored = sorted((_part(typed, _folded(name).rpartition(".")[2]), name) for name in names if "." in name)
    near = [name for score, name in scored if score >= _NEAR and score == scored[-1][0]]
    return near[0] if len(near) == 1 else ""


def _likeness(typed: str, name: str) -> float:
    mine, its = typed.split("."), name.split(".")
    if len(mine) != len(its):
        return SequenceMatcher(None, typed, name).ratio()
    return sum(_part(one, other) for one, other in zip(mine, its, strict=True)) / len(mine)


def _by_last_part(typed: str, name: str) -> float:
    """Tell apart what is alike: of all options that hold "topk", "recal.topk" rather means "recallTopK"."""
    last = _folded(name).rpartition(".")[2]
    return SequenceMatcher(None, typed.replace(".", ""), last).ratio()


def _part(typed: str, name: str) -> float:
    ratio = SequenceMatcher(None, typed, name).ratio()
    is_part = len(typed) >= _SHORTEST_PART and typed in name
    return max(ratio, _PART_LIKENESS) if is_part else ratio


def _folded(name: str) -> str:
    return _SEPARATORS.sub("", name.casefold())
