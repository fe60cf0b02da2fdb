"""What conversations and notes still say of something that a user wants forgotten: looked up in the index."""

import asyncio
from collections.abc import Callable, Sequence

from nanobot_memory_plugins.core.erasure import Wanted, is_short
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.store_answers import hits_of
from nanobot_memory_plugins.core.values import Hit, Query, Visibility

# Seconds for one look, hits that are looked at, and how many are offered.
_SECONDS, _HITS, _OFFERED = 0.15, 30, 3
# The share of the question's weight that a passage must hold to be offered.
_COVERAGE = 0.5


class Conversations:
    """Looks for words in what is indexed. ``store`` gives the store that is open, or None.

    ``entries`` are the files of the entries themselves, which are not looked at.
    """

    def __init__(self, store: Callable[[], Store | None], *, entries: frozenset[str]) -> None:
        self._store = store
        self._entries = entries

    async def that_hold(self, texts: Sequence[str], visible: Visibility) -> list[Hit]:
        """Return what holds one of the texts."""
        found = await asyncio.gather(*(self._search(text, visible) for text in texts[:_OFFERED]))
        wanted = Wanted(texts)
        held = {hit.id: hit for hits in found for hit in hits if wanted.count(hit.text)}
        return list(held.values())

    async def about(self, text: str, visible: Visibility, *, without: str) -> tuple[str, list[Hit]]:
        """Return what was plainly said about something, and the word of it that tells most; not ``without`` itself."""
        own = Wanted([without])
        hits = [
            hit for hit in await self._search(text, visible) if hit.coverage >= _COVERAGE and not own.count(hit.text)
        ]
        words = sorted((word.strip(".,!?;:。，！？'\"") for word in text.split()), key=len, reverse=True)
        for word in words:
            named = [hit for hit in hits if not is_short(word) and Wanted((), words=[word]).count(hit.text)]
            if named:
                return word, named[:_OFFERED]
        return "", []

    async def _search(self, text: str, visible: Visibility) -> list[Hit]:
        store = self._store()
        if store is None:
            return []
        query = Query(text, limit=_HITS, scope=visible, use_vectors=False)
        try:
            hits = (await asyncio.wait_for(hits_of(store, query), _SECONDS)).hits
        except (StoreError, TimeoutError) as error:
            logger.debug("what conversations say was not looked up: {}", type(error).__name__)
            return []
        return [hit for hit in hits if hit.path not in self._entries]
