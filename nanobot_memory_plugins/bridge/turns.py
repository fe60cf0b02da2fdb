"""A user's turn: recall for the message, begun as early as the host lets us."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from nanobot.runtime_context import RuntimeContextBlock

from nanobot_memory_plugins.bridge import turn_scopes
from nanobot_memory_plugins.bridge.reply_capture import earlier_messages
from nanobot_memory_plugins.bridge.sessions import (
    is_for_people,
    is_new_message,
    is_private,
    is_said_by_person,
    live_messages,
    public_messages,
    recorded_messages,
)
from nanobot_memory_plugins.bridge.turn_scopes import TurnScopes
from nanobot_memory_plugins.core import MemoryService, Scope, logger
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.text.private import is_private as says_private
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# How messages begin that nanobot would refuse as an unknown command.
_BEGINNINGS = ("/private ", "/private\n")
# How nanobot records where an injected block came from.
BLOCK_SOURCE = "nanobot-memory"
# Recalls that were begun and not asked for, kept at most; the host asks for each within milliseconds.
_BEGUN = 64

# True inside a turn of which nanobot itself keeps nothing.
_in_private_turn: ContextVar[bool] = ContextVar("in_private_turn", default=False)


class Turns:
    """Offers nanobot the context of each user message.

    ``sessions`` is the host's session manager, or None. ``attend`` is called on the host's event loop before the
    memory is asked, ``settle`` after it has answered, ``missed`` with the limit in seconds where it has not.
    """

    def __init__(
        self,
        memory: MemoryService,
        sessions: Any,
        *,
        attend: Callable[[], None],
        settle: Callable[[], None],
        missed: Callable[[float], None],
        scopes: TurnScopes,
    ) -> None:
        self._memory = memory
        self._sessions = sessions
        self._attend = attend
        self._settle = settle
        self._missed = missed
        self._scopes = scopes
        self._begun: BoundedDict[tuple[str, str], Turn] = BoundedDict(_BEGUN)

    def wrap_processing(self, process: Callable[..., Any]) -> Callable[..., Any]:
        """Return the host's message processing with recall begun before it builds its context."""

        async def processing(msg: Any, *args: Any, **kwargs: Any) -> Any:
            private = bool(kwargs.get("ephemeral"))
            token = _in_private_turn.set(private)
            scope_token = turn_scopes.enter(self._scope_of_message(msg, args[0] if args else kwargs.get("session_key")))
            begun = None
            try:
                if not private:
                    begun = self._begin_early(msg, args[0] if args else kwargs.get("session_key"))
                return await process(msg, *args, **kwargs)
            finally:
                _in_private_turn.reset(token)
                turn_scopes.leave(scope_token)
                if begun is not None:
                    self._begun.pop(begun, None)

        return processing

    async def provide(self, request: Any) -> RuntimeContextBlock | None:
        """Answer the host's request for context: a block for the user's message, or None. Never raises."""
        try:
            self._attend()
            key, text = str(request.session_key or ""), str(request.original_user_text or "")
            if not text.strip() or not is_for_people(key, request.metadata) or not is_new_message(request.metadata):
                return None
            if not is_said_by_person(request.sender_id, request.metadata):
                return None
            if _in_private_turn.get() or self.is_private(key):
                return None
            turn = self._begun.pop((key, text), None) or self._begin(key, text, self._scope_of(key, request))
            limit = self._memory.limit_of(None)
            block = await turn.received(text)
            if turn.was_late:
                self._missed(limit)
            self._settle()
            self._take_in(turn)
        except Exception as error:
            logger.warning("recall failed: {}", type(error).__name__)
            return None
        return RuntimeContextBlock(BLOCK_SOURCE, block) if block else None

    def _begin_early(self, msg: Any, session_key: object) -> tuple[str, str] | None:
        """Begin the recall for a message that has just come in. Never raises.

        Commands, the host's own messages and temporary chats have none.
        """
        try:
            self._attend()
            key = str(session_key or msg.session_key)
            text = msg.content if isinstance(msg.content, str) else ""
            is_command = text.lstrip().startswith(("/", "!")) and not says_private(text)
            if not text.strip() or is_command or not getattr(msg, "is_user_input", True):
                return None
            if not is_for_people(key, msg.metadata) or not is_new_message(msg.metadata) or self.is_private(key):
                return None
            if not is_said_by_person(msg.sender_id, msg.metadata):
                return None
            self._begun[key, text] = self._begin(key, text, self._scope_of(key, msg))
        except Exception as error:
            logger.warning("recall could not begin early: {}", type(error).__name__)
            return None
        return key, text

    def _scope_of(self, key: str, message: Any) -> Scope:
        """Return the scope of a message or a request."""
        return self._scopes.of(
            key, channel=message.channel, chat_id=message.chat_id, sender=message.sender_id, metadata=message.metadata
        )

    def _scope_of_message(self, msg: Any, session_key: object) -> Scope | None:
        """Return the same for a message that has just come in, or None. Never raises."""
        try:
            return self._scope_of(str(session_key or msg.session_key), msg)
        except Exception as error:
            logger.warning("it is not known whose a turn is: {}", type(error).__name__)
            return None

    def _begin(self, key: str, text: str, scope: Scope) -> Turn:
        turn, history = self._memory.turn(key, scope=scope), self._history_of(key)
        turn.begin(text, lambda: public_messages(history()))
        return turn

    def _take_in(self, turn: Turn) -> None:
        """Let the memory take in, after the first turn of a session here, the earlier messages that it does not have.

        nanobot's record does not say who wrote what: that of a group of several people is left to whoever knows.
        """
        scope = turn.scope
        if not isinstance(scope, Scope) or (scope.group_chat and not self._scopes.senders().one_user):
            return
        history = self._history_of(turn.session_key, whole=True)
        self._memory.take_in_behind(turn, lambda: earlier_messages(history()))

    def _history_of(self, key: str, *, whole: bool = False) -> Callable[[], list[object]]:
        """Return how to get at the live messages; reading them from disk is left to the memory's thread."""
        messages_of = recorded_messages if whole else live_messages
        session = self._cached(key)
        if session is not None:
            messages = messages_of(session)
            return lambda: messages
        read = getattr(self._sessions, "read_session_snapshot", None)
        return lambda: messages_of(read(key)) if read is not None else []

    def is_private(self, key: str) -> bool:
        """Return whether nanobot itself keeps nothing of a session."""
        return is_private(self._cached(key))

    def _cached(self, key: str) -> object:
        """Return the session if the host holds it already; asking for it must not create it."""
        get_cached = getattr(self._sessions, "get_cached", None)
        return get_cached(key) if get_cached is not None else None


async def _no_command(_context: object) -> None:
    """Leave the message to the turn."""


def let_private_pass(loop: Any) -> None:
    """Let private messages reach the model, as any other. A loop has its commands only after its tools."""
    commands = getattr(loop, "commands", None)
    register, is_known = getattr(commands, "prefix", None), getattr(commands, "_prefix", ())
    if register is None or any(handler is _no_command for _, handler in is_known):
        return
    for beginning in _BEGINNINGS:
        register(beginning, _no_command)
