"""The hooks of recall."""

from collections import OrderedDict

from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.diagnosis import Finding, Health
from nanobot_memory_plugins.core.hookspecs import hookimpl
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.values import ContextBlock, Message, Scope
from nanobot_memory_plugins.recall.engine import recall
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import RecallTier, tier_after_draft
from nanobot_memory_plugins.recall.tools import memory_tools

_REMEMBERED_SESSIONS = 1_000


class RecallPlugin:
    """Answers a message with what memory has on it."""

    Options = RecallOptions

    def __init__(self) -> None:
        self._tiers: OrderedDict[str, RecallTier] = OrderedDict()

    @hookimpl
    def contribute_tools(self, context: PluginContext) -> list[MemoryTool]:
        """Offer ``memory_search`` and ``memory_get``."""
        return memory_tools(context)

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
        self._tiers.pop(session_key, None)  # that of an earlier message, which a failing search would leave behind
        return await self._recall(session_key, text, history, scope, context, tier=None)

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
        return await self._recall(session_key, text, history, scope, context, tier=tier)

    async def _recall(
        self,
        session_key: str,
        text: str,
        history: tuple[Message, ...],
        scope: Scope,
        context: PluginContext,
        *,
        tier: RecallTier | None,
    ) -> ContextBlock | None:
        if context.store is None:
            return None
        recalled = await recall(
            context.store,
            text,
            options=context.options,
            history=history,
            scope=context.visible_scope(scope),
            tier=tier,
            clock=context.clock,
        )
        self._remember(session_key, recalled.tier)
        return recalled.block

    def _remember(self, session_key: str, tier: RecallTier) -> None:
        self._tiers[session_key] = tier
        self._tiers.move_to_end(session_key)
        while len(self._tiers) > _REMEMBERED_SESSIONS:
            self._tiers.popitem(last=False)
