"""What the hooks of people's own words share."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from nanobot_memory_plugins.consolidation.commands.conversations import Conversations
from nanobot_memory_plugins.consolidation.commands.executor import CommandExecutor, forgets
from nanobot_memory_plugins.consolidation.commands.standing import InstructionKeeper
from nanobot_memory_plugins.consolidation.commands.tools import entry_tools
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.migrate import move_entries
from nanobot_memory_plugins.consolidation.operations.withheld import WithheldTexts
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.source import PromptSource
from nanobot_memory_plugins.consolidation.prompt.user_language import UserLanguage
from nanobot_memory_plugins.consolidation.store.repair import repair_file
from nanobot_memory_plugins.core import (
    ContextBlock,
    EncodingStore,
    MemoryFileError,
    MemoryTool,
    Message,
    PluginContext,
    Scope,
    Withheld,
    logger,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.text import Reading, UserAttribution

# Seconds that a tool waits for the entries' lock: four times the limit of a message.
_TURN_LOCK_SECONDS = 2.0

# How long the end of the host waits for messages that are still read.
_END_SECONDS = 5.0


class MemoryCommands:
    """One workspace's entries as people hear of them, and as they speak of them."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        options = context.options if isinstance(context.options, ConsolidationOptions) else ConsolidationOptions()
        self._memory = AsyncEntryRepository(
            context.workspace, clock=context.clock, redact=context.redact, redact_said=context.redact_said
        )
        # A tool is called within a turn, which waits for it; orders that wait longer go on behind the message.
        self._in_a_turn = AsyncEntryRepository(
            context.workspace,
            clock=context.clock,
            redact=context.redact,
            redact_said=context.redact_said,
            lock_seconds=_TURN_LOCK_SECONDS,
        )
        self._language = UserLanguage(context.workspace)
        self._words = UserAttribution()
        self._answering: set[asyncio.Task[ContextBlock | None]] = set()
        self._matcher = Matcher(self._encode)
        paths = self._memory.repository.paths
        own = frozenset(paths.relative(path) for path in (paths.long_term, self._memory.repository.own_path))
        self._conversations = Conversations(paths, lambda: context.store, entries=own)
        self._orders = CommandExecutor(self._memory, self._matcher, context, self._conversations)
        self._instructions = InstructionKeeper(self._memory, context, options.background_sessions)
        self._withheld = WithheldTexts(self._memory.repository)
        self._takes_orders = options.spoken_orders
        self.prompt = PromptSource(
            context.workspace,
            options,
            self._language,
            redact=context.redact_said,
            repair=self._repair,
            owner_of=context.owner_of,
            clock=context.clock,
        )

    async def start(self) -> None:
        """Give the entries their own file where there is one, and read them, so that the first prompt has them."""
        await run_in_daemon_thread(self._start)

    async def stop(self) -> None:
        """Finish what was begun."""
        if self._answering:
            await asyncio.wait(set(self._answering), timeout=_END_SECONDS)
        await self._orders.end()
        await self._instructions.end()

    async def answer(
        self, session_key: str, text: str, reading: Reading, history: Sequence[Message], scope: Scope
    ) -> ContextBlock | None:
        """Learn from a message, and carry out the orders in it; answer with what was done.

        It is done to its end all the same where the host does not wait for it.
        """
        answering = asyncio.create_task(self._answer(session_key, text, reading, history, scope))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)
        return await asyncio.shield(answering)

    async def _answer(
        self, session_key: str, text: str, reading: Reading, history: Sequence[Message], scope: Scope
    ) -> ContextBlock | None:
        self._words.hear(session_key, text, history)
        await run_in_daemon_thread(lambda: self._hear(text, reading, scope))
        block = None
        if self._takes_orders:
            block = await self._orders.answer(session_key, text, history, scope)
            told = await self._instructions.answer(session_key, text, reading, scope)
            block = ContextBlock(text="\n".join([*([block.text] if block else []), *told])) if told else block
        await run_in_daemon_thread(lambda: self._language.hear(text))
        return block

    async def withheld(self, scope: Scope) -> list[Withheld]:
        """Return what was forgotten on somebody's order, and is not to be brought up on behalf of ``scope``."""
        visible = self._context.visible_scope(scope)
        return list(await run_in_daemon_thread(lambda: self._withheld.texts(visible)))

    def _hear(self, text: str, reading: Reading, scope: Scope) -> None:
        if not forgets(text):
            with suppress(MemoryFileError):
                self._withheld.hear(reading.own_word, scope)

    def hear_tool(self, session_key: str, result: object) -> None:
        """Learn what a tool has answered: a model's paraphrase of it is not the user's word."""
        self._words.hear_tool(session_key, result)

    def tools(self) -> list[MemoryTool]:
        """Return the tools that remember and forget."""
        return entry_tools(self._in_a_turn, self._words, self._matcher, self._context, self._conversations)

    def _start(self) -> None:
        try:
            if move_entries(self._memory.repository):
                logger.info(
                    "the entries of MEMORY.md are in ENTRIES.md now; `nanobot-memory entries undo` moves them back"
                )
        except MemoryFileError as error:
            logger.warning("the entries are left in MEMORY.md: {}", error.cause)
        self._repair()
        self.prompt.read_ahead()

    def _repair(self) -> None:
        if done := repair_file(self._memory.repository):
            logger.info("{}", done)

    async def _encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        store = self._context.store
        return await store.encode(texts) if isinstance(store, EncodingStore) else None
