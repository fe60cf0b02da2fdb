"""What a store finds, inside bounds: somebody else's store may give any number of hits, of any length.

Whoever searches for a prompt asks through these.
"""

from dataclasses import replace

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.isolation.answers import HIT_FIELDS, HIT_SNIPPET, HIT_TEXT, characters
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.values import Hit, Query, SearchResult


async def hits_of(store: Store | None, query: Query) -> SearchResult:
    """Return what a store finds: as many hits as were asked for at most, long texts cut, each other text inside bounds.

    Raises `StoreError` as the store does, when it gives no result, and where there is none.
    """
    if store is None:
        raise StoreError(
            "No store is open: the storage plugin is not installed, not enabled, or failed.",
            hint="Run `nanobot-memory doctor`, or install nanobot-memory-storage.",
        )
    result: object = await store.search(query)
    hits = result.hits if isinstance(result, SearchResult) else None
    if not isinstance(result, SearchResult) or not isinstance(hits, (tuple, list)):
        raise StoreError(
            "The store gave no result.", hint="`nanobot-memory plugins --all` shows which plugins open one."
        )
    return replace(result, hits=tuple(hit for one in hits[: query.limit] if (hit := _bounded(one)) is not None))


async def whole_hit(store: Store, hit_id: str) -> Hit | None:
    """Return one memory, cut where it is too long; None where the store has none, or none that can be used."""
    found = await store.read(hit_id)
    return None if found is None else _bounded(found)


def _bounded(hit: object) -> Hit | None:
    """Return a hit inside the bounds, or None when it is none."""
    try:
        if not isinstance(hit, Hit):
            raise TypeError
        cut = replace(
            hit, text=hit.text[:HIT_TEXT], snippet=hit.snippet[:HIT_SNIPPET], answers=hit.answers[:HIT_SNIPPET]
        )
        others = characters(replace(cut, text="", snippet="", answers=""))
    except Exception as error:  # what is half a hit may fail in any way
        logger.warning("the store returned an invalid hit ({}), skipped", type(error).__name__)
        return None
    if others > HIT_FIELDS:
        logger.warning("the store returned an invalid hit, skipped: {:,} characters beside its text", others)
        return None
    return cut
