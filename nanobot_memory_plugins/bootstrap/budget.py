"""All files of a prompt inside one budget, the important ones first."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from nanobot_memory_plugins.bootstrap.cutting import cut
from nanobot_memory_plugins.bootstrap.options import OTHERS, BootstrapOptions

# Percent of the total that may be used: the upgrade plan's measure of success.
USED_PERCENT = 98


@dataclass(frozen=True, slots=True)
class Shortened:
    """What happened to one file. ``limit`` is the characters that it could have, ``left_out`` what is not shown."""

    name: str
    size: int
    limit: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Allotment:
    """What each file shows. ``skipped`` files show nothing, for the budget was used up."""

    texts: Mapping[str, str]
    used: int
    cut: tuple[Shortened, ...] = ()
    skipped: tuple[Shortened, ...] = ()


def allot(files: Mapping[str, str], overhead: Mapping[str, int], options: BootstrapOptions) -> Allotment:
    """Share the budget out among files, each with the characters that the host puts around it.

    ``texts`` has the order of ``files``.
    """
    remaining = options.total_max_chars * USED_PERCENT // 100
    kept: dict[str, str] = {}
    shortened: list[Shortened] = []
    skipped: list[Shortened] = []
    exhausted = False
    for name in in_order(files, options.priority):
        text = files[name]
        room = remaining - overhead.get(name, 0)
        exhausted = exhausted or room < options.min_budget
        limit = min(options.max_chars, room)
        whole = len(text) <= limit
        short = None
        if not exhausted and not whole:
            short = cut(text, name, limit=limit, head_ratio=options.head_ratio, tail_ratio=options.tail_ratio)
        if exhausted or not (whole or short):
            skipped.append(Shortened(name, len(text), 0 if exhausted else limit, len(text)))
            continue
        if short is not None:
            shortened.append(Shortened(name, len(text), limit, short.left_out))
        kept[name] = short.text if short is not None else text
        remaining -= overhead.get(name, 0) + len(kept[name])
    return Allotment(
        {name: kept[name] for name in files if name in kept},
        used=options.total_max_chars * USED_PERCENT // 100 - remaining,
        cut=tuple(shortened),
        skipped=tuple(skipped),
    )


def in_order(names: Iterable[str], priority: tuple[str, ...]) -> list[str]:
    """Return names by priority; what the same pattern names keeps its order.

    A pattern is compared with the name and with the last part of its path. What nothing names comes where `OTHERS`
    stands, else at the end.
    """
    others = priority.index(OTHERS) if OTHERS in priority else len(priority)

    def rank(name: str) -> int:
        last = name.replace("\\", "/").rpartition("/")[2]
        for place, pattern in enumerate(priority):
            if pattern != OTHERS and (fnmatchcase(name, pattern) or fnmatchcase(last, pattern)):
                return place
        return others

    return sorted(names, key=rank)
