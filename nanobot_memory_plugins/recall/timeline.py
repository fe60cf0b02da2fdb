"""What was said in a period: its conversations in the order of time."""

from collections.abc import Callable
from dataclasses import replace

from nanobot_memory_plugins.core import Hit, Query, Store
from nanobot_memory_plugins.core.host.bounded_store import hits_of
from nanobot_memory_plugins.core.host.conversations import Conversation, in_conversations

# Memories of a period that are looked at, the newest: as many as are needed for its lines.
_MOST_LISTED = (2_000, 6_000, 20_000)
_TRANSCRIPT = frozenset({"transcript"})
_NOTED = frozenset({"summary", "note"})


async def timeline(
    store: Store, query: Query, wanted: Callable[[Hit], bool] = lambda hit: True
) -> tuple[list[Conversation], bool]:
    """Return the last ``query.limit`` conversations of its period, the oldest first, and whether there are more.

    Raises what the store raises.
    """
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    for most in _MOST_LISTED:
        listed = replace(query, text="", sources=_TRANSCRIPT | _NOTED, limit=most)
        hits = (await hits_of(store, listed)).hits
        found = in_conversations(filter(wanted, hits), zone)
        # The oldest of them may have begun before what was listed.
        if len(found) > query.limit or len(hits) < most:
            break
    return found[-query.limit :], len(found) > query.limit or len(hits) == most
