"""When sessions are learned from: when they are quiet or over, after compactions and background turns."""

from collections.abc import Sequence

from nanobot_memory_plugins.consolidation.extraction.pipeline import Processed, Session, SessionProcessor
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.core import EncodingStore, Message, PluginContext, Scope, run_in_daemon_thread


class Extraction:
    """What the plugin's hooks do for learning from sessions."""

    def __init__(self) -> None:
        self._processors: dict[str, SessionProcessor] = {}

    async def session_idle(
        self, session_key: str, history: Sequence[Message], scope: Scope, context: PluginContext
    ) -> Processed:
        """Learn from a session that is quiet or over, and then from one that an earlier process left waiting."""
        options: ConsolidationOptions = context.options
        session = _session(session_key, scope, options)
        if not options.extract or (session.background and not options.extract_background_turns):
            return Processed()
        processor = self.processor(context)
        done = await processor.process_session(session, history)
        if context.complete is not None and not done.away:
            waiting = await run_in_daemon_thread(processor.pending.sessions)
            others = [_session(key, whose, options) for key, whose in waiting if key != session_key]
            if others:
                await processor.process_session(others[0], ())
        return done

    async def before_compaction(
        self, session_key: str, messages: Sequence[Message], scope: Scope, context: PluginContext
    ) -> None:
        """Let what is about to be cut wait. The model is not asked: somebody waits for the compaction."""
        options: ConsolidationOptions = context.options
        session = _session(session_key, scope, options)
        if options.extract and not session.background:
            await self.processor(context).put_aside(session, messages)

    async def turn_finished(
        self, session_key: str, messages: Sequence[Message], scope: Scope, context: PluginContext
    ) -> Processed:
        """Learn from a turn in the background, and of other sessions from what a compaction has cut."""
        options: ConsolidationOptions = context.options
        if not options.extract or context.complete is None:
            return Processed()
        session = _session(session_key, scope, options)
        processor = self.processor(context)
        if session.background:
            return (
                await processor.process_session(session, messages) if options.extract_background_turns else Processed()
            )
        if not await run_in_daemon_thread(lambda: processor.pending.has_unasked(session_key)):
            return Processed()
        return await processor.process_session(session, ())

    def processor(self, context: PluginContext) -> SessionProcessor:
        """Return what learns from the sessions of the context's workspace."""
        key = str(context.workspace)
        if key not in self._processors:

            async def encode(texts: Sequence[str]) -> list[list[float]] | None:
                store = context.store
                return await store.encode(texts) if isinstance(store, EncodingStore) else None

            memory = AsyncEntryRepository(
                context.workspace, clock=context.clock, redact=context.redact, redact_said=context.redact_said
            )
            self._processors[key] = SessionProcessor(memory, Matcher(encode), context)
        return self._processors[key]


def _session(key: str, scope: Scope, options: ConsolidationOptions) -> Session:
    return Session(key, scope, background=key.startswith(tuple(options.background_sessions)))
