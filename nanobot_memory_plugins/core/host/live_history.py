"""A host's own history while it grows: its messages as they are looked at, and their tokens as they come."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

from nanobot_memory_plugins.core.host.hidden_answers import hidden_answer
from nanobot_memory_plugins.core.host.said_before import attributed
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.private import without_private_parts
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# Sessions whose count is remembered; the others are counted anew.
_SESSIONS = 1_000
# Role, separators and the like, which APIs send with each message.
_MESSAGE_TOKENS = 4
# Messages before one that are looked at for the question that it answers.
_LOOKED_BACK = 4


class LiveMessages(Sequence[Message]):
    """A host's chat messages, normalised one by one as they are looked at: most of the time nobody looks.

    ``unspoken`` are the keys of what no user said.
    """

    __slots__ = ("_messages", "_unspoken")

    def __init__(self, messages: Sequence[object], unspoken: Container[str] = frozenset()) -> None:
        self._messages = messages
        self._unspoken = unspoken

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...
    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        message = attributed(_normalised(self._messages[index]), self._unspoken)
        place = index if index >= 0 else index + len(self)
        return hidden_answer(_spoken_before(self._messages, place), message)


def _spoken_before(messages: Sequence[object], place: int) -> str:
    """Return the text of the last message before ``place`` that somebody spoke; calls of tools lie between."""
    for earlier in range(place - 1, max(-1, place - 1 - _LOOKED_BACK), -1):
        given = messages[earlier]
        if not isinstance(given, (Mapping, Message)):
            continue
        message = given if isinstance(given, Message) else Message.from_chat(given)
        if message.role in ("user", "assistant") and message.text.strip():
            return message.text
    return ""


def _normalised(message: object) -> Message:
    whole = message if isinstance(message, Message) else Message.from_chat(message)
    text = remove_fenced(whole.text)
    return without_private_parts(whole if text == whole.text else replace(whole, text=text))


@dataclass(frozen=True, slots=True)
class _Counted:
    messages: int
    first: object
    last: object
    tokens: int


class TokenCounter:
    """Counts the tokens of growing histories: of a history that has grown only the new messages are looked at."""

    def __init__(self) -> None:
        self._counted: BoundedDict[str, _Counted] = BoundedDict(_SESSIONS)

    def count(self, session_key: str, messages: Sequence[object]) -> int:
        """Return the estimated tokens of ``messages``.

        That it has grown is told by the first and the last message that were there, which must be the same objects; a
        history that was cut, or that is made anew each time, is counted whole.
        """
        known = self._counted.get(session_key)
        total, start = 0, 0
        if (
            known is not None
            and 0 < known.messages <= len(messages)
            and messages[0] is known.first
            and messages[known.messages - 1] is known.last
        ):
            total, start = known.tokens, known.messages
        for index in range(start, len(messages)):
            total += tokens_of(messages[index])
        if messages:
            self._counted[session_key] = _Counted(len(messages), messages[0], messages[-1], total)
        return total


def tokens_of(message: object) -> int:
    """Return the estimated tokens of one chat message, tool calls included."""
    whole = message if isinstance(message, Message) else Message.from_chat(message)
    if whole.tokens:
        return whole.tokens
    calls = sum(estimate_tokens(str(call)) for call in whole.tool_calls)
    return estimate_tokens(whole.text) + calls + _MESSAGE_TOKENS
