"""Keeping standing instructions: the user's own words become entries that stand in the prompt from the next message."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.commands import answers
from nanobot_memory_plugins.consolidation.commands.answers import OrderAnswer
from nanobot_memory_plugins.consolidation.commands.instructions import (
    end_of_instruction,
    instructions_in,
    slot_of,
    slots_settled_by,
)
from nanobot_memory_plugins.consolidation.commands.orders import OrderKind, commands_in, users_orders
from nanobot_memory_plugins.consolidation.commands.waiting import seconds_for_a_write
from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Category
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, RememberResult
from nanobot_memory_plugins.consolidation.prompt.instructions import in_force
from nanobot_memory_plugins.core import (
    Language,
    NanobotMemoryError,
    Origin,
    OwnedTasks,
    PluginContext,
    Scope,
    SecretNotKeptError,
    logger,
)
from nanobot_memory_plugins.core.files import FileBusyError
from nanobot_memory_plugins.core.scopes import without_session
from nanobot_memory_plugins.core.text import Reading, reading_of

# Who is named in the journal for what users ask for in conversation.
WHO = "conversation"


class InstructionKeeper:
    """Keeps what users ask for for all times.

    ``background`` are the beginnings of the keys of sessions that nobody speaks in: what stands there is a program's.
    The owner of ``tasks`` ends what a turn did not wait for.
    """

    def __init__(
        self, memory: AsyncEntryRepository, context: PluginContext, tasks: OwnedTasks, background: tuple[str, ...]
    ) -> None:
        self._memory = memory
        self._context = context
        self._background = background
        self._tasks = tasks
        self._one_by_one = asyncio.Lock()  # each takes the place of the one before, which must be written by then

    async def answer(
        self, session_key: str, wanted: Sequence[str], reading: Reading, scope: Scope
    ) -> tuple[list[str], list["asyncio.Task[OrderAnswer]"]]:
        """Keep the instructions of a message (`instructions_to_keep`).

        Returns what the model shall know of it, and what is being done.

        Orders to remember or forget are left to those who carry them out. In a group chat there are none: others, who
        have not asked for it, are answered there too.
        """
        if scope.group_chat or session_key.startswith(self._background):
            return [], []
        tasks = [self._tasks.begin(self._keep(one, session_key, scope, reading)) for one in wanted]
        if not tasks:
            return [], []
        await asyncio.wait(tasks, timeout=seconds_for_a_write())
        late = answers.being_kept(reading.language)
        return [task.result().line if task.done() else late for task in tasks], tasks

    async def _keep(self, text: str, session_key: str, scope: Scope, reading: Reading) -> OrderAnswer:
        said = NewEntry(
            text,
            category=Category.PREFERENCE,
            importance=Importance.HIGH,
            scope=without_session(scope),
            source_session=session_key,
            visible=self._context.visible_scope(scope),
        )
        async with self._one_by_one:
            done = await keep_said(self._memory, said, reading.language)
        if isinstance(done, OrderAnswer):
            return done
        place = answers.place_of(done.outcome.path)
        return OrderAnswer(answers.instruction_kept(done.entry, place, reading.language))


def instructions_to_keep(reading: Reading, text: str) -> list[str]:
    """Return the instructions of a message that no order in it carries out; none where it wants something forgotten."""
    instructions = instructions_in(reading)
    if not instructions:
        return []
    orders = users_orders(text)
    if any(order.kind is OrderKind.FORGET for order in orders):
        return []
    rest = [one for one in instructions if not any(one in order.text for order in orders)]
    return [one for one in rest if not commands_in(one)]


async def keep_said(memory: AsyncEntryRepository, said: NewEntry, language: Language) -> RememberResult | OrderAnswer:
    """Write what a user wants kept, as an instruction where it is one; or return what the model is told instead."""
    try:
        return await memory.remember(await as_instruction(memory, said), who=WHO)
    except SecretNotKeptError:
        return OrderAnswer(answers.secret_not_kept(language))
    except FileBusyError:
        return OrderAnswer(answers.kept_for_later(language), waits=True)
    except NanobotMemoryError as error:
        return OrderAnswer(answers.not_remembered(error.cause, language))
    except Exception as error:  # the model must not say that it was kept
        logger.warning("what a user wants kept could not be: {}", type(error).__name__)
        return OrderAnswer(answers.not_remembered(type(error).__name__, language))


async def as_instruction(memory: AsyncEntryRepository, said: NewEntry) -> NewEntry:
    """Return what is to be remembered as an instruction where it is one, and the user's own outside of a group.

    It takes the place of the one before that settled the same: how the user is called, which language is answered in.
    """
    if said.origin is not Origin.USER or said.scope.group_chat or not instructions_in(reading_of(said.text)):
        return said
    settled = slots_settled_by(said.text)
    before = in_force((await memory.load()).entries.values()) if settled else []
    replaced = tuple(one.id for one in before if one.scope == said.scope and slot_of(one.content) in settled)
    ends = said.expires_at or end_of_instruction(said.text, memory.repository.clock.now().astimezone())
    return replace(said, kind=INSTRUCTION, replaces=(*said.replaces, *replaced), expires_at=ends)
