"""Closing the memory when nanobot ends.

The one-shot command line lives for a few seconds and ends with ``AgentLoop.aclose``; an interrupted process may
not even do that. So the memory is closed from there, and from ``atexit`` behind it, each within the close limit.
"""

import atexit
import functools
import weakref
from typing import Any

from nanobot_memory_plugins.bridge.memory_thread import MemoryThread
from nanobot_memory_plugins.bridge.seams import require

_open_threads: "weakref.WeakKeyDictionary[MemoryThread, float]" = weakref.WeakKeyDictionary()


def close_with(loop: Any, thread: MemoryThread, *, limit: float) -> str:
    """Close ``thread`` after the loop has closed everything of its own."""
    aclose = require(loop, "aclose")

    @functools.wraps(aclose)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return await aclose(*args, **kwargs)
        finally:
            await thread.aclose(limit)

    loop.aclose = wrapped
    return "AgentLoop.aclose"


def close_at_exit(thread: MemoryThread, *, limit: float) -> None:
    """Close ``thread`` when the interpreter ends, in case nothing else has."""
    _open_threads[thread] = limit


@atexit.register
def _close_all() -> None:
    for thread, limit in list(_open_threads.items()):
        thread.close(limit)
