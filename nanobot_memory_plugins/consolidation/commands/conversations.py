"""What conversations and notes still say of something that a user wants forgotten."""

import asyncio
import time
from collections.abc import Callable, Sequence

from nanobot_memory_plugins.consolidation.commands.narrowing import names_held, narrowest
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.core import (
    Erasure,
    Hit,
    MemoryPaths,
    Query,
    Store,
    StoreError,
    Visibility,
    Wanted,
    logger,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.erasure import ErasurePlan, plan_in_files
from nanobot_memory_plugins.core.host import hits_of
from nanobot_memory_plugins.core.language_model import hook_deadline

# Seconds for one look, hits that are looked at, and how many are offered.
_SECONDS, _HITS, _OFFERED = 0.15, 30, 3
# Seconds for a look into the files, and the share of a hook's remaining time where it has less.
_LOOK_SECONDS, _LOOK_SHARE = 1.0, 0.3
# The share of the question's weight that a passage must hold to be offered.
_COVERAGE = 0.5


class Conversations:
    """Looks for words in the files, and in what is indexed. ``store`` gives the store that is open, or None.

    ``entries`` are the files of the entries themselves, which are not offered.
    """

    def __init__(self, paths: MemoryPaths, store: Callable[[], Store | None], *, entries: frozenset[str]) -> None:
        self._paths = paths
        self._store = store
        self._entries = entries

    async def plan_of(self, entries: Sequence[Entry], visible: Visibility, *, about: str = "") -> ErasurePlan:
        """Return what a purge of entries would find where ``visible`` may look, as far as that is told in time.

        What tells them again counts: an assistant echoes what it is told. ``about`` is a name of which everything is
        to be forgotten.
        """
        ids, texts = tuple(one.id for one in entries), tuple(one.content for one in entries)
        erasure = Erasure(ids, texts, (about,) if about else (), nearly=True)
        deadline, now = hook_deadline.get(), time.monotonic()
        seconds = min(_LOOK_SECONDS, _LOOK_SHARE * (deadline - now)) if deadline is not None else _LOOK_SECONDS

        def look() -> ErasurePlan:
            return plan_in_files(
                self._paths, erasure, visible=visible, stopped=lambda: time.monotonic() > now + seconds
            )

        try:
            return await asyncio.wait_for(run_in_daemon_thread(look), max(0.0, seconds))
        except TimeoutError:
            return ErasurePlan(erasure, (), is_whole=False)

    async def about(self, topic: str, visible: Visibility, *, without: str) -> tuple[list[str], list[Hit]]:
        """Return what was plainly said about something, and the words that find it, and little else.

        What holds ``without`` itself does not count.
        """
        own = Wanted([without])
        hits = [hit for hit in await self._search(topic, visible) if not own.count(hit.text)]
        held = [names_held(topic, hit.text) for hit in hits]
        meant = [hit for hit, count in zip(hits, held, strict=True) if count and count == max(held)]
        # Two names of it are enough whatever forms of words the index tells apart.
        offered = [hit for hit in meant if hit.coverage >= _COVERAGE or max(held) > 1][:_OFFERED]
        if not offered:
            return [], []
        others = [hit.text for hit in hits if hit not in meant]
        words = await run_in_daemon_thread(lambda: narrowest(topic, [hit.text for hit in offered], others))
        return words, offered if words else []

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
