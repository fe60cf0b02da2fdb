"""What a host does in a turn: a message is kept, heard, answered and fenced; what comes behind it is followed."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.host.append_notices import AppendNotices
from nanobot_memory_plugins.core.host.hidden_answers import plain_history
from nanobot_memory_plugins.core.host.hook_calls import HookCalls, blocks_of, of_conversation, values_of
from nanobot_memory_plugins.core.host.live_history import LiveMessages
from nanobot_memory_plugins.core.host.privacy import MEMORYS, NOT_KEPT, Privacy
from nanobot_memory_plugins.core.host.recorder import TurnRecorder, combined_receipt
from nanobot_memory_plugins.core.host.said_before import SaidBefore
from nanobot_memory_plugins.core.host.unheard import told_in
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.session_reading.part import ReadingRequest
from nanobot_memory_plugins.core.session_reading.reader import SessionReader
from nanobot_memory_plugins.core.text.fence import Language, fence, fenced_blocks, remove_fenced
from nanobot_memory_plugins.core.text.pasted import both_ends
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.values import ContextBlock, Message, Note, Origin, Receipt, Scope, messages_from_chat
from nanobot_memory_plugins.core.values.message_context import MessageContext


@dataclass(frozen=True, slots=True)
class HostParts:
    """The parts of one host that stand behind its calls."""

    options: CoreOptions
    clock: Clock
    files: MemoryFiles
    notices: AppendNotices
    recorder: TurnRecorder
    redaction: ContactRedaction
    privacy: Privacy
    hooks: HookCalls
    said: SaidBefore


# Messages at the end of a history that a message, a draft, an idle session and a reading are answered with.
LOOKED_AT = 400

KEPT_BEFORE = Receipt(stored=False, reason="The transcript holds it already.")


class Receiving:
    """Takes messages in, for one host: those of its user, and what the host says in the user's place."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts

    async def history(self, session_key: str, history: Sequence[object]) -> tuple[Message, ...]:
        """Return the end of a host's history as plugins get it, by who said what."""
        return await self._parts.said.attributed(session_key, plain_history(history[-LOOKED_AT:]))

    def language(self, text: str) -> Language:
        """Return the language in which a turn is told something."""
        return told_in(self._parts.options.language, text)

    async def review(
        self, session_key: str, text: str, draft: str, history: Sequence[object], scope: Scope
    ) -> tuple[str | None, list[ContextBlock]]:
        """Show the plugins the draft of an answer; return what stands beside the message then, and its blocks."""
        before = await self.history(session_key, history)
        arguments = {"session_key": session_key, "text": text, "draft": draft, "history": before}
        limit = self._parts.options.message_limit
        answers = await self._parts.hooks.answers(
            "on_draft_written", arguments, accept=(ContextBlock,), limit=limit, scope=scope
        )
        blocks = blocks_of(answers)
        return fence((block.text for block in blocks), language=self.language(text)), blocks

    async def receive(
        self,
        session_key: str,
        text: str,
        history: Sequence[object],
        scope: Scope,
        *,
        spoken: bool,
        known: bool,
        prompt: str = "",
    ) -> tuple[MessageContext, list[ContextBlock]]:
        """Keep a message and ask the plugins; return what the turn is given, and the blocks that it is made of.

        ``prompt`` is what the system prompt holds of memory: as our own blocks, it is seen and was not said.
        """
        text, language = without_private(remove_fenced(text)), self.language(text)
        before = await self.history(session_key, history)
        if not spoken:
            if self._parts.privacy.is_open(session_key):
                return MessageContext(block=None, receipt=NOT_KEPT), []
        elif (told := await self._parts.privacy.received(session_key, text, scope.user, language)) is not None:
            return MessageContext(block=fence([told], language=language), receipt=NOT_KEPT), []
        role, origin = ("user", Origin.USER) if spoken else ("assistant", Origin.TOOL)
        taken = KEPT_BEFORE if known else self._parts.said.taken(session_key, role, text)
        if taken is None:
            self._parts.said.forget_taken(session_key)
            self._parts.said.hear(session_key, "user", text, spoken=spoken)
        with self._parts.notices.held(self._parts.files.paths.transcript(session_key)):
            capture = taken or self._parts.recorder.begin_message(
                session_key, text, role=role, origin=origin, scope=scope
            )
            text = both_ends(text)  # kept whole, judged by its ends
            if spoken:
                self._parts.redaction.hear_message(text, before)
            shown = [Message("system", prompt, name=MEMORYS)] if prompt else []
            seen = (*shown, *standing_blocks(history[-LOOKED_AT:]), *before)
            limit = self._parts.options.message_limit
            answers = await self._parts.hooks.answers_to_message(
                session_key, text, seen, limit=limit, scope=scope, spoken=spoken
            )
            await self._parts.hooks.keep_notes(answers, scope=scope)
            blocks = blocks_of(answers)
        self._parts.redaction.hear(*(block.text for block in blocks))
        context = MessageContext(
            block=fence((block.text for block in (*blocks, *self._parts.hooks.unheard(language))), language=language),
            receipt=capture if isinstance(capture, Receipt) else await asyncio.shield(capture),
            hit_ids=tuple(dict.fromkeys(hit for block in blocks for hit in block.hit_ids)),
        )
        return context, blocks


def standing_blocks(history: Sequence[object]) -> list[Message]:
    """Return our own blocks that a host has left in its history: the model sees them still, so they are not repeated.

    They are system messages, which nobody takes for something that was said.
    """
    texts = (one.text for one in messages_from_chat(history))
    return [Message("system", block, name=MEMORYS) for text in texts for block in fenced_blocks(text)]


class BehindTurns:
    """Follows the turns of one workspace."""

    def __init__(self, parts: HostParts, reader: SessionReader) -> None:
        self.reader = reader
        self._parts = parts

    async def read(
        self, session_key: str, scope: Scope, reason: str, told: Receipt, given: Sequence[Message]
    ) -> Receipt:
        """Read a session once all that was said in it is written; return what was ``told`` with the notes of that."""
        await self.reader.expect(session_key, scope)
        await self._parts.recorder.drain()
        readable = await self._parts.privacy.readable(session_key, tuple(given))
        notes = await self.reader.read(session_key, scope, reason, given=readable)
        return combined_receipt((*told.notes, *notes)) if notes else told

    async def follow(self, arguments: Mapping[str, Any], scope: Scope, limit: float) -> Receipt:
        """Tell the plugins that a turn is over, and read its session where one of them asks for that."""
        session_key = str(arguments["session_key"])
        live = LiveMessages(arguments["messages"], await self._parts.said.unspoken(session_key))
        arguments = {**arguments, "messages": live}
        accept = (Note, ReadingRequest)
        answers = await self._parts.hooks.answers(
            "on_turn_finished", arguments, accept=accept, limit=limit, scope=scope
        )
        told = await self._parts.hooks.keep_notes(answers, scope=of_conversation(scope))
        return await self.read(session_key, scope, "turn", told, live) if values_of(answers, ReadingRequest) else told
