"""What nanobot has saved of a session: the turn that ended, and what was said before the memory came."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from nanobot_memory_plugins.bridge.sessions import (
    is_background,
    is_continuation,
    is_for_people,
    live_messages,
    public_messages,
)
from nanobot_memory_plugins.bridge.turn_scopes import TurnScopes
from nanobot_memory_plugins.core import MemoryService, Scope, logger
from nanobot_memory_plugins.core.host.history import tokens_of
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# What nanobot saves in the place of an answer that never came.
_NO_ANSWERS = ("[Assistant reply unavailable due to model error.]",)
_REMEMBERED_TURNS = 1_000

# Called for a saved turn that nobody wrote: session key, the turn's messages, its scope.
BackgroundTurnSaved = Callable[[str, list[dict[str, Any]], Scope], None]


class Replies:
    """Keeps what the assistant said in a turn, once, when nanobot has saved the turn.

    A turn's messages are those that were saved since it started, so follow-ups that came in meanwhile, answers
    that were streamed and answers in several parts are all there, and a compaction that moves the older messages
    does not matter. ``turn_saved`` is called for people's turns, ``background_turn_saved`` for the others, with the
    turn's messages.
    """

    def __init__(
        self,
        memory: MemoryService,
        sessions: Any,
        *,
        scopes: TurnScopes,
        turn_saved: Callable[[Turn], None],
        background_turn_saved: BackgroundTurnSaved | None = None,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._memory = memory
        self._sessions = sessions
        self._scopes = scopes
        self._turn_saved = turn_saved
        self._background_turn_saved = background_turn_saved
        self._now = now
        self._started: dict[str, datetime] = {}
        self._done: BoundedDict[str, None] = BoundedDict(_REMEMBERED_TURNS)

    def on_started(self, event: Any) -> None:
        """Learn that a turn has begun."""
        self._started[event.context.session_key] = self._now()

    def on_persisted(self, event: Any) -> None:
        """Learn that a turn has been saved, and keep its replies. Never raises, returns at once."""
        try:
            self._keep_turn(event)
        except Exception as error:
            logger.warning("a reply could not be kept: {}", type(error).__name__)

    def _keep_turn(self, event: Any) -> None:
        key = event.context.session_key
        started = self._started.pop(key, None)
        if started is None or event.turn_id in self._done:
            return
        self._done[event.turn_id] = None
        messages = [message for message in self._sessions.get_or_create(key).messages if _since(message, started)]
        context = event.context
        scope = self._scopes.of(
            key, channel=context.channel, chat_id=context.chat_id, sender=event.sender_id, metadata=context.metadata
        )
        turn = public_messages(messages)
        if not is_for_people(key, event.context.metadata):
            if self._background_turn_saved is not None:
                self._background_turn_saved(key, turn, scope)
            return
        saved = self._memory.turn(key, scope=scope)
        saved.begin_reply([message for message in turn if is_answer(message)])
        self._turn_saved(saved)


def finish_turn(loop: Any, turn: Turn, session: Any) -> None:
    """Tell the memory, in the background, that a turn of a session is over and saved. Returns at once."""
    turn.finished(
        public_messages(live_messages(session), at_most=None),
        context_window=int(getattr(loop, "context_window_tokens", 0) or 0),
        context_tokens=context_tokens(session),
    )


def context_tokens(session: Any) -> int | None:
    """Return what the last request of a session held, with its answer, as nanobot counted it; None when it did not."""
    metadata = getattr(session, "metadata", None)
    usage = metadata.get("_last_usage") if isinstance(metadata, Mapping) else None
    tokens = usage.get("context_tokens") if isinstance(usage, Mapping) else None
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens <= 0:
        return None
    last = session.messages[-1] if session.messages else {}
    return tokens + tokens_of(last)


def is_answer(message: dict[str, Any]) -> bool:
    """Return whether a message may be what the assistant said to the user, and nothing that nanobot put there."""
    content = message.get("content")
    return not (isinstance(content, str) and content.strip() in _NO_ANSWERS) and not message.get("injected_event")


def earlier_messages(recorded: Sequence[object]) -> list[dict[str, Any]]:
    """Return the messages of people's turns, as they are kept when they come in.

    What nanobot put in the place of an answer, what others sent there, and the turns of its timers are left out.
    """
    people: list[object] = []
    timers = False
    for message in recorded:
        if isinstance(message, dict) and message.get("role") == "user" and not is_continuation(message):
            timers = is_background("", message)
        if not timers:
            people.append(message)
    return [message for message in public_messages(people, at_most=None) if is_answer(message)]


def _since(message: object, started: datetime) -> bool:
    """Return whether a message was saved in the turn. The host stamps each with its local time."""
    stamp = message.get("timestamp") if isinstance(message, dict) else None
    try:
        return isinstance(stamp, str) and datetime.fromisoformat(stamp).replace(tzinfo=None) >= started
    except ValueError:
        return False
