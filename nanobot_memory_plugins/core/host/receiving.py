"""What happens to a message that has come in: kept, heard, answered by the plugins, fenced."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.files import MemoryFiles
from nanobot_memory_plugins.core.host.append_notices import AppendNotices
from nanobot_memory_plugins.core.host.forgetting import LiveForgetting
from nanobot_memory_plugins.core.host.hidden_answers import plain_history
from nanobot_memory_plugins.core.host.hook_calls import HookCalls
from nanobot_memory_plugins.core.host.off_record import NOT_KEPT, OffTheRecord
from nanobot_memory_plugins.core.host.recorder import TurnRecorder
from nanobot_memory_plugins.core.host.said_before import SaidBefore
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.text.attribution import UserAttribution
from nanobot_memory_plugins.core.text.authored import both_ends
from nanobot_memory_plugins.core.text.fence import Language, fence, language_of, remove_fenced
from nanobot_memory_plugins.core.values import ContextBlock, Message, Origin, Scope
from nanobot_memory_plugins.core.values.message_context import MessageContext


@dataclass(frozen=True, slots=True)
class Receiving:
    """Takes messages in, for one host: those of its user, and what the host says in the user's place."""

    options: CoreOptions
    files: MemoryFiles
    notices: AppendNotices
    recorder: TurnRecorder
    words: UserAttribution
    redaction: ContactRedaction
    forgotten: LiveForgetting
    off_record: OffTheRecord
    hooks: HookCalls
    said: SaidBefore

    async def history(self, session_key: str, history: Sequence[object]) -> tuple[Message, ...]:
        """Return a host's history as plugins get it, by who said what."""
        return await self.said.attributed(session_key, plain_history(history))

    def language(self, text: str) -> Language:
        """Return the language in which a turn is told something."""
        return language_of(text) if self.options.language == "auto" else self.options.language

    async def receive(
        self, session_key: str, text: str, history: Sequence[object], scope: Scope, *, spoken: bool
    ) -> tuple[MessageContext, list[ContextBlock]]:
        """Keep a message and ask the plugins; return what the turn is given, and the blocks that it is made of."""
        text, language = remove_fenced(text), self.language(text)
        before = await self.history(session_key, history)
        if not spoken:
            text = await self.forgotten.sent(session_key, text)
            if await self.off_record.passed(session_key, text, "user"):
                return MessageContext(block=None, receipt=NOT_KEPT), []
        else:
            before = await self.forgotten.received(session_key, text, before)
            if (told := await self.off_record.received(session_key, text, before, language)) is not None:
                return MessageContext(block=fence([told], language=language), receipt=NOT_KEPT), []
        self.said.hear(session_key, "user", text, spoken=spoken)
        role, origin = ("user", Origin.USER) if spoken else ("assistant", Origin.TOOL)
        with self.notices.held(self.files.paths.transcript(session_key)):
            capture = self.recorder.begin_message(session_key, text, role=role, origin=origin, scope=scope)
            text = both_ends(text)  # kept whole, judged by its ends
            if spoken:
                self.words.hear(session_key, text, before)
                self.redaction.hear_message(text, before)
            else:
                self.words.hear_tool(session_key, text)
            answers = await self.hooks.answers_to_message(
                session_key, text, before, limit=self.options.message_limit, scope=scope, spoken=spoken
            )
            await self.hooks.keep_notes(answers, scope=scope)
            blocks = await self.hooks.blocks(answers, scope=scope)
        self.redaction.hear(*(block.text for block in blocks))
        context = MessageContext(
            block=fence((block.text for block in (*blocks, *self.hooks.unheard(language))), language=language),
            receipt=await asyncio.shield(capture),
            hit_ids=tuple(dict.fromkeys(hit for block in blocks for hit in block.hit_ids)),
        )
        return context, blocks
