"""A user's turn: recall for the message, begun as early as the host lets us."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any

from nanobot.runtime_context import RuntimeContextBlock

from nanobot_memory_plugins.bridge.sessions import (
    earlier_messages,
    is_for_people,
    is_new_message,
    is_own,
    is_private,
    is_said_by_person,
    live_messages,
    public_messages,
    recorded_messages,
)
from nanobot_memory_plugins.bridge.turn_scopes import turn_scope
from nanobot_memory_plugins.core import MemoryService, Scope
from nanobot_memory_plugins.core.host.framework_calls import log_failures, none_on_failure
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.scopes.people import Senders
from nanobot_memory_plugins.core.text.private import is_private as says_private

# How messages begin that nanobot would refuse as an unknown command.
_BEGINNINGS = ("/private ", "/private\n")
# How nanobot records where an injected block came from.
BLOCK_SOURCE = "nanobot-memory"


@dataclass(slots=True)
class _RunningTurn:
    """The turn of the message that nanobot processes now. Of an ``ephemeral`` one it keeps nothing.

    ``begun`` is the recall for ``text`` that nobody has asked for yet.
    """

    ephemeral: bool
    scope: Scope | None = None
    text: str = ""
    begun: Turn | None = None

    def take(self, session_key: str, text: str) -> Turn | None:
        """Return the recall that was begun for this message, once."""
        if self.begun is None or (self.begun.session_key, self.text) != (session_key, text):
            return None
        begun, self.begun = self.begun, None
        return begun


_running: ContextVar[_RunningTurn | None] = ContextVar("running_turn", default=None)


def current_scope(session_key: str) -> Scope | None:
    """Return the scope of the turn that runs now, if it is one of this session: nanobot's prompt does not name it."""
    running = _running.get()
    scope = running.scope if running is not None else None
    return scope if scope is not None and scope.session == session_key else None


class Turns:
    """Offers nanobot the context of each user message.

    ``sessions`` is the host's session manager. On the host's event loop ``attend`` is called before the memory is
    asked, and ``answered`` after it, with the seconds for which it was waited in vain, or None.
    """

    def __init__(
        self,
        memory: MemoryService,
        sessions: Any,
        *,
        senders: Callable[[], Senders],
        attend: Callable[[], None],
        answered: Callable[[float | None], None],
    ) -> None:
        self._memory = memory
        self._sessions = sessions
        self._senders = senders
        self._attend = attend
        self._answered = answered

    def wrap_processing(self, process: Callable[..., Any]) -> Callable[..., Any]:
        """Return the host's message processing with recall begun before it builds its context."""

        @wraps(process)
        async def processing(msg: Any, session_key: str | None = None, *args: Any, **kwargs: Any) -> Any:
            running = _RunningTurn(bool(kwargs.get("ephemeral")))
            token = _running.set(running)
            self._begin_early(running, msg, session_key)
            try:
                return await process(msg, session_key, *args, **kwargs)
            finally:
                _running.reset(token)

        return processing

    @none_on_failure
    async def provide(self, request: Any) -> RuntimeContextBlock | None:
        """Answer the host's request for context: a block for the user's message, or None."""
        self._attend()
        key, text, running = str(request.session_key or ""), str(request.original_user_text or ""), _running.get()
        if not self._is_heard(key, text, request):
            if not is_own(key):  # the memory's tools are for a timer's turn, too
                await self._memory.start()
                self._answered(None)
            return None
        turn = running.take(key, text) if running is not None else None
        turn = turn or self._begin(key, text, self._scope_of(key, request))
        limit = self._memory.limit_of(None)
        block = await turn.received(text)
        self._answered(limit if turn.was_late else None)
        self._take_in(turn)
        return RuntimeContextBlock(BLOCK_SOURCE, block) if block else None

    @log_failures()
    def _begin_early(self, running: _RunningTurn, msg: Any, session_key: str | None) -> None:
        """Begin the recall for a message that has just come in; commands have none."""
        self._attend()
        key = str(session_key or msg.session_key)
        text = msg.content if isinstance(msg.content, str) else ""
        running.scope = scope = self._scope_of(key, msg)
        is_command = text.lstrip().startswith(("/", "!")) and not says_private(text)
        if not (running.ephemeral or is_command) and msg.is_user_input and self._is_heard(key, text, msg):
            running.text, running.begun = text, self._begin(key, text, scope)

    def _is_heard(self, key: str, text: str, message: Any) -> bool:
        """Return whether a person has just said this, in a session that is kept."""
        metadata = message.metadata
        return (
            bool(text.strip())
            and is_for_people(key, metadata)
            and is_new_message(metadata)
            and is_said_by_person(message.sender_id, metadata)
            and not self.is_private(key)
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

    def _begin(self, key: str, text: str, scope: Scope) -> Turn:
        turn, messages = self._memory.turn(key, scope=scope), self._messages_of(key, live_messages)
        turn.begin(text, lambda: public_messages(messages()))
        return turn

    def _take_in(self, turn: Turn) -> None:
        """Let the memory take in, after the first turn of a session here, the earlier messages that it does not have.

        nanobot's record does not say who wrote what: that of a group of several people is left to whoever knows.
        """
        scope = turn.scope
        if isinstance(scope, Scope) and (not scope.group_chat or self._senders().one_user):
            messages = self._messages_of(turn.session_key, recorded_messages)
            self._memory.record_history(turn, lambda: earlier_messages(messages()))

    def _messages_of(self, key: str, part: Callable[[object], list[object]]) -> Callable[[], list[object]]:
        """Return how to get at a part of a session's messages; reading it from disk is left to the memory's thread."""
        session = self._sessions.get_cached(key)
        if session is None:
            return lambda: part(self._sessions.read_session_snapshot(key))
        messages = part(session)
        return lambda: messages

    def is_private(self, key: str) -> bool:
        """Return whether nanobot keeps nothing of this turn, or of a session; asking must not create one."""
        running = _running.get()
        return (running is not None and running.ephemeral) or is_private(self._sessions.get_cached(key))


async def _no_command(_context: object) -> None:
    """Leave the message to the turn."""


def let_private_pass(loop: Any) -> None:
    """Let private messages reach the model, as any other. A loop has its commands only after its tools."""
    if all(handler is not _no_command for _, handler in loop.commands._prefix):
        for beginning in _BEGINNINGS:
            loop.commands.prefix(beginning, _no_command)
