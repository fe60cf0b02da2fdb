"""The calls of a host within a turn: messages and tool results are kept, plugins called, and their blocks fenced."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.host.history import plain_history
from nanobot_memory_plugins.core.host.host_parts import HostParts
from nanobot_memory_plugins.core.host.plugin_host import Answers, values_of
from nanobot_memory_plugins.core.host.privacy import MEMORY_NAME, NOT_KEPT
from nanobot_memory_plugins.core.host.turn_records import (
    LATE_NOTICE,
    notice_language,
    record_injection,
    record_missed_turn,
)
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.text.fence import Language, fence, fenced_blocks, remove_fenced
from nanobot_memory_plugins.core.text.pasted import both_ends
from nanobot_memory_plugins.core.text.private import memory_command, without_private
from nanobot_memory_plugins.core.values import ContextBlock, Message, Note, Origin, Receipt
from nanobot_memory_plugins.core.values.bounded import bounded_copy
from nanobot_memory_plugins.core.values.conversation import message_key, messages_from_chat
from nanobot_memory_plugins.core.values.notes import MessageContext
from nanobot_memory_plugins.redaction.script.printable import one_line

MAX_SHOWN = 400
"""Plugins see at most this many messages at the end of a history, unless it is about to be compacted."""

_ALREADY_KEPT = Receipt(stored=False, reason="The transcript holds it already.")


class MessageCalls(HostParts):
    """The part of `MemoryHost` that keeps messages and tool results, and returns what memory says about them."""

    async def message_received(
        self,
        *,
        session_key: str,
        text: str,
        history: Sequence[object] = (),
        scope: ScopeLike = None,
        spoken: bool = True,
        known: bool = False,
    ) -> MessageContext:
        """Keep a user's message, and return what memory says about it; ``history`` precedes it in the live context.

        A message that the host writes in the user's place (a task's notification, a prompt to a sub-agent, a schedule)
        is not ``spoken``: recall runs for it, but it is not kept as the user's. A ``known`` message was kept before:
        only recall runs for it.
        """
        session_key = redact_key(session_key)
        session = self.privacy.session(session_key)  # set now: a history recorded later precedes it
        session.previous_turn_start, session.turn_start = session.turn_start, self._clock.now()
        hook_tasks: list[asyncio.Task[Any]] = []
        receiving = self._writes.begin(self._receive(session_key, text, history, scope, spoken, known, hook_tasks))
        try:
            return await asyncio.shield(receiving)
        except asyncio.CancelledError:  # the message is still kept, but nobody waits for the plugins' answers
            for task in hook_tasks:
                task.cancel()
            raise

    async def _receive(
        self,
        session_key: str,
        text: str,
        history: Sequence[object],
        scope: ScopeLike,
        spoken: bool,
        known: bool,
        hook_tasks: list[asyncio.Task[Any]],
    ) -> MessageContext:
        """Do the work of `message_received`, and add the task that calls the plugins to ``hook_tasks``."""
        owner = await self._owner_of(session_key, scope)
        session = self.privacy.session(session_key)
        text, language = without_private(remove_fenced(text)), self._language(text)
        if not spoken or (known and memory_command(text)):  # a known command was carried out before
            if await self.privacy.mark_if_off_record(session_key):
                return MessageContext(block=None, receipt=NOT_KEPT)
        elif (notice := await self.privacy.begin_turn(session_key, text, owner.user, language)) is not None:
            return MessageContext(block=fence([notice], language=language), receipt=NOT_KEPT)
        role, origin = ("user", Origin.USER) if spoken else ("assistant", Origin.TOOL)
        receipt = _ALREADY_KEPT if known else session.history_receipts.pop(message_key(role, text), None)
        if receipt is None:
            session.history_receipts.clear()  # a new turn has begun
            session.count_message("user", text, spoken=spoken)
        spoken = spoken and not known  # a known message was handled before, or is a nested agent's prompt
        whole, text = text, both_ends(text)  # the transcript keeps the whole text, plugins get its ends
        before = await self._visible_history(session_key, history[-MAX_SHOWN:])
        if spoken:
            self._redaction.learn(text)
            self._redaction.learn_from_history(before)
        # The model sees the memory in the system prompt, as it sees our blocks, but nobody said it.
        prompt = self._prompt.last_prompt(owner)
        in_prompt = [Message("system", prompt, name=MEMORY_NAME)] if prompt else []
        seen = (*in_prompt, *_blocks_in_history(history[-MAX_SHOWN:]), *before)
        arguments = {"session_key": session_key, "text": text, "history": seen, "spoken": spoken}
        task = asyncio.create_task(self._ask("on_message_received", arguments, owner))
        session.hook_tasks.add(task)
        hook_tasks.append(task)
        task.add_done_callback(session.hook_tasks.discard)
        # Written after the recall, which would find it otherwise, and even if the caller gives up.
        record = TranscriptRecord(role, whole, session_key, owner, origin)
        written = receipt or self._start_write(record, session.hook_tasks)
        answers = await task
        if not spoken:
            answers = {name: tuple(map(_without_user_origin, values)) for name, values in answers.items()}
        await self._keep_answers(answers, owner)
        blocks = _blocks_of(answers)
        self._redaction.learn(*(block.text for block in blocks))
        context = MessageContext(
            block=fence([*(block.text for block in blocks), *self._notices(language)], language=language),
            receipt=written if isinstance(written, Receipt) else await asyncio.shield(written),
            hit_ids=tuple(dict.fromkeys(hit for block in blocks for hit in block.hit_ids)),
        )
        self._record_recall(blocks)
        return context

    async def review_draft(
        self, *, session_key: str, text: str, draft: str, history: Sequence[object] = (), scope: ScopeLike = None
    ) -> str | None:
        """Review the draft of an answer to ``text``; return a fenced block for a second draft, or None to keep it."""
        owner = await self._owner_of(session_key, scope)
        before = await self._visible_history(owner.session, history[-MAX_SHOWN:])
        arguments = {"session_key": owner.session, "text": text, "draft": draft, "history": before}
        if blocks := _blocks_of(await self._ask("on_draft_written", arguments, owner)):
            self._record_recall(blocks)
        return fence((block.text for block in blocks), language=self._language(text))

    async def message_sent(self, *, session_key: str, text: str, scope: ScopeLike = None) -> Receipt:
        """Keep the assistant's reply."""
        return await asyncio.shield(self._writes.begin(self._send(session_key, text, scope)))

    async def _send(self, session_key: str, text: str, scope: ScopeLike) -> Receipt:
        owner = await self._owner_of(session_key, scope)
        text, session_key = remove_fenced(text), owner.session
        session = self.privacy.session(session_key)
        session.is_answered = True
        if session.is_answer_off_record or await self.privacy.mark_if_off_record(session_key):
            return NOT_KEPT
        if (receipt := session.history_receipts.pop(message_key("assistant", text), None)) is not None:
            return receipt
        session.count_message("assistant", text)
        record = TranscriptRecord("assistant", text, session_key, owner, Origin.ASSISTANT)
        return await self._start_write(record, session.hook_tasks)

    async def tool_executed(
        self,
        *,
        session_key: str,
        tool_name: str,
        arguments: Mapping[str, Any],
        result: object = None,
        error: str | None = None,
        duration_ms: float = 0.0,
        scope: ScopeLike = None,
    ) -> Receipt:
        """Let the plugins note a tool that finished or failed with ``error``.

        The receipt is that of the first note, with all receipts in ``notes``; it says not stored if there is no note.
        """
        owner = await self._owner_of(session_key, scope)
        frozen = bounded_copy(result)
        if await self.privacy.mark_if_off_record(owner.session):
            return NOT_KEPT
        if isinstance(frozen, str) and self._tools.find(tool_name) is not None:
            self._redaction.learn(frozen)  # contact data that memory shows is known to the reader
        return await self._ask_for_notes(
            "on_tool_executed",
            {
                "session_key": owner.session,
                "tool_name": tool_name,
                "arguments": bounded_copy(arguments),
                "result": remove_fenced(frozen) if isinstance(frozen, str) else frozen,
                "error": error,
                "duration_ms": duration_ms,
            },
            owner,
        )

    def _start_write(self, record: TranscriptRecord, hook_tasks: Iterable[asyncio.Task[Any]]) -> asyncio.Task[Receipt]:
        """Start a task that writes a message to its transcript after the ``hook_tasks`` have ended."""
        loop = asyncio.get_running_loop()
        pending = {task for task in hook_tasks if task.get_loop() is loop}  # those of another loop never end

        async def write() -> Receipt:
            if pending:
                with suppress(asyncio.CancelledError):  # the event loop ends: write now
                    await asyncio.wait(pending)
            if not self.config.core.keep_transcripts:
                return Receipt(stored=False, reason="core.keepTranscripts is off")
            if not record.text.strip():
                return Receipt(stored=False, reason="the message is empty")
            return await self._files.keep_message(record)

        return self._writes.begin(write())

    async def _visible_history(self, session_key: str, history: Sequence[object]) -> tuple[Message, ...]:
        """Return a host's history as plugins see it: with the right speakers, without what must not be kept."""
        return await self.privacy.visible_messages(session_key, await self._plain_history(session_key, history))

    async def _plain_history(self, session_key: str, history: Sequence[object]) -> tuple[Message, ...]:
        plain = await run_in_daemon_thread(plain_history, tuple(history)) if history else ()
        return await self.privacy.attribute_messages(session_key, plain)

    def _language(self, text: str) -> Language:
        return notice_language(self.config.core.language, text)

    def _notices(self, language: Language) -> list[str]:
        """Return the notice of a turn whose recall failed, and record that; nothing if it did not fail."""
        failures = {**self.plugins.load_errors, **self.plugins.failing_plugins("on_message_received")}
        if (why := failures.get("recall")) is None:
            return []
        self._write_in_thread(lambda: record_missed_turn(self.workspace, self._clock, why))
        return [LATE_NOTICE[language]]

    def _record_recall(self, blocks: Sequence[ContextBlock]) -> None:
        if self.plugins.store is not None:
            tokens, entries = self._tools.tokens, self._prompt.entries_text
            self._write_in_thread(
                lambda: record_injection(self.workspace, self._clock, blocks, tool_tokens=tokens, entries=entries)
            )


def _blocks_of(answers: Answers) -> list[ContextBlock]:
    titled = [(block, one_line(block.title)) for block in values_of(answers, ContextBlock) if block.text]
    return [replace(block, text=f"{title}\n{block.text}" if title else block.text, title="") for block, title in titled]


def _blocks_in_history(history: Sequence[object]) -> list[Message]:
    """Return the memory blocks in a host's history as system messages: the model sees them, so they are not repeated.

    As system messages they are not taken for words of a person.
    """
    texts = (one.text for one in messages_from_chat(history))
    return [Message("system", block, name=MEMORY_NAME) for text in texts for block in fenced_blocks(text)]


def _without_user_origin(value: object) -> object:
    """Return an answer to a message that no user said: its notes are not the user's, even if a plugin says so."""
    is_user_note = isinstance(value, Note) and value.origin is Origin.USER
    return replace(value, origin=Origin.TOOL) if is_user_note else value  # type: ignore[type-var]
