"""Groups of entries, which nest: ``work/clients`` lies in ``work``."""

from collections import Counter
from collections.abc import Iterable

from nanobot_memory_plugins.consolidation.model.entry import Entry, content_of
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key

_LONGEST = 80  # characters
_DEEPEST = 5


def plain_group(group: str) -> str:
    """Return the name of a group in its one form: parts without space around them, in lower case, by single slashes.

    A token in it is replaced.
    """
    text = redact_key(content_of(group[: 4 * _LONGEST])).replace("\\", "/").replace("／", "/").casefold()
    parts = [part.strip(" .") for part in text.split("/")]
    return "/".join([part for part in parts if part][:_DEEPEST])[:_LONGEST].strip("/ ")


def in_group(entry: Entry, group: str) -> bool:
    """Return whether an entry lies in a group or in one inside it. The empty group holds everything."""
    outer, inner = plain_group(group), plain_group(entry.group)
    return not outer or inner == outer or inner.startswith(f"{outer}/")


def group_sizes(entries: Iterable[Entry]) -> dict[str, int]:
    """Return each group with the number of entries in it and in those inside it, by name; ``""`` holds the rest."""
    counts: Counter[str] = Counter()
    for entry in entries:
        parts = plain_group(entry.group).split("/")
        counts.update("/".join(parts[: depth + 1]) for depth in range(len(parts)))
    return dict(sorted(counts.items()))
