"""Keeps the assistant's replies of each turn that nanobot has saved."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from nanobot_memory_plugins.bridge.sessions import (
    is_answer,
    is_internal_session,
    is_user_turn,
    live_messages,
    public_messages,
)
from nanobot_memory_plugins.bridge.turn_scopes import turn_scope
from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.core.host.framework_calls import log_failures
from nanobot_memory_plugins.core.host.history import tokens_of
from nanobot_memory_plugins.core.scopes.people import Senders


class Replies:
    """Keeps the assistant's replies of a turn, once, when nanobot has saved the turn.

    The messages of a turn are the ones saved since it started. They include follow-ups, streamed answers and answers in
    several parts, and a compaction that moves older messages does not matter. With ``background_turns`` plugins also
    learn from turns that a timer started, under the key of their own session.
    """

    def __init__(
        self, memory: MemoryService, loop: Any, *, senders: Callable[[], Senders], background_turns: bool
    ) -> None:
        self._memory = memory
        self._loop = loop
        self._senders = senders
        self._background_turns = background_turns
        self._started: dict[str, datetime] = {}

    def on_started(self, event: Any) -> None:
        """Record when a turn began."""
        self._started[event.context.session_key] = datetime.now()

    @log_failures()
    def on_persisted(self, event: Any) -> None:
        """Keep the replies of a turn that has been saved. It returns at once."""
        context = event.context
        key = context.session_key
        started = self._started.pop(key, None)
        if started is None:
            return
        session = self._loop.sessions.get_or_create(key)
        messages = public_messages([message for message in session.messages if _is_saved_since(message, started)])
        scope = turn_scope(
            self._senders(),
            key,
            channel=context.channel,
            chat_id=context.chat_id,
            sender=event.sender_id,
            metadata=context.metadata,
        )
        if is_user_turn(key, context.metadata):
            turn = self._memory.turn(key, scope=scope)
            turn.replied([message for message in messages if is_answer(message)])
            turn.finished(
                public_messages(live_messages(session), at_most=None),
                context_window=self._loop.context_window_tokens,
                context_tokens=context_tokens(session),
            )
        elif self._background_turns and not is_internal_session(key):
            self._memory.ended(key, messages, scope=scope)


def context_tokens(session: Any) -> int | None:
    """Return nanobot's count of the tokens of a session's last request and answer, or None when there is none."""
    usage = session.metadata.get("_last_usage")
    tokens = usage.get("context_tokens") if isinstance(usage, Mapping) else None
    return tokens + tokens_of(session.messages[-1]) if isinstance(tokens, int) and tokens > 0 else None


def _is_saved_since(message: object, started: datetime) -> bool:
    """Return whether a message was saved after ``started``. nanobot stamps each message with its local time."""
    stamp = message.get("timestamp") if isinstance(message, dict) else None
    try:
        return isinstance(stamp, str) and datetime.fromisoformat(stamp).replace(tzinfo=None) >= started
    except ValueError:
        return False
