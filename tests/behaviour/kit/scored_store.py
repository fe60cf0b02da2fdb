"""A store that finds what a test says, as well as it says and as late as it says; it is a plugin of its own."""

import sys
from collections.abc import Callable
from typing import Any

# Beside recall alone: nothing else of the set is loaded.
SOURCE = """
import asyncio
from nanobot_memory_plugins.core import Hit, Level, Origin, SearchResult, StoreStatus, Tier, hookimpl

text, coverage, seconds, hangs = "The port of the staging database is 6543.", 1.0, 0.0, False
queries = []

class ScoredStore:
    def __init__(self, clock):
        self._clock = clock

    async def search(self, query):
        queries.append(query)
        if hangs:
            await asyncio.Event().wait()
        if seconds:
            self._clock.advance(seconds)
        if query.tier is Tier.LIGHT:
            return SearchResult(hits=())
        where = {"path": "memory/2026-02-10.md", "line": 1, "origin": Origin.USER}
        return SearchResult(hits=(Hit(id="1", text=text, score=1.0, coverage=coverage, **where),))

    async def read(self, hit_id): return None
    def notify(self, path): pass
    async def flush(self): pass
    def status(self): return StoreStatus(level=Level.FULL_TEXT)
    async def close(self): pass

@hookimpl(tryfirst=True)
def open_store(context):
    return ScoredStore(context.clock)
"""


def install_scored_store(install: Callable[..., None]) -> Callable[[], Any]:
    """Put the store in the place of the set's own, beside the set's other plugins.

    What is returned gives its module once a host has started: ``text``, ``coverage`` (0 to 1), ``seconds`` that a
    search takes by the host's clock, ``hangs``, and the ``queries`` that it was asked.
    """
    install("scored_store", SOURCE)
    return lambda: sys.modules["third_party_scored_store"]
