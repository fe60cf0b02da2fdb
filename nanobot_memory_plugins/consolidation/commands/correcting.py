"""Carrying out corrections: the entry that a plain message corrects is replaced at once, and the model is told."""

import asyncio
from collections.abc import Mapping

from nanobot_memory_plugins.consolidation.commands import answers
from nanobot_memory_plugins.consolidation.commands.corrections import Correction, corrections_in, may_correct
from nanobot_memory_plugins.consolidation.commands.standing import WHO
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
from nanobot_memory_plugins.core.text import Reading

# Seconds that an answer waits for a write, which goes on behind it.
_SECONDS = 0.15


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
        await asyncio.wait([task], timeout=_SECONDS)
        return task.result() if task.done() else []

    async def _correct(self, session_key: str, reading: Reading, scope: Scope) -> list[str]:
        lines: list[str] = []
        try:
            entries = (await self._memory.load()).entries
            found = await run_in_daemon_thread(lambda: corrections_in(reading, self._own(entries, scope)))
            for one in found:
                done = await self._memory.remember(self._replacing(one, session_key, scope), who=WHO)
                place = answers.place_of(done.outcome.path)
                lines.append(answers.corrected(one.entry, done.entry, place, reading.language))
        except NanobotMemoryError as error:
            logger.debug("a correction is left to the model: {}", type(error).__name__)
        except Exception as error:  # the model must not be told of what was not done
            logger.warning("a correction could not be carried out: {}", type(error).__name__)
        return lines

    def _own(self, entries: Mapping[str, Entry], scope: Scope) -> list[Entry]:
        """Return what the one who speaks has said, and sees; in a group chat nobody else's."""
        visible = self._context.visible_scope(scope)
        me = self._context.owner_of(scope).user
        return [
            one
            for one in entries.values()
            if one.origin is Origin.USER
            and one.kind != INSTRUCTION
            and one.section is Section.ACTIVE
            and is_at_hand(one, visible)
            and is_visible(one, visible)
            and (not scope.group_chat or self._context.owner_of(one.scope).user == me)
        ]

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
