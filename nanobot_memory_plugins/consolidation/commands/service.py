"""What the hooks of people's own words share."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from nanobot_memory_plugins.consolidation.commands.answers import OrderAnswer, done_late
from nanobot_memory_plugins.consolidation.commands.conversations import Conversations
from nanobot_memory_plugins.consolidation.commands.correcting import CorrectionKeeper
from nanobot_memory_plugins.consolidation.commands.corrections import corrections_in
from nanobot_memory_plugins.consolidation.commands.executor import (
    CommandExecutor,
    Order,
    forgets,
    holds_order,
    orders_in,
)
from nanobot_memory_plugins.consolidation.commands.instructions import instructions_in
from nanobot_memory_plugins.consolidation.commands.known import asked_about
from nanobot_memory_plugins.consolidation.commands.late import LateOrders, Missed
from nanobot_memory_plugins.consolidation.commands.standing import InstructionKeeper, instructions_to_keep
from nanobot_memory_plugins.consolidation.commands.tools import entry_tools
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.withheld import WithheldTexts
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.source import PromptSource
from nanobot_memory_plugins.consolidation.prompt.user_language import UserLanguage
from nanobot_memory_plugins.consolidation.store.repair import repair_file
from nanobot_memory_plugins.core import (
    ContextBlock,
    EncodingStore,
    Language,
    MemoryFileError,
    MemoryTool,
    Message,
    OwnedTasks,
    PluginContext,
    Scope,
    Visibility,
    Withheld,
    logger,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.text import WARM_UP_MESSAGES, Reading, UserAttribution, message_reading, profile_text

# Seconds that a tool waits for the entries' lock: four times the limit of a message.
_TURN_LOCK_SECONDS = 2.0

# How long the end of the host waits for messages that are still read, and for writes that no turn waited for.
_END_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a message wants done with the entries, and how it reads."""

    reading: Reading
    orders: Sequence[Order]
    instructions: Sequence[str]


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
        self._tasks = OwnedTasks()
        self._matcher = Matcher(self._encode)
        paths = self._memory.repository.paths
        own = frozenset(paths.relative(path) for path in (paths.long_term, paths.entries))
        self._conversations = Conversations(paths, lambda: context.store, entries=own)
        self._orders = CommandExecutor(self._memory, self._matcher, context, self._conversations, self._tasks)
        self._instructions = InstructionKeeper(self._memory, context, self._tasks, options.background_sessions)
        self._corrections = CorrectionKeeper(self._memory, context, self._tasks, options.background_sessions)
        self._withheld = WithheldTexts(self._memory.repository)
        self._access = RepositoryAccess(self._memory.repository)
        self._late = LateOrders(paths, context.clock, _holds_order)
        self._doing: dict[tuple[str, str], None] = {}
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
        """Read the entries, so that the first prompt has them."""
        await run_in_daemon_thread(self._start)
        if self._takes_orders:
            self._tasks.begin(self.catch_up())

    async def stop(self) -> None:
        """Finish what was begun."""
        await self._tasks.finish(_END_SECONDS)

    async def answer(
        self, session_key: str, text: str, reading: Reading, history: Sequence[Message], scope: Scope
    ) -> ContextBlock | None:
        """Learn from a message, and carry out the orders in it; answer with what was done.

        It is done to its end all the same where the host does not wait for it.
        """
        return await asyncio.shield(self._tasks.begin(self._answer(session_key, text, reading, history, scope)))

    async def _answer(
        self, session_key: str, text: str, reading: Reading, history: Sequence[Message], scope: Scope
    ) -> ContextBlock | None:
        self._words.hear(session_key, text, history)
        message = Missed(session_key, text, scope, tuple(history))
        # One step in a thread for all that blocks: each costs the loop a millisecond while others compute.
        wanted, missed = await run_in_daemon_thread(self._hear, message, reading)
        lines: list[str] = []
        if self._takes_orders:
            lines = await self._carry_out(message, wanted)
            lines = lines or await self._corrections.answer(session_key, reading, scope)
            late = await self._make_up_for(missed)
            lines += [done_late(late, reading.language)] if late else []
        about = asked_about(text)
        if about is not None:
            visible = self._context.visible_scope(scope)
            lines.append(await run_in_daemon_thread(lambda: self._profile(about, visible, reading.language)))
        return ContextBlock(text="\n".join(filter(None, lines))) if any(lines) else None

    def _hear(self, message: Missed, reading: Reading) -> tuple[_Wanted, list[Missed]]:
        """Learn from a message; return what it wants, and the orders of its session that wait."""
        session_key, text, scope, _ = message
        if not forgets(text):
            with suppress(MemoryFileError):
                self._withheld.hear(reading.own_word, scope)
        self._language.hear(text)
        if not self._takes_orders:
            return _Wanted(reading, (), ()), []
        return _wanted(message, reading), self._late.missed(session_key, besides=text)

    def _profile(self, about: str, visible: Visibility, language: Language) -> str:
        found = self._access.profile(about, visible=visible)
        return profile_text(found, about, language)

    async def catch_up(self, session_key: str = "") -> None:
        """Carry out the orders that were not when they were said, of a session or of all."""
        if self._takes_orders:
            await self._make_up_for(await run_in_daemon_thread(self._late.missed, session_key))

    async def _make_up_for(self, missed: Sequence[Missed]) -> list[str]:
        lines: list[str] = []
        for one in missed:
            if (one.session_key, one.text) not in self._doing:
                wanted = await run_in_daemon_thread(_wanted, one)
                lines += await self._carry_out(one, wanted)
        return lines

    async def _carry_out(self, message: Missed, wanted: _Wanted) -> list[str]:
        session_key, text, scope, history = message
        self._doing[session_key, text] = None
        told, doing = await self._orders.answer(session_key, text, wanted.orders, history, scope)
        standing, keeping = await self._instructions.answer(session_key, wanted.instructions, wanted.reading, scope)
        if doing or keeping:
            self._tasks.begin(self._settle(message, [*doing, *keeping]))
        else:
            self._doing.pop((session_key, text), None)
        return [*told, *standing]

    async def _settle(self, message: Missed, doing: "Sequence[asyncio.Task[OrderAnswer]]") -> None:
        """Note that a message was dealt with, once all of it is done."""
        done, _ = await asyncio.wait(doing)
        self._doing.pop((message.session_key, message.text), None)
        if not any(task.cancelled() or task.exception() or task.result().waits for task in done):
            await run_in_daemon_thread(lambda: self._late.settle(message.session_key, message.text))

    async def withheld(self, scope: Scope) -> list[Withheld]:
        """Return what was forgotten on somebody's order, and is not to be brought up on behalf of ``scope``."""
        visible = self._context.visible_scope(scope)
        return list(await run_in_daemon_thread(lambda: self._withheld.texts(visible)))

    def hear_tool(self, session_key: str, result: object) -> None:
        """Learn what a tool has answered: a model's paraphrase of it is not the user's word."""
        self._words.hear_tool(session_key, result)

    def tools(self) -> list[MemoryTool]:
        """Return the tools that remember and forget."""
        return entry_tools(self._in_a_turn, self._words, self._matcher, self._context, self._conversations)

    def _start(self) -> None:
        self._repair()
        self._late.begin()
        self.prompt.read_ahead()
        if self._takes_orders:
            _warm_up()

    def _repair(self) -> None:
        if done := repair_file(self._memory.repository):
            logger.info("{}", done)

    async def _encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        store = self._context.store
        return await store.encode(texts) if isinstance(store, EncodingStore) else None


def _wanted(message: Missed, reading: Reading | None = None) -> _Wanted:
    reading = reading or message_reading(message.text)
    return _Wanted(reading, orders_in(message.text, message.history), instructions_to_keep(reading, message.text))


def _holds_order(text: str) -> bool:
    return holds_order(text) or bool(instructions_in(message_reading(text)))


def _warm_up() -> None:
    """Read messages as those of users are read."""
    for text in WARM_UP_MESSAGES:
        reading = message_reading(text)
        _holds_order(text)
        instructions_to_keep(reading, text)
        corrections_in(reading, ())
