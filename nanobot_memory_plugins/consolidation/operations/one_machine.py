"""Work on the entries that one machine does at a time, of those that share them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from nanobot_memory_plugins.core import Store
from nanobot_memory_plugins.core.protocols import LeasingStore

WORK = "entries"
# Seconds: how long a machine that has died keeps the others waiting, and between looks of one that waits.
_HELD = 300.0
_LOOK = 1.0


@contextlib.asynccontextmanager
async def only_machine(store: Store | None, *, patience: float = 0.0) -> AsyncIterator[bool]:
    """Return whether no other machine works on the entries, and keep it so inside the block.

    It is waited for ``patience`` seconds. Where no machines share a memory, there is no other one.
    """
    if not isinstance(store, LeasingStore):
        yield True
        return
    loop = asyncio.get_running_loop()
    end = loop.time() + patience
    taken = await store.lease(WORK, _HELD)
    while not taken and loop.time() < end:
        await asyncio.sleep(_LOOK)
        taken = await store.lease(WORK, _HELD)
    keeping = asyncio.create_task(_keep(store)) if taken else None
    try:
        yield taken
    finally:
        if keeping is not None:
            keeping.cancel()
            await asyncio.wait({keeping})
            await store.lease(WORK, 0.0)


async def _keep(store: LeasingStore) -> None:
    while True:
        await asyncio.sleep(_HELD / 3)
        await store.lease(WORK, _HELD)
