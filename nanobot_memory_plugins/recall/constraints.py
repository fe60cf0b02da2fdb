"""What constrains the answer to a request, and shares no word with it: an allergy beside "what shall I cook?"."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from nanobot_memory_plugins.core import Hit, Origin, Query
from nanobot_memory_plugins.core.text import ConstraintTopic, is_own_constraint, tells_constraint

# So many are shown, the newest ones; so many hits are looked at.
_MOST, _LOOKED_AT = 3, 24
# Of somebody else a constraint counts where the request shares so much with it: "soup for Orla", "Orla is allergic".
_NAMED = 0.2


async def constraints_of(
    topic: ConstraintTopic, query: Query, found: Sequence[Hit], hits_for: Callable[[Query], Awaitable[tuple[Hit, ...]]]
) -> tuple[Hit, ...]:
    """Return what the user told that constrains an answer on a topic, the newest first.

    ``found`` are the hits of the request itself. Raises what the search raises.
    """
    asked = replace(query, text=topic.query, limit=_LOOKED_AT, origins=frozenset({Origin.USER}), explain=False)
    own = [hit for hit in await hits_for(asked) if _is_said(hit) and is_own_constraint(hit.text, topic)]
    known = {hit.id: hit for hit in found}
    named = [
        hit
        for hit in found
        if hit.origin is Origin.USER and _is_said(hit) and hit.coverage >= _NAMED and tells_constraint(hit.text, topic)
    ]
    # One that was found for the request itself is shown as it was found.
    told = {hit.id: known.get(hit.id, hit) for hit in (*named, *own)}
    return tuple(sorted(told.values(), key=_newest_first)[:_MOST])


def _is_said(hit: Hit) -> bool:
    return hit.source in ("transcript", "long_term")


def _newest_first(hit: Hit) -> float:
    return -hit.time.timestamp() if hit.time is not None else -math.inf
