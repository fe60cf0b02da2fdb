"""Recall for a user's message, started before nanobot asks for the message's context."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any

from nanobot.runtime_context import RuntimeContextBlock

from nanobot_memory_plugins.bridge.sessions import (
    earlier_messages,
    is_from_person,
    is_internal_session,
    is_new_message,
    is_temporary,
    is_user_turn,
    live_messages,
    public_messages,
    recorded_messages,
)
from nanobot_memory_plugins.bridge.turn_scopes import turn_scope
from nanobot_memory_plugins.core import MemoryService, Scope
from nanobot_memory_plugins.core.host.framework_calls import log_failures, none_on_failure
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.scopes.people import Senders
from nanobot_memory_plugins.core.text.private import is_private

# Prefixes of a private message, which nanobot would otherwise reject as an unknown command.
_PRIVATE_PREFIXES = ("/private ", "/private\n")
# The name under which nanobot records the source of an injected block.
BLOCK_SOURCE = "nanobot-memory"


@dataclass(slots=True)
class _RunningTurn:
    """The turn that nanobot is processing. It keeps nothing of an ``ephemeral`` one.

    ``early_turn`` holds the recall for ``text`` until nanobot asks for it.
    """

    ephemeral: bool
    scope: Scope | None = None
    text: str = ""
    early_turn: Turn | None = None

    def take(self, session_key: str, text: str) -> Turn | None:
        """Return the turn that was begun early for this message, once."""
        if self.early_turn is None or (self.early_turn.session_key, self.text) != (session_key, text):
            return None
        turn, self.early_turn = self.early_turn, None
        return turn


_running: ContextVar[_RunningTurn | None] = ContextVar("running_turn", default=None)


def current_scope(session_key: str) -> Scope | None:
    """Return the scope of the running turn of this session, or None. nanobot does not pass it to the prompt builder."""
    running = _running.get()
    scope = running.scope if running is not None else None
    return scope if scope is not None and scope.session == session_key else None


class Turns:
    """Provides nanobot with the context of each user message.

    ``sessions`` is the host's session manager. ``before_call`` and ``after_answer`` run on the host's event loop before
    and after each call of the memory. ``after_answer`` gets the seconds waited for a missing answer, else None.
    """

    def __init__(
        self,
        memory: MemoryService,
        sessions: Any,
        *,
        senders: Callable[[], Senders],
        before_call: Callable[[], None],
        after_answer: Callable[[float | None], None],
    ) -> None:
        self._memory = memory
        self._sessions = sessions
        self._senders = senders
        self._before_call = before_call
        self._after_answer = after_answer

    def wrap_processing(self, process: Callable[..., Any]) -> Callable[..., Any]:
        """Return the host's message processing, with recall started before the host builds its context."""

        @wraps(process)
        async def processing(msg: Any, session_key: str | None = None, *args: Any, **kwargs: Any) -> Any:
            running = _RunningTurn(bool(kwargs.get("ephemeral")))
            token = _running.set(running)
            self._begin_turn_early(running, msg, session_key)
            try:
                return await process(msg, session_key, *args, **kwargs)
            finally:
                _running.reset(token)

        return processing

    @none_on_failure
    async def provide(self, request: Any) -> RuntimeContextBlock | None:
        """Return the recalled block for the user's message, or None."""
        self._before_call()
        key, text, running = str(request.session_key or ""), str(request.original_user_text or ""), _running.get()
        if not self._is_user_message(key, text, request):
            if not is_internal_session(key):  # a timer's turn gets the memory's tools as well
                await self._memory.start()
                self._after_answer(None)
            return None
        turn = running.take(key, text) if running is not None else None
        turn = turn or self._begin_turn(key, text, self._scope_of(key, request))
        limit = self._memory.limit_of(None)
        block = await turn.received(text)
        self._after_answer(limit if turn.was_late else None)
        self._import_earlier(turn)
        return RuntimeContextBlock(BLOCK_SOURCE, block) if block else None

    @log_failures()
    def _begin_turn_early(self, running: _RunningTurn, msg: Any, session_key: str | None) -> None:
        """Begin the turn of a message that has just arrived. Commands have no turn."""
        self._before_call()
        key = str(session_key or msg.session_key)
        text = msg.content if isinstance(msg.content, str) else ""
        running.scope = scope = self._scope_of(key, msg)
        is_command = text.lstrip().startswith(("/", "!")) and not is_private(text)
        if not (running.ephemeral or is_command) and msg.is_user_input and self._is_user_message(key, text, msg):
            running.text, running.early_turn = text, self._begin_turn(key, text, scope)

    def _is_user_message(self, key: str, text: str, message: Any) -> bool:
        """Return whether a person has just written this message, in a session that is kept."""
        metadata = message.metadata
        return (
            bool(text.strip())
            and is_user_turn(key, metadata)
            and is_new_message(metadata)
            and is_from_person(message.sender_id, metadata)
            and not self.is_temporary(key)
        )

    def _scope_of(self, key: str, message: Any) -> Scope:
        """Return the scope of a message or a request."""
        return turn_scope(
            self._senders(),
            key,
            channel=message.channel,
            chat_id=message.chat_id,
            sender=message.sender_id,
            metadata=message.metadata,
        )

    def _begin_turn(self, key: str, text: str, scope: Scope) -> Turn:
        turn, messages = self._memory.turn(key, scope=scope), self._messages_of(key, live_messages)
        turn.begin(text, lambda: public_messages(messages()))
        return turn

    def _import_earlier(self, turn: Turn) -> None:
        """Have the memory store the session's earlier messages, after the first turn of a session here.

        The record of a group with several people is skipped, since nanobot does not record who wrote each message.
        """
        scope = turn.scope
        if isinstance(scope, Scope) and (not scope.group_chat or self._senders().one_user):
            messages = self._messages_of(turn.session_key, recorded_messages)
            self._memory.record_history(turn, lambda: earlier_messages(messages()))

    def _messages_of(self, key: str, part: Callable[[object], list[object]]) -> Callable[[], list[object]]:
        """Return a function that returns a part of a session's messages. It may read them from disk."""
        session = self._sessions.get_cached(key)
        if session is None:
            return lambda: part(self._sessions.read_session_snapshot(key))
        messages = part(session)
        return lambda: messages

    def is_temporary(self, key: str) -> bool:
        """Return whether nanobot does not save this turn or this session. It never creates a session."""
        running = _running.get()
        return (running is not None and running.ephemeral) or is_temporary(self._sessions.get_cached(key))


async def _pass_to_turn(_context: object) -> None:
    """Handle no command, so that the message goes to the model."""


def allow_private_messages(loop: Any) -> None:
    """Let private messages reach the model. It is called late: a loop gets its commands only after its tools."""
    if all(handler is not _pass_to_turn for _, handler in loop.commands._prefix):
        for prefix in _PRIVATE_PREFIXES:
            loop.commands.prefix(prefix, _pass_to_turn)
