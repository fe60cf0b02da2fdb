"""The hooks of recall."""

import asyncio
from collections import OrderedDict

from loguru import logger

from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.diagnosis import Finding, Health
from nanobot_memory_plugins.core.hookspecs import hookimpl
from nanobot_memory_plugins.core.protocols import MemoryTool, Store
from nanobot_memory_plugins.core.values import ContextBlock, Hit, Message, Query, Scope, Tier
from nanobot_memory_plugins.recall.block import build_block, without_live
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.relevance import relevance
from nanobot_memory_plugins.recall.routing import RecallTier, choose_tier, tier_after_draft
from nanobot_memory_plugins.recall.tools import MemoryGetTool, MemorySearchTool

# Hits asked of the store for one that is used: repetitions and what stands in the live context fall out.
_SPARE = 3
_REMEMBERED_SESSIONS = 1_000


class RecallPlugin:
    """Answers a message with what memory has on it."""

    Options = RecallOptions

    def __init__(self) -> None:
        self._tiers: OrderedDict[str, RecallTier] = OrderedDict()

    @hookimpl
    def contribute_tools(self, context: PluginContext) -> list[MemoryTool]:
        """Offer ``memory_search`` and ``memory_get``."""
        return [MemorySearchTool(context), MemoryGetTool(context)]

    @hookimpl
    def diagnose(self, context: PluginContext) -> Finding:
        """Say whether recall can work."""
        if context.store is None:
            return Finding(
                "recall",
                "disabled: no store is open",
                Health.DEGRADED,
                mend="Install or enable the storage plugin (nanobot-memory-storage).",
            )
        return Finding("recall", "ready")

    @hookimpl
    async def on_message_received(
        self, session_key: str, text: str, history: tuple[Message, ...], scope: Scope, context: PluginContext
    ) -> ContextBlock | None:
        """Search while the host builds its prompt; answer with a block, or None when nothing is relevant."""
        options: RecallOptions = context.options
        recent = [message.text for message in history if message.role == "user"]
        tier = choose_tier(text, recent, options)
        self._remember(session_key, tier)
        return await self._recall(tier, text, history, scope, context)

    @hookimpl
    async def on_draft_written(
        self,
        session_key: str,
        text: str,
        draft: str,
        history: tuple[Message, ...],
        scope: Scope,
        context: PluginContext,
    ) -> ContextBlock | None:
        """Search one tier higher when the draft of the answer sounds like a guess."""
        before = self._tiers.get(session_key, RecallTier.OFF)
        tier = tier_after_draft(draft, before, context.options)
        if tier is before:
            return None
        self._remember(session_key, tier)
        return await self._recall(tier, text, history, scope, context)

    async def _recall(
        self,
        tier: RecallTier,
        text: str,
        history: tuple[Message, ...],
        scope: Scope,
        context: PluginContext,
    ) -> ContextBlock | None:
        options: RecallOptions = context.options
        store = context.store
        if store is None or not text.strip() or (tier is RecallTier.OFF and not options.enable_probe_on_off):
            return None
        hits = await self._search(store, tier, text, context.visible_scope(scope), options)
        relevant = [hit for hit in hits if relevance(hit) >= options.relevance_threshold]
        fresh = without_live(relevant, text, history)
        if not fresh or (tier is RecallTier.OFF and max(map(relevance, fresh)) < options.probe_threshold):
            return None
        return build_block(fresh[: _top_k(tier, options)], options)

    async def _search(
        self, store: Store, tier: RecallTier, text: str, scope: Scope, options: RecallOptions
    ) -> tuple[Hit, ...]:
        """Search within the tier's limit; a light search that finds nothing is followed by a heavy one."""
        async with _Limit(_seconds(tier, options)) as limit:
            if tier is RecallTier.LIGHT:
                query = Query(text=text, limit=options.light_top_k * _SPARE, tier=Tier.LIGHT, scope=scope)
                found = (await store.search(query)).hits
                if any(relevance(hit) >= options.probe_threshold for hit in found):
                    return found
            query = Query(text=text, limit=_top_k(tier, options) * _SPARE, scope=scope)
            return (await store.search(query)).hits
        if limit.passed:
            logger.debug("recall was dropped at its limit of {:.0f} ms", limit.seconds * 1000)
        return ()

    def _remember(self, session_key: str, tier: RecallTier) -> None:
        self._tiers[session_key] = tier
        self._tiers.move_to_end(session_key)
        while len(self._tiers) > _REMEMBERED_SESSIONS:
            self._tiers.popitem(last=False)


class _Limit:
    """``asyncio.timeout`` whose passing is no error: recall that is late is no failure, it is left out."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> "_Limit":
        await self._timeout.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> bool:
        try:
            await self._timeout.__aexit__(*error)  # type: ignore[arg-type]
        except TimeoutError:
            self.passed = True
        return self.passed


def _seconds(tier: RecallTier, options: RecallOptions) -> float:
    if options.recall_timeout is not None:
        return options.recall_timeout
    by_tier = {
        RecallTier.OFF: options.probe_ms,
        RecallTier.LIGHT: options.light_ms,
        RecallTier.HEAVY: options.heavy_ms,
    }
    return by_tier[tier] / 1000


def _top_k(tier: RecallTier, options: RecallOptions) -> int:
    return min(options.recall_top_k, options.heavy_top_k if tier is RecallTier.HEAVY else options.recall_top_k)
