"""A turn on its way in: what is said and done in it is kept, the plugins are asked, and their blocks are fenced."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.host.history import plain_history
from nanobot_memory_plugins.core.host.host_parts import HostParts
from nanobot_memory_plugins.core.host.plugin_host import Answers, values_of
from nanobot_memory_plugins.core.host.privacy import MEMORYS, NOT_KEPT
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

LOOKED_AT = 400
"""Messages at the end of a history that plugins are shown, except of one that is about to be cut."""

_KEPT_BEFORE = Receipt(stored=False, reason="The transcript holds it already.")


class MessageCalls(HostParts):
    """The calls of a host within a turn."""

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
        """Keep a user's message, and return what memory says; ``history`` precedes it in the live context.

        What a host says in the user's place (a task's notification, a prompt to a sub-agent, a schedule) is not
        ``spoken``: it is recalled for, and neither kept nor believed as the user's word. One that is ``known`` was kept
        and heard before: it is recalled for, and no word of the user's again.
        """
        session_key = redact_key(session_key)
        session = self.privacy.session(session_key)  # at once: a history behind this turn is from before it
        session.began_before, session.began = session.began, self._clock.now()
        asked: list[asyncio.Task[Any]] = []
        receiving = self._writing.begin(self._receive(session_key, text, history, scope, spoken, known, asked))
        try:
            return await asyncio.shield(receiving)
        except asyncio.CancelledError:  # it is kept all the same; what plugins would answer nobody waits for
            for asking in asked:
                asking.cancel()
            raise

    async def _receive(
        self,
        session_key: str,
        text: str,
        history: Sequence[object],
        scope: ScopeLike,
        spoken: bool,
        known: bool,
        asked: list[asyncio.Task[Any]],
    ) -> MessageContext:
        """Do what `message_received` says; the plugins are ``asked`` in a task."""
        owner = await self._owner_of(session_key, scope)
        session = self.privacy.session(session_key)
        text, language = without_private(remove_fenced(text)), self._language(text)
        if not spoken or (known and memory_command(text)):  # an order was carried out when it was given
            if await self.privacy.refuses(session_key):
                return MessageContext(block=None, receipt=NOT_KEPT)
        elif (notice := await self.privacy.received(session_key, text, owner.user, language)) is not None:
            return MessageContext(block=fence([notice], language=language), receipt=NOT_KEPT)
        role, origin = ("user", Origin.USER) if spoken else ("assistant", Origin.TOOL)
        taken = _KEPT_BEFORE if known else session.taken_in.pop(message_key(role, text), None)
        if taken is None:
            session.taken_in.clear()  # a new turn has begun
            session.count_message("user", text, spoken=spoken)
        spoken = spoken and not known  # what was kept before was heard then; else it is a nested agent's prompt
        whole, text = text, both_ends(text)  # kept whole, judged by its ends
        before = await self._shown_history(session_key, history[-LOOKED_AT:])
        if spoken:
            self._redaction.learn(text)
            self._redaction.learn_from_history(before)
        # What the system prompt holds of memory is seen, as our own blocks are, but nobody said it.
        prompt = self._prompt.of(owner)
        shown = [Message("system", prompt, name=MEMORYS)] if prompt else []
        seen = (*shown, *_standing_blocks(history[-LOOKED_AT:]), *before)
        arguments = {"session_key": session_key, "text": text, "history": seen, "spoken": spoken}
        asking = asyncio.create_task(self._ask("on_message_received", arguments, owner))
        session.asking.add(asking)
        asked.append(asking)
        asking.add_done_callback(session.asking.discard)
        # Written after the recall, which would find it, and also where the caller gives up.
        record = TranscriptRecord(role, whole, session_key, owner, origin)
        capture = taken or self._begin_message(record, session.asking)
        answers = await asking
        if not spoken:
            answers = {name: tuple(map(_not_the_users, values)) for name, values in answers.items()}
        await self._keep_answers(answers, owner)
        blocks = _blocks_of(answers)
        self._redaction.learn(*(block.text for block in blocks))
        context = MessageContext(
            block=fence([*(block.text for block in blocks), *self._notices(language)], language=language),
            receipt=capture if isinstance(capture, Receipt) else await asyncio.shield(capture),
            hit_ids=tuple(dict.fromkeys(hit for block in blocks for hit in block.hit_ids)),
        )
        self._note_recall(blocks)
        return context

    async def review_draft(
        self, *, session_key: str, text: str, draft: str, history: Sequence[object] = (), scope: ScopeLike = None
    ) -> str | None:
        """Look at the draft of an answer to ``text``; return a fenced block with which to make it again, or None."""
        owner = await self._owner_of(session_key, scope)
        before = await self._shown_history(owner.session, history[-LOOKED_AT:])
        arguments = {"session_key": owner.session, "text": text, "draft": draft, "history": before}
        if blocks := _blocks_of(await self._ask("on_draft_written", arguments, owner)):
            self._note_recall(blocks)
        return fence((block.text for block in blocks), language=self._language(text))

    async def message_sent(self, *, session_key: str, text: str, scope: ScopeLike = None) -> Receipt:
        """Keep the assistant's reply."""
        return await asyncio.shield(self._writing.begin(self._send(session_key, text, scope)))

    async def _send(self, session_key: str, text: str, scope: ScopeLike) -> Receipt:
        owner = await self._owner_of(session_key, scope)
        text, session_key = remove_fenced(text), owner.session
        session = self.privacy.session(session_key)
        session.is_answered = True
        if session.is_answer_off_record or await self.privacy.refuses(session_key):
            return NOT_KEPT
        if (taken := session.taken_in.pop(message_key("assistant", text), None)) is not None:
            return taken
        session.count_message("assistant", text)
        record = TranscriptRecord("assistant", text, session_key, owner, Origin.ASSISTANT)
        return await self._begin_message(record, session.asking)

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
        """Let the plugins take notes of a tool that finished, or that failed with ``error``.

        The receipt is that of the first note, with all of them in ``notes``; it is not stored when no plugin took one.
        """
        owner = await self._owner_of(session_key, scope)
        frozen = bounded_copy(result)
        if await self.privacy.refuses(owner.session):
            return NOT_KEPT
        if isinstance(frozen, str) and self._tools.called(tool_name) is not None:
            self._redaction.learn(frozen)  # what memory shows counts as known to the reader
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

    def _begin_message(self, record: TranscriptRecord, asking: Iterable[asyncio.Task[Any]]) -> asyncio.Task[Receipt]:
        """Begin to write a message to its transcript, once the plugins were asked that are ``asking`` about one."""
        loop = asyncio.get_running_loop()
        before = {task for task in asking if task.get_loop() is loop}  # nothing ends those of another one

        async def written() -> Receipt:
            if before:
                with suppress(asyncio.CancelledError):  # the event loop ends: it is written now
                    await asyncio.wait(before)
            if not self.config.core.keep_transcripts:
                return Receipt(stored=False, reason="core.keepTranscripts is off")
            if not record.text.strip():
                return Receipt(stored=False, reason="the message is empty")
            return await self._files.keep_message(record)

        return self._writing.begin(written())

    async def _shown_history(self, session_key: str, history: Sequence[object]) -> tuple[Message, ...]:
        """Return a host's history as plugins get it: by who said what, and without what was taken back."""
        return await self.privacy.shown(session_key, await self._plain_history(session_key, history))

    async def _plain_history(self, session_key: str, history: Sequence[object]) -> tuple[Message, ...]:
        plain = await run_in_daemon_thread(plain_history, tuple(history)) if history else ()
        return await self.privacy.attributed(session_key, plain)

    def _language(self, text: str) -> Language:
        return notice_language(self.config.core.language, text)

    def _notices(self, language: Language) -> list[str]:
        """Return the notice of a turn for which recall failed; it is recorded, too."""
        late = {**self.plugins.failed, **self.plugins.failing_plugins("on_message_received")}
        if (why := late.get("recall")) is None:
            return []
        self._write_in_thread(lambda: record_missed_turn(self.workspace, self._clock, why))
        return [LATE_NOTICE[language]]

    def _note_recall(self, blocks: Sequence[ContextBlock]) -> None:
        if self.plugins.store is not None:
            tokens, entries = self._tools.tokens if self._tools.were_offered else 0, self._prompt.entries_text
            self._write_in_thread(
                lambda: record_injection(self.workspace, self._clock, blocks, tool_tokens=tokens, entries=entries)
            )


def _blocks_of(answers: Answers) -> list[ContextBlock]:
    titled = [(block, one_line(block.title)) for block in values_of(answers, ContextBlock) if block.text]
    return [replace(block, text=f"{title}\n{block.text}" if title else block.text, title="") for block, title in titled]


def _standing_blocks(history: Sequence[object]) -> list[Message]:
    """Return our own blocks that a host has left in its history: the model sees them still, so they are not repeated.

    They are system messages, which nobody takes for something that was said.
    """
    texts = (one.text for one in messages_from_chat(history))
    return [Message("system", block, name=MEMORYS) for text in texts for block in fenced_blocks(text)]


def _not_the_users(value: object) -> object:
    """Return what was answered to what no user said: no note of it is the user's, whatever a plugin says."""
    is_users = isinstance(value, Note) and value.origin is Origin.USER
    return replace(value, origin=Origin.TOOL) if is_users else value  # type: ignore[type-var]
