"""A message on its way in: it is kept, the plugins are asked, and their blocks are fenced for the turn."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.host.history import plain_history
from nanobot_memory_plugins.core.host.hook_calls import HookCalls, blocks_of
from nanobot_memory_plugins.core.host.missed_turns import NOTICES, notice_language, notices
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginAnswer
from nanobot_memory_plugins.core.host.privacy import MEMORYS, NOT_KEPT, Privacy
from nanobot_memory_plugins.core.host.recorder import TurnRecorder
from nanobot_memory_plugins.core.host.sessions import Sessions
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.text.fence import Language, fence, fenced_blocks, remove_fenced
from nanobot_memory_plugins.core.text.pasted import both_ends
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.values import ContextBlock, Message, Note, Origin, Receipt, Scope
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from nanobot_memory_plugins.core.values.message_key import message_key
from nanobot_memory_plugins.core.values.notes import MessageContext


@dataclass(frozen=True, slots=True)
class HostParts:
    """The parts of one host that stand behind its calls."""

    options: CoreOptions
    clock: Clock
    files: MemoryFiles
    recorder: TurnRecorder
    redaction: ContactRedaction
    plugins: PluginSet
    sessions: Sessions
    privacy: Privacy
    hooks: HookCalls


# Messages at the end of a history that a message, a draft, an idle session and a reading are answered with.
_LOOKED_AT = 400

KEPT_BEFORE = Receipt(stored=False, reason="The transcript holds it already.")


class Receiving:
    """Takes messages in, for one host: those of its user, and what the host says in the user's place."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts

    async def history(self, session_key: str, history: Sequence[object]) -> tuple[Message, ...]:
        """Return the end of a host's history as plugins get it, by who said what."""
        return await self._parts.sessions.attributed(session_key, plain_history(history[-_LOOKED_AT:]))

    async def review(
        self, session_key: str, text: str, draft: str, history: Sequence[object], scope: Scope
    ) -> tuple[str | None, list[ContextBlock]]:
        """Show the plugins the draft of an answer; return what stands beside the message then, and its blocks."""
        before = await self.history(session_key, history)
        arguments = {"session_key": session_key, "text": text, "draft": draft, "history": before}
        answers = await self._parts.hooks.answers("on_draft_written", arguments, scope=scope)
        blocks = blocks_of(answers)
        return fence((block.text for block in blocks), language=self._language(text)), blocks

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
        parts = self._parts
        text, language = without_private(remove_fenced(text)), self._language(text)
        before = await self.history(session_key, history)
        if not spoken:
            if parts.privacy.keeps_nothing(session_key):
                return MessageContext(block=None, receipt=NOT_KEPT), []
        elif (notice := await parts.privacy.received(session_key, text, scope.user, language)) is not None:
            return MessageContext(block=fence([notice], language=language), receipt=NOT_KEPT), []
        role, origin = ("user", Origin.USER) if spoken else ("assistant", Origin.TOOL)
        session = parts.sessions[session_key]
        taken = KEPT_BEFORE if known else session.taken_in.pop(message_key(role, text), None)
        if taken is None:
            session.taken_in.clear()  # a new turn has begun
            session.hear("user", text, spoken=spoken)
        capture = taken or parts.recorder.begin_message(session_key, text, role=role, origin=origin, scope=scope)
        text = both_ends(text)  # kept whole, judged by its ends
        if spoken:
            parts.redaction.hear_message(text, before)
        shown = [Message("system", prompt, name=MEMORYS)] if prompt else []
        seen = (*shown, *_standing_blocks(history[-_LOOKED_AT:]), *before)
        answers = await parts.hooks.answers(
            "on_message_received",
            {"session_key": session_key, "text": text, "history": seen, "spoken": spoken},
            scope=scope,
        )
        answers = answers if spoken else list(map(_not_the_users, answers))
        await parts.hooks.keep_answers("on_message_received", answers, scope)
        blocks = blocks_of(answers)
        parts.redaction.hear(*(block.text for block in blocks))
        context = MessageContext(
            block=fence((block.text for block in (*blocks, *self._notices(language))), language=language),
            receipt=capture if isinstance(capture, Receipt) else await asyncio.shield(capture),
            hit_ids=tuple(dict.fromkeys(hit for block in blocks for hit in block.hit_ids)),
        )
        return context, blocks

    def _language(self, text: str) -> Language:
        return notice_language(self._parts.options.language, text)

    def _notices(self, language: Language) -> list[ContextBlock]:
        """Return what a turn is told of plugins that could not look at its message; it is recorded, too."""
        plugins = self._parts.plugins
        late = {**plugins.failed, **plugins.host.failing("on_message_received")}
        missed = {name: late[name] for name in NOTICES if name in late}
        if missed:
            self._parts.recorder.note_missed(missed)
        return notices(missed, language)


def _standing_blocks(history: Sequence[object]) -> list[Message]:
    """Return our own blocks that a host has left in its history: the model sees them still, so they are not repeated.

    They are system messages, which nobody takes for something that was said.
    """
    texts = (one.text for one in messages_from_chat(history))
    return [Message("system", block, name=MEMORYS) for text in texts for block in fenced_blocks(text)]


def _not_the_users(answer: PluginAnswer) -> PluginAnswer:
    """Return an answer to what no user said: no note of it is the user's, whatever a plugin says."""

    def changed(value: object) -> object:
        is_users = isinstance(value, Note) and value.origin is Origin.USER
        return replace(value, origin=Origin.TOOL) if is_users else value  # type: ignore[type-var]

    return replace(answer, values=tuple(map(changed, answer.values)))
