"""What the user told later of what was found: "the wedding is in October now" behind "when is the wedding?".

A question has the words of the statement that was true when it was made. What replaced that one shares words with it,
and not with the question. So the best statement that is to be shown is searched with once more, by its own words.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from nanobot_memory_plugins.core import Hit, Origin, Query
from nanobot_memory_plugins.core.text import tells_change
from nanobot_memory_plugins.recall.relevance import relevance

# So many later statements are looked at, and so relevant one must be to the statement that it may replace: with
# vectors, and by the share of its words alone, of which a new statement has few.
_LOOKED_AT, _ABOUT_IT, _BY_WORDS = 8, 0.35, 0.15
# What is longer holds a word of change by chance, and is seldom about that one statement.
_CHARS = 250


async def later_change(
    query: Query, shown: Sequence[Hit], hits_for: Callable[[Query], Awaitable[tuple[Hit, ...]]]
) -> Hit | None:
    """Return what the user told of a change of the best statement that is ``shown``, or None.

    Raises what the search raises.
    """
    told = [hit for hit in shown if _is_told(hit)]
    best = max(told, key=relevance, default=None)
    if best is None or best.time is None:
        return None
    about = replace(query, text=best.text, limit=_LOOKED_AT, origins=frozenset({Origin.USER}), explain=False)
    known = {hit.id for hit in shown}
    for hit in await hits_for(about):
        is_later = hit.time is not None and hit.time > best.time and _is_told(hit)
        needed = _ABOUT_IT if hit.similarity is not None else _BY_WORDS
        if is_later and len(hit.text) <= _CHARS and relevance(hit) >= needed and tells_change(hit.text):
            return None if hit.id in known else hit
    return None


def _is_told(hit: Hit) -> bool:
    return hit.origin is Origin.USER and hit.source == "transcript"
