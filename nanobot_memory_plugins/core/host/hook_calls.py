"""Calling a hook of every plugin, and keeping what was said and what comes back, whatever becomes of the caller."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginAnswer
from nanobot_memory_plugins.core.host.privacy import Privacy
from nanobot_memory_plugins.core.host.sessions import Sessions
from nanobot_memory_plugins.core.isolation.threads import OwnedTasks, run_in_daemon_thread
from nanobot_memory_plugins.core.language_model.access import hook_deadline
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values import ContextBlock, Note, Receipt, Scope, Summary
from nanobot_memory_plugins.core.values.session_reading import ReadingPart
from nanobot_memory_plugins.redaction.script.printable import one_line, printable

_T = TypeVar("_T")

# The hooks whose plugins make something lasting of a history: a note of a conversation in a group is the group's.
_LEARNING = frozenset({"on_session_idle", "on_turn_finished", "before_compaction", "contribute_reading"})


class TurnRecorder:
    """Owns the writes that have begun. They end even when the caller is cancelled; no time limit reaches them."""

    def __init__(self, files: MemoryFiles, *, keep_transcripts: bool) -> None:
        self._files = files
        self._keep_transcripts = keep_transcripts
        self._writing = OwnedTasks()

    def begin_message(
        self, record: TranscriptRecord, *, after: Iterable[asyncio.Task[Any]] = ()
    ) -> asyncio.Task[Receipt]:
        """Begin to write a message to its transcript, once the tasks ``after`` which it comes have ended.

        The task ends with the receipt.
        """
        loop = asyncio.get_running_loop()
        before = {task for task in after if task.get_loop() is loop}  # nothing ends those of another one
        return self._writing.begin(self._message(record, before))

    def begin(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Begin to write something else; it ends as everything here does."""
        return self._writing.begin(work)

    async def keep_notes(self, notes: Sequence[Note], *, scope: Scope) -> tuple[Receipt, ...]:
        """Write every note, in order, and return the place of each one."""
        tasks = [self._writing.begin(self._files.keep_note(note, scope=scope)) for note in notes]
        return tuple(await asyncio.shield(asyncio.gather(*tasks))) if tasks else ()

    def begin_in_thread(self, write: Callable[[], None]) -> None:
        """Begin to write something that blocks, in a thread of its own."""

        async def written() -> None:
            await run_in_daemon_thread(write)

        self._writing.begin(written())

    async def drain(self) -> None:
        """Return once every write that has begun has ended, also of messages that are still being redacted."""
        await self._writing.finish()
        await self._files.drain()

    async def _message(self, record: TranscriptRecord, before: set[asyncio.Task[Any]]) -> Receipt:
        if before:
            with suppress(asyncio.CancelledError):  # the event loop ends: it is written now
                await asyncio.wait(before)
        if not self._keep_transcripts:
            return Receipt(stored=False, reason="core.keepTranscripts is off")
        if not record.text.strip():
            return Receipt(stored=False, reason="the message is empty")
        return await self._files.keep_message(record)


class HookCalls:
    """Calls the plugins' hooks. Notes are kept outside of every time limit, whatever becomes of the caller."""

    def __init__(self, plugins: PluginSet, recorder: TurnRecorder, sessions: Sessions, privacy: Privacy) -> None:
        self._plugins = plugins
        self._recorder = recorder
        self._sessions = sessions
        self._privacy = privacy

    async def answers(
        self, hook: str, arguments: Mapping[str, Any], *, scope: Scope, sequential: bool = False
    ) -> list[PluginAnswer]:
        """Return every plugin's answer, in order.

        The hook's time limit is the deadline by which uses of the language model are bounded. Of a conversation from
        which something was taken back the plugins are shown what our transcript holds.
        """
        session = str(arguments.get("session_key") or "")
        histories = [name for name in ("history", "messages") if arguments.get(name)]
        shown = {name: await self._privacy.shown(session, arguments[name]) for name in histories}
        token = hook_deadline.set(time.monotonic() + self._plugins.time_limit(hook))
        try:
            return await self._plugins.call(hook, {**arguments, **shown, "scope": scope}, sequential=sequential)
        finally:
            hook_deadline.reset(token)

    async def noted(self, hook: str, arguments: Mapping[str, Any], scope: Scope) -> Receipt:
        """Call a hook that answers with notes alone, and keep them."""
        answers = await self.answers(hook, arguments, scope=scope)
        return await self.keep_answers(hook, answers, scope)

    async def keep_answers(self, hook: str, answers: Sequence[PluginAnswer], scope: Scope) -> Receipt:
        """Keep the notes among the answers to a hook. The receipt is that of the first, with all of them inside."""
        return combined_receipt(await self.keep(values_of(answers, Note), scope, of_group=hook in _LEARNING))

    async def keep(self, notes: Sequence[Note], scope: Scope, *, of_group: bool = True) -> tuple[Receipt, ...]:
        """Keep notes of a session; in a group chat they are ``of_group``, whoever wrote last, or of the user."""
        owner = replace(scope, user="") if of_group and scope.group_chat else scope
        kept = await self._recorder.keep_notes(notes, scope=owner)
        self._sessions[scope.session].note(kept)
        return kept

    async def reading_parts(self, arguments: Mapping[str, Any], scope: Scope) -> list[ReadingPart]:
        """Return what the plugins want to know of a session that is about to be read."""
        answers = await self.answers("contribute_reading", arguments, scope=scope)
        return values_of(answers, ReadingPart)


def blocks_of(answers: Sequence[PluginAnswer]) -> list[ContextBlock]:
    """Return the blocks among the answers, their titles above them as lines of the text."""
    titled = [(block, one_line(block.title)) for block in values_of(answers, ContextBlock) if block.text]
    return [replace(block, text=f"{title}\n{block.text}" if title else block.text, title="") for block, title in titled]


def values_of(answers: Sequence[PluginAnswer], kind: type[_T]) -> list[_T]:
    """Return the values of one type among the answers."""
    return [value for answer in answers for value in answer.values if isinstance(value, kind)]


def first_summary(answers: Sequence[PluginAnswer], messages: int) -> Summary | None:
    """Return the first summary of so many messages, without what is hidden in it, or None."""
    for answer in answers:
        for summary in values_of([answer], Summary):
            if 0 <= summary.keep_from <= messages:
                return replace(summary, text=printable(summary.text))
            logger.warning("the summary of plugin {} keeps from outside of the messages: ignored", answer.plugin_name)
    return None


def combined_receipt(receipts: tuple[Receipt, ...]) -> Receipt:
    """Return one receipt for a call that kept several notes: that of the first, with all of them inside."""
    if not receipts:
        return Receipt(stored=False, reason="no plugin took a note")
    first = receipts[0]
    return Receipt(
        stored=all(receipt.stored for receipt in receipts),
        id=first.id,
        path=first.path,
        line=first.line,
        reason=next((receipt.reason for receipt in receipts if receipt.reason), ""),
        notes=receipts,
    )
