"""An overview of one thing: what was told about it, from several conversations."""

from collections.abc import Sequence

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.recall.relevance import relevance

# The relevance of a hit that is about the thing: its words are few, and each counts for much.
_ABOUT = 0.25
# So many pieces make an overview; what is there of one conversation, before others have had their turn.
_FEWEST, _OF_ONE = 2, 2


def pieces(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits for an overview, best first, or nothing where too little is about the thing.

    ``hits`` were searched by the thing alone, and are best first. What people told makes an overview; what the
    assistant said and summaries repeat it. A few of each conversation stand before more of one.
    """
    about = [hit for hit in hits if relevance(hit) >= _ABOUT and hit.origin is not Origin.ASSISTANT]
    told = [hit for hit in about if hit.source != "summary"]
    if len(told) < _FEWEST:
        return []
    seen: dict[str, int] = {}
    first: list[Hit] = []
    later: list[Hit] = []
    for hit in told:
        seen[hit.path] = seen.get(hit.path, 0) + 1
        (first if seen[hit.path] <= _OF_ONE else later).append(hit)
    return [*first, *later]
