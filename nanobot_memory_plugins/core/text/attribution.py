"""Whose word a statement is, in the live sessions: the user's, when what the user said supports it."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from nanobot_memory_plugins.core.text.authored import authored_text, both_ends
from nanobot_memory_plugins.core.text.conversation import as_spoken
from nanobot_memory_plugins.core.text.quotations import QuotedConversation
from nanobot_memory_plugins.core.text.support import Support
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_SESSIONS = 500
# Messages of a session that are kept, those of its history that are looked at when it is heard for the first time, and
# characters of one.
_MESSAGES, _OF_HISTORY, _CHARACTERS = 120, 80, 4_000
# Texts of one answer of a tool.
_TEXTS = 40


class _Heard:
    """A message that was heard; it is read when somebody asks."""

    def __init__(self, message: Message) -> None:
        self.message = message

    @cached_property
    def own(self) -> Message:
        """The message, the user's in their own words."""
        text = authored_text(self.message) if self.message.role == "user" else self.message.text
        return Message(self.message.role, text[:_CHARACTERS])


@dataclass(slots=True)
class _Session:
    """The last messages of a session, those of tools among them."""

    heard: deque[_Heard] = field(default_factory=lambda: deque(maxlen=_MESSAGES))

    def hear(self, messages: Iterable[Message]) -> None:
        self.heard.extend(_Heard(one) for one in messages if one.role != "system" and one.text.strip())


class UserAttribution:
    """The last messages of each session, asked whether its user has said something.

    Hearing a text only puts it aside, so that it costs the host's loop nothing.
    """

    def __init__(self) -> None:
        self._sessions: BoundedDict[str, _Session] = BoundedDict(_SESSIONS)

    def hear(self, session_key: str, text: str, history: Sequence[Message]) -> None:
        """Learn what the user said, and what stands in the live context before it."""
        session = self._session(session_key)
        before = [as_spoken(one) for one in history[-_OF_HISTORY:]]
        if before and before[-1].role == "user" and before[-1].text.strip() == text.strip():
            before.pop()  # the host has put the message into its history already
        if session.heard:
            # What was said since the user's last message. Most tools were heard when they answered.
            last = max((n for n, one in enumerate(before, 1) if one.role == "user"), default=0)
            heard = {one.message.text for one in session.heard if one.message.role == "tool"}
            before = [one for one in before[last:] if one.text not in heard]
        session.hear([*before, Message("user", both_ends(text))])

    def hear_tool(self, session_key: str, result: object) -> None:
        """Learn what a tool has answered: nothing of it is the user's."""
        self._session(session_key).hear(Message("tool", text) for text in _texts_in(result, 4))

    def hold(self, session_key: str, text: str, quotes: Sequence[str] = ()) -> bool:
        """Return whether this session's user has said what a statement says; ``quotes`` are the words that it rests on.

        It reads what was heard: call it in a thread.
        """
        session = self._sessions.get(session_key)
        if session is None:
            return False
        conversation = QuotedConversation([one.own for one in tuple(session.heard)])
        return Support(conversation).holds(text, quotes)

    def _session(self, session_key: str) -> _Session:
        session = self._sessions.setdefault(session_key, _Session())
        self._sessions.move_to_end(session_key)
        return session


def _texts_in(value: object, depth: int) -> list[str]:
    """Return the texts in a tool's answer, whatever its form; deep ones are left out."""
    if isinstance(value, str):
        return [value]
    if depth == 0:
        return []
    items: Iterable[object] = ()
    if isinstance(value, Mapping):
        items = value.values()
    elif isinstance(value, (list, tuple)):
        items = value[:_TEXTS]
    return [text for item in items for text in _texts_in(item, depth - 1)][:_TEXTS]
