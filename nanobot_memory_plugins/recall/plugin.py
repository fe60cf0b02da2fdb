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
from nanobot_memory_plugins.recall.engine import Reason, Recalled, recall
from nanobot_memory_plugins.recall.options import RecallOptions, wider
from nanobot_memory_plugins.recall.routing import RecallTier, decide_tier, is_unsure
from nanobot_memory_plugins.recall.tools import memory_tools
from nanobot_memory_plugins.redaction.script.messages import Sentence

_REMEMBERED_SESSIONS = 1_000


class RecallPlugin:
    """Answers a message with what memory has on it."""

    Options = RecallOptions

    def __init__(self) -> None:
        # Of the last message of a session, until its draft is reviewed: the tier, and the hits in its block.
        self._answered: BoundedDict[str, tuple[RecallTier, frozenset[str]]] = BoundedDict(_REMEMBERED_SESSIONS)

    @hookimpl
    async def on_start(self, context: PluginContext) -> None:
        """Compile the patterns that a message is read with, so that the first one is not late."""
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
        """Search while the host builds its prompt; answer with a block, or None when nothing is relevant."""
        self._answered.pop(session_key, None)  # that of an earlier message, which a failing search would leave behind
        recalled = await self._recall(session_key, text, history, scope, context)
        self._answered[session_key] = recalled.tier, frozenset(hit.id for hit in recalled.injected)
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
        """Search one tier higher and twice as wide when the draft of the answer sounds like a guess.

        None when the draft is sure, when this was done for the message already, or when it brings nothing new.
        """
        if session_key not in self._answered or not is_unsure(draft, context.options):
            return None
        tier, known = self._answered.pop(session_key)
        higher = RecallTier.LIGHT if tier is RecallTier.OFF else RecallTier.HEAVY
        block = (await self._recall(session_key, text, history, scope, context, higher)).block
        return block if block is not None and set(block.hit_ids) - known else None

    async def _recall(
        self,
        session_key: str,
        text: str,
        history: tuple[Message, ...],
        scope: Scope,
        context: PluginContext,
        tier: RecallTier | None = None,
    ) -> Recalled:
        """Recall for a message, or for its draft at a tier."""
        recalled = Recalled(reason=Reason.NO_STORE)
        if context.store is not None:
            recalled = await recall(
                context.store,
                text,
                options=context.options if tier is None else wider(context.options),
                history=history,
                scope=context.scopes.visible(scope),
                tier=tier,
                clock=context.clock,
            )
        logger.debug("what stands beside the message of {}: {}", session_key, recalled.reason or "memories")
        if recalled.reason is Reason.LATE:
            why = Sentence("no answer within {limit:g} s", limit=recalled.limit)
            await run_in_daemon_thread(lambda: record_missed_turn(context.workspace, context.clock, why))
        return recalled
