"""The hooks of recall."""

from nanobot_memory_plugins.core import (
    ContextBlock,
    Finding,
    Health,
    MemoryTool,
    Message,
    PluginContext,
    Scope,
    hookimpl,
    logger,
)
from nanobot_memory_plugins.core.host.turn_records import record_missed_turn
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.recall.engine import Reason, RecallResult, recall
from nanobot_memory_plugins.recall.options import RecallOptions, widen_options
from nanobot_memory_plugins.recall.routing import RecallTier, decide_tier, is_unsure
from nanobot_memory_plugins.recall.tools import memory_tools
from nanobot_memory_plugins.redaction.script.messages import Sentence

_MAX_SESSIONS = 1_000


class RecallPlugin:
    """Finds memories for each message, and again when the draft of the answer is unsure."""

    Options = RecallOptions

    def __init__(self) -> None:
        # Tier and injected hit ids of the last message by session, until its draft is reviewed.
        self._last_recalls: BoundedDict[str, tuple[RecallTier, frozenset[str]]] = BoundedDict(_MAX_SESSIONS)

    @hookimpl
    async def on_start(self, context: PluginContext) -> None:
        """Compile the patterns for messages now, so that the first message is not late."""
        if context.store is not None:
            await run_in_daemon_thread(decide_tier, "warm up", (), context.options)

    @hookimpl
    def contribute_tools(self, context: PluginContext) -> list[MemoryTool]:
        """Offer ``memory_search`` and ``memory_get``."""
        return memory_tools(context)

    @hookimpl
    def diagnose(self, context: PluginContext) -> Finding:
        """Return whether recall can work."""
        if context.store is None:
            return Finding(
                "recall",
                "disabled: no store is open",
                Health.DEGRADED,
                hint="`pip install nanobot-memory-storage`, and `nanobot-memory config set storage.enabled true`.",
            )
        return Finding("recall", "ready")

    @hookimpl
    async def on_message_received(
        self, session_key: str, text: str, history: tuple[Message, ...], scope: Scope, context: PluginContext
    ) -> ContextBlock | None:
        """Search while the host builds its prompt; return a block, or None when nothing is relevant."""
        self._last_recalls.pop(session_key, None)  # first, because the search may fail
        recalled = await self._recall(session_key, text, history, scope, context)
        self._last_recalls[session_key] = recalled.tier, frozenset(hit.id for hit in recalled.injected_hits)
        return recalled.block

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
        """Search one tier higher and for twice as many memories when the draft of the answer sounds like a guess.

        None when the draft is sure, when the message was already searched twice, or when nothing new is found.
        """
        if session_key not in self._last_recalls or not is_unsure(draft, context.options):
            return None
        tier, known_ids = self._last_recalls.pop(session_key)
        higher = RecallTier.LIGHT if tier is RecallTier.OFF else RecallTier.HEAVY
        block = (await self._recall(session_key, text, history, scope, context, higher)).block
        return block if block is not None and set(block.hit_ids) - known_ids else None

    async def _recall(
        self,
        session_key: str,
        text: str,
        history: tuple[Message, ...],
        scope: Scope,
        context: PluginContext,
        tier: RecallTier | None = None,
    ) -> RecallResult:
        """Recall memories for a message; a ``tier`` is given for an unsure draft, which is searched wider."""
        recalled = RecallResult(reason=Reason.NO_STORE)
        if context.store is not None:
            recalled = await recall(
                context.store,
                text,
                options=context.options if tier is None else widen_options(context.options),
                history=history,
                scope=context.scopes.visible(scope),
                tier=tier,
                clock=context.clock,
            )
        logger.debug("recall for {}: {}", session_key, recalled.reason or "memories")
        if recalled.reason is Reason.LATE:
            why = Sentence("no answer within {limit:g} s", limit=recalled.limit)
            await run_in_daemon_thread(lambda: record_missed_turn(context.workspace, context.clock, why))
        return recalled
