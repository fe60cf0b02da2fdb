"""Carrying out corrections: the entry that a plain message corrects is replaced at once, and the model is told."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from nanobot_memory_plugins.consolidation.commands import answers
from nanobot_memory_plugins.consolidation.commands.corrections import (
    Correction,
    corrections_in,
    may_correct,
    says_all_of,
)
from nanobot_memory_plugins.consolidation.commands.standing import WHO
from nanobot_memory_plugins.consolidation.commands.waiting import seconds_for_a_write
from nanobot_memory_plugins.consolidation.model.belonging import is_at_hand
from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Category, Entry, Section
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry
from nanobot_memory_plugins.consolidation.prompt.source import is_visible
from nanobot_memory_plugins.core import (
    NanobotMemoryError,
    Origin,
    OwnedTasks,
    PluginContext,
    Scope,
    logger,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.scopes import without_session
from nanobot_memory_plugins.core.text import Reading, message_reading


class CorrectionKeeper:
    """Replaces what users correct in so many words.

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

    async def answer(self, session_key: str, reading: Reading, scope: Scope) -> list[str]:
        """Carry out the corrections in a message, and return what the model shall know of it, a line each."""
        if session_key.startswith(self._background) or not may_correct(reading):
            return []
        task = self._tasks.begin(self._correct(session_key, reading, scope))
        await asyncio.wait([task], timeout=seconds_for_a_write())
        return task.result() if task.done() else []

    async def _correct(self, session_key: str, reading: Reading, scope: Scope) -> list[str]:
        lines: list[str] = []
        try:
            entries = (await self._memory.load()).entries
            found = await run_in_daemon_thread(
                lambda: corrections_in(reading, correctable(entries, scope, self._context))
            )
            for one in found:
                done = await self._memory.remember(self._replacing(one, session_key, scope), who=WHO)
                place = answers.place_of(done.outcome.path)
                lines.append(answers.corrected(one.entry, done.entry, place, reading.language))
        except NanobotMemoryError as error:
            logger.debug("a correction is left to the model: {}", type(error).__name__)
        except Exception as error:  # the model must not be told of what was not done
            logger.warning("a correction could not be carried out: {}", type(error).__name__)
        return lines

    def _replacing(self, one: Correction, session_key: str, scope: Scope) -> NewEntry:
        known = set(Category)
        return NewEntry(
            one.content,
            category=Category(one.entry.category) if one.entry.category in known else Category.FACT,
            importance=Importance(one.entry.importance or Importance.HIGH),
            group=one.entry.group,
            scope=without_session(scope),
            source_session=session_key,
            visible=self._context.visible_scope(scope),
            pinned=one.entry.pinned,
            replaces=(one.entry.id,),
        )


def correctable(entries: Mapping[str, Entry], scope: Scope, context: PluginContext) -> list[Entry]:
    """Return what the one who speaks has said, and sees; in a group chat nobody else's."""
    visible = context.visible_scope(scope)
    me = context.owner_of(scope).user
    return [
        one
        for one in entries.values()
        if one.origin is Origin.USER
        and one.kind != INSTRUCTION
        and one.section is Section.ACTIVE
        and is_at_hand(one, visible)
        and is_visible(one, visible)
        and (not scope.group_chat or context.owner_of(one.scope).user == me)
    ]


async def with_superseded(
    said: NewEntry, memory: AsyncEntryRepository, scope: Scope, context: PluginContext
) -> tuple[NewEntry, list[Entry]]:
    """Return what is to be remembered with the entry that it corrects, if any, named as superseded; and that.

    "It's Ana, not Anna" is kept with what the entry says of her; what says more than that is kept as it was said.
    Raises `MemoryFileError`.
    """
    if said.origin is not Origin.USER:
        return said, []
    known = correctable((await memory.load()).entries, scope, context)
    found = await run_in_daemon_thread(lambda: corrections_in(message_reading(said.text), known))
    if not found:
        return said, []
    before = [one.entry for one in found]
    text = found[0].content if len(found) == 1 and says_all_of(said.text, found[0].content) else said.text
    pinned = said.pinned or any(one.pinned for one in before)
    return replace(said, text=text, pinned=pinned, replaces=tuple(one.id for one in before)), before
