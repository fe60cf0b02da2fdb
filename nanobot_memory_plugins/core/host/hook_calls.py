"""Calling a hook of every plugin, and keeping the notes that come back."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginAnswer
from nanobot_memory_plugins.core.host.privacy import Privacy, shown_arguments
from nanobot_memory_plugins.core.host.recorder import TurnRecorder, combined_receipt
from nanobot_memory_plugins.core.host.unheard import OF_PLUGINS, unheard
from nanobot_memory_plugins.core.language_model import hook_deadline
from nanobot_memory_plugins.core.session_reading.part import ReadingPart
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.values import ContextBlock, Message, Note, Origin, Receipt, Scope, Summary
from nanobot_memory_plugins.redaction.script.printable import one_line, printable

_T = TypeVar("_T")

# The hooks whose plugins make something lasting of a history.
_LEARNING = frozenset({"on_session_idle", "on_turn_finished", "before_compaction", "contribute_reading"})


class HookCalls:
    """Calls the plugins' hooks. Notes are kept outside of every time limit, whatever becomes of the caller."""

    def __init__(self, plugins: PluginSet, capture: TurnRecorder, privacy: Privacy) -> None:
        self._plugins = plugins
        self._capture = capture
        self._privacy = privacy

    async def answers(
        self,
        hook: str,
        arguments: Mapping[str, Any],
        *,
        accept: tuple[type, ...],
        limit: float,
        scope: Scope,
        sequential: bool = False,
        check: Callable[[object], str] | None = None,
    ) -> list[PluginAnswer]:
        """Return every plugin's answer, in order.

        ``limit`` is in seconds and sets the deadline by which uses of the language model are bounded. ``check`` says
        what else is wrong with a value: a few words, or none. Of a conversation from which something was taken back
        the plugins are shown what our transcript holds.
        """
        session = str(arguments.get("session_key") or "")
        shown = await shown_arguments(self._privacy, session, arguments)
        token = hook_deadline.set(time.monotonic() + limit)
        try:
            return await self._plugins.host.call(
                hook, {**shown, "scope": scope}, accept=accept, sequential=sequential, check=check
            )
        finally:
            hook_deadline.reset(token)

    async def answers_to_message(
        self,
        session_key: str,
        text: str,
        history: Sequence[Message],
        *,
        limit: float,
        scope: Scope,
        spoken: bool = True,
    ) -> list[PluginAnswer]:
        """Return every plugin's answer to a user's message.

        Of one that is not ``spoken`` no note is the user's, whatever a plugin says.
        """
        answers = await self.answers(
            "on_message_received",
            {"session_key": session_key, "text": text, "history": history, "spoken": spoken},
            accept=(ContextBlock, Note),
            limit=limit,
            scope=scope,
        )
        return answers if spoken else [replace(one, values=tuple(map(_not_users, one.values))) for one in answers]

    def unheard(self, language: Language) -> list[ContextBlock]:
        """Return what a turn is told of plugins that could not look at its message; it is recorded, too."""
        late = {**self._plugins.failed, **self._plugins.host.failing("on_message_received")}
        missed = {name: late[name] for name in OF_PLUGINS if name in late}
        if missed:
            self._capture.note_missed(missed)
        return unheard(missed, language)

    async def keep_notes(self, answers: Sequence[PluginAnswer], *, scope: Scope) -> Receipt:
        """Keep the notes among the answers. The receipt is that of the first, with all of them inside."""
        kept = await self._capture.keep_notes(values_of(answers, Note), scope=scope)
        self._privacy.noted(scope.session, kept)
        return combined_receipt(kept)

    async def reading_parts(self, arguments: Mapping[str, Any], scope: Scope) -> list[ReadingPart]:
        """Return what the plugins want to know of a session that is about to be read."""
        limit = self._plugins.host.time_limit("contribute_reading")
        answers = await self.answers("contribute_reading", arguments, accept=(ReadingPart,), limit=limit, scope=scope)
        return values_of(answers, ReadingPart)

    async def keep_read(self, notes: Sequence[Note], scope: Scope) -> tuple[Receipt, ...]:
        """Keep what plugins noted of a session that was read."""
        kept = await self._capture.keep_notes(notes, scope=of_conversation(scope))
        self._privacy.noted(scope.session, kept)
        return kept

    async def keep(self, note: Note, *, session_key: str, scope: Scope) -> Receipt:
        """Keep one note."""
        kept = await self._capture.keep_notes([note], scope=scope)
        self._privacy.noted(session_key, kept)
        return kept[0]

    async def keep_answers(self, hook: str, arguments: Mapping[str, Any], *, limit: float, scope: Scope) -> Receipt:
        """Call a hook that answers with notes alone, and keep them."""
        answers = await self.answers(hook, arguments, accept=(Note,), limit=limit, scope=scope)
        return await self.keep_notes(answers, scope=of_conversation(scope) if hook in _LEARNING else scope)


def of_conversation(scope: Scope) -> Scope:
    """Return whose a note of a whole conversation is: in a group chat the group's, whoever wrote last."""
    return replace(scope, user="") if scope.group_chat else scope


def _not_users(value: object) -> object:
    return replace(value, origin=Origin.TOOL) if isinstance(value, Note) and value.origin is Origin.USER else value


def blocks_of(answers: Sequence[PluginAnswer]) -> list[ContextBlock]:
    """Return the blocks among the answers, their titles above them as lines of the text."""
    titled = [(block, one_line(block.title)) for block in values_of(answers, ContextBlock) if block.text]
    return [replace(block, text=f"{title}\n{block.text}" if title else block.text, title="") for block, title in titled]


def values_of(answers: Sequence[PluginAnswer], kind: type[_T]) -> list[_T]:
    """Return the values of one type among the answers."""
    return [value for answer in answers for value in answer.values if isinstance(value, kind)]


def first_summary(answers: Sequence[PluginAnswer]) -> Summary | None:
    """Return the first summary, without what is hidden in it, or None."""
    summary = next(iter(values_of(answers, Summary)), None)
    return summary and replace(summary, text=printable(summary.text))


def fault_of_summaries(messages: int) -> Callable[[object], str]:
    """Return what says in a few words what is wrong with a summary of so many messages; nothing of another value."""

    def fault(value: object) -> str:
        if not isinstance(value, Summary) or 0 <= value.keep_from <= messages:
            return ""
        return "a keep_from outside of the messages"

    return fault
