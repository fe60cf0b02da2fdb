"""Items of the OpenAI Agents SDK: a session whose oldest give way to the memory's summary, and who holds them."""

import asyncio
from collections.abc import Mapping
from typing import Any

from nanobot_memory_plugins.core import MemoryService, find_earlier_summary, logger
from nanobot_memory_plugins.core.host import tokens_of
from nanobot_memory_plugins.core.scopes import ScopeLike
from nanobot_memory_plugins.core.values import messages_from_chat


class CompactedSession:
    """A session of the SDK whose oldest items give way to the memory's summary once ``full_at`` of the window is used.

    The SDK asks for compaction only where responses have ids; where it does not, it is done before the next turn.
    ``session_key`` is the memory's name of the session.
    """

    def __init__(
        self,
        session: Any,
        memory: MemoryService,
        *,
        session_key: str,
        context_window: int,
        full_at: float,
        scope: ScopeLike,
    ) -> None:
        self.session_id: str = session.session_id
        self.session_key = session_key
        self.scope = scope
        self.session_settings = getattr(session, "session_settings", None)
        self._session = session
        self._memory = memory
        self._window = context_window
        self._full = context_window * full_at

    async def get_items(self, limit: int | None = None) -> "list[Any]":
        """Return the items, after making room where they have become too many."""
        if limit is None:
            await self.run_compaction()
        return list(await self._session.get_items(limit))

    async def add_items(self, items: "list[Any]") -> None:
        """Add items, as they are."""
        await self._session.add_items(items)

    async def pop_item(self) -> Any:
        """Return the last item, and remove it."""
        return await self._session.pop_item()

    async def clear_session(self) -> None:
        """Remove all items: the session has ended. The memory keeps what was said."""
        items = list(await self._session.get_items())
        await self._session.clear_session()
        self._memory.ended(self.session_key, items, scope=self.scope)

    async def run_compaction(self, args: Mapping[str, Any] | None = None) -> None:
        """Replace the oldest items by a summary, where there are too many or ``force`` is set in ``args``."""
        items = list(await self._session.get_items())
        forced = bool((args or {}).get("force"))
        if not items or self._window <= 0 or not (forced or sum(map(tokens_of, items)) > self._full):
            return
        if _ids(items, "function_call") - _ids(items, "function_call_output"):
            return  # a run waits for somebody, and will go on from here
        earlier = find_earlier_summary(messages_from_chat(items))
        summary = await self._memory.before_compaction(
            self.session_key,
            items,
            context_window=self._window,
            reason="manual" if forced else "token_pressure",
            known=0 if earlier is None else earlier + 1,
            scope=self.scope,
        )
        if summary is None or not summary.text.strip():
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

    async def _replace(self, items: "list[Any]", summary: Mapping[str, Any], kept: int) -> None:
        now = list(await self._session.get_items())
        if now[: len(items)] != items:
            logger.debug("the session has changed while its summary was made; it is left as it is")
            return
        await self._session.clear_session()
        try:
            await self._session.add_items([dict(summary), *now[kept:]])
        except Exception:
            await self._session.add_items(now)
            raise


def is_held_by_server(items: "list[Any]") -> bool:
    """Say whether a request answers calls that stand in none of its items: the server has them, and what led there."""
    called = {one.get("call_id") for one in items if not str(one.get("type")).endswith("_output")}
    return any(str(one.get("type")).endswith("_output") and one.get("call_id") not in called for one in items)


def _ids(items: "list[Any]", kind: str) -> set[str]:
    return {one.get("call_id", "") for one in items if one.get("type") == kind}
