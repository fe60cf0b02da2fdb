"""Closing the memory when nanobot ends.

The one-shot command line lives for a few seconds and ends with ``AgentLoop.aclose``; so the memory is closed from
there. A process that ends without it has the exit hook of `MemoryThread`.
"""

import functools
from typing import Any

from nanobot_memory_plugins.bridge.seams import require
from nanobot_memory_plugins.core.host.memory_thread import MemoryThread


def close_with(loop: Any, thread: MemoryThread, *, limit: float) -> str:
    """Close ``thread`` after the loop has closed everything of its own, within ``limit`` seconds."""
    aclose = require(loop, "aclose")

    @functools.wraps(aclose)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return await aclose(*args, **kwargs)
        finally:
            await thread.aclose(limit)

    loop.aclose = wrapped
    return "AgentLoop.aclose"
