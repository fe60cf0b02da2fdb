"""A session that a host stores as a list of items: its oldest give way to the memory's summary."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.host.history import tokens_of
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_service import MemoryService

Items = Sequence[Mapping[str, Any]]


class StoredItems:
    """The stored items of one session, in any wire form, and the host's own ways to ``read``, ``add`` and ``remove``.

    Once they hold more than ``full_at`` of the window, `shorten` puts a summary in the place of the oldest.
    """

    def __init__(
        self,
        memory: "MemoryService",
        session_key: str,
        *,
        read: Callable[..., Awaitable[list[Any]]],
        add: Callable[[list[Any]], Awaitable[None]],
        remove: Callable[[], Awaitable[None]],
        context_window: int,
        full_at: float,
        scope: ScopeLike,
    ) -> None:
        self.session_key = session_key
        self.scope = scope
        self._memory = memory
        self._read, self._add, self._remove = read, add, remove
        self._window = context_window
        self._full = context_window * full_at

    async def end(self) -> None:
        """Remove all items: the session has ended. The memory keeps what was said."""
        items = list(await self._read())
        await self._remove()
        self._memory.ended(self.session_key, items, scope=self.scope)

    async def shorten(self, *, forced: bool = False) -> None:
        """Replace the oldest items by a summary, where there are too many or it is ``forced``."""
        items = list(await self._read())
        if not items or self._window <= 0 or not (forced or sum(map(tokens_of, items)) > self._full):
            return
        if _ids(items, "function_call") - _ids(items, "function_call_output"):
            return  # a run waits for somebody, and will go on from here
        reason = "manual" if forced else "token_pressure"
        more: dict[str, Any] = {"context_window": self._window, "reason": reason, "scope": self.scope}
        if (summary := await self._memory.before_compaction(self.session_key, items, **more)) is None:
            return
        kept = summary.keep_from
        while kept and items[kept - 1].get("type") == "reasoning":  # it may not be parted from what follows it
            kept -= 1
        replacing = asyncio.ensure_future(self._replace(items, {"role": "system", "content": summary.text}, kept))
        try:
            await asyncio.shield(replacing)
        except asyncio.CancelledError:
            await replacing  # a run that is cancelled in between must not find its session empty
            raise

    async def _replace(self, items: Items, summary: Mapping[str, Any], kept: int) -> None:
        now = list(await self._read())
        if now[: len(items)] != items:
            logger.debug("the session has changed while its summary was made; it is left as it is")
            return
        await self._remove()
        try:
            await self._add([dict(summary), *now[kept:]])
        except Exception:
            await self._add(now)
            raise


def is_held_by_server(items: Items) -> bool:
    """Whether a request answers calls that none of its items contains: the server has them, and what led there."""
    called = {item.get("call_id") for item in items if not str(item.get("type")).endswith("_output")}
    return any(str(item.get("type")).endswith("_output") and item.get("call_id") not in called for item in items)


def _ids(items: Items, kind: str) -> set[str]:
    return {item.get("call_id", "") for item in items if item.get("type") == kind}
