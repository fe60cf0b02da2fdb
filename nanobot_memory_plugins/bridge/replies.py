"""A turn that nanobot has saved: the memory keeps what the assistant said in it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from nanobot_memory_plugins.bridge.sessions import is_answer, is_for_people, is_own, live_messages, public_messages
from nanobot_memory_plugins.bridge.turn_scopes import turn_scope
from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.core.host.framework_calls import log_failures
from nanobot_memory_plugins.core.host.history import tokens_of
from nanobot_memory_plugins.core.scopes.people import Senders


class Replies:
    """Keeps what the assistant said in a turn, once, when nanobot has saved the turn.

    A turn's messages are those that were saved since it started, so follow-ups that came in meanwhile, answers that
    were streamed and answers in several parts are all there, and a compaction that moves the older messages does not
    matter. With ``background_turns`` plugins extract from those that nobody wrote; their session key stays their
    origin.
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
        """Learn that a turn has begun."""
        self._started[event.context.session_key] = datetime.now()

    @log_failures()
    def on_persisted(self, event: Any) -> None:
        """Learn that a turn has been saved, and keep its replies. Returns at once."""
        context = event.context
        key = context.session_key
        started = self._started.pop(key, None)
        if started is None:
            return
        session = self._loop.sessions.get_or_create(key)
        turn = public_messages([message for message in session.messages if _since(message, started)])
        scope = turn_scope(
            self._senders(),
            key,
            channel=context.channel,
            chat_id=context.chat_id,
            sender=event.sender_id,
            metadata=context.metadata,
        )
        if is_for_people(key, context.metadata):
            saved = self._memory.turn(key, scope=scope)
            saved.replied([message for message in turn if is_answer(message)])
            saved.finished(
                public_messages(live_messages(session), at_most=None),
                context_window=self._loop.context_window_tokens,
                context_tokens=context_tokens(session),
            )
        elif self._background_turns and not is_own(key):
            self._memory.ended(key, turn, scope=scope)


def context_tokens(session: Any) -> int | None:
    """Return what the last request of a session held, with its answer, as nanobot counted it; None when it did not."""
    usage = session.metadata.get("_last_usage")
    tokens = usage.get("context_tokens") if isinstance(usage, Mapping) else None
    return tokens + tokens_of(session.messages[-1]) if isinstance(tokens, int) and tokens > 0 else None


def _since(message: object, started: datetime) -> bool:
    """Return whether a message was saved in the turn. The host stamps each with its local time."""
    stamp = message.get("timestamp") if isinstance(message, dict) else None
    try:
        return isinstance(stamp, str) and datetime.fromisoformat(stamp).replace(tzinfo=None) >= started
    except ValueError:
        return False
