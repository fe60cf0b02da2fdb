"""The messages that a host hands over: its history as plugins get it, and what its model is about to be asked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nanobot_memory_plugins.core.files.session_secrets import SessionSecrets
from nanobot_memory_plugins.core.text.conversation import message_tokens
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.text.summary_marker import find_earlier_summary
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from nanobot_memory_plugins.redaction.engine.turns import secrets_in

# Share of the window that a history may fill: the rest is for the system prompt, the tools and the answer.
HISTORY_SHARE = 0.7
_SPEAKERS = ("user", "assistant")
# Messages at the end of a history that are read for secrets.
_READ_FOR_SECRETS = 100


def plain_history(history: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's chat messages: our own blocks, private parts, and answers that are secrets are removed.

    A secret of one message is hidden in those after it, among the last hundred.
    """
    messages = list(messages_from_chat(history))
    secrets = SessionSecrets()
    for place, message in enumerate(messages):
        unfenced = replace(message, text=remove_fenced(message.text))
        text = without_private(unfenced.text) if message.role == "user" else unfenced.text
        if message.role in _SPEAKERS and text.strip():
            said, is_read = text, place >= len(messages) - _READ_FOR_SECRETS
            text = secrets.without(said)
            secrets.learn(said, secrets_in(said) if is_read else ())
        messages[place] = unfenced.with_text(text)
    return tuple(messages)


def without_media(message: Message) -> Message:
    """Return a message without the marks for its pictures and files: nobody said them."""
    content = message.raw.get("content")
    if not isinstance(content, tuple):
        return message
    marks = {f"[{part.get('type')}]" for part in content if isinstance(part, Mapping) and "text" not in part}
    text = "\n".join(line for line in message.text.split("\n") if line not in marks)
    return message if text == message.text else replace(message, text=text)


def spoken_text(message: object) -> str:
    """Return what a chat message says, as a turn gets it: without the marks of its pictures and files."""
    return without_media(Message.from_chat(message)).text


def tokens_of(message: object) -> int:
    """Return the estimated tokens of one chat message in any wire form."""
    return message_tokens(Message.from_chat(message))


@dataclass(frozen=True, slots=True)
class LastUserMessage:
    """The user's last message in a list: its text without pictures, and the messages before it.

    It ``is_unanswered`` where nobody has answered it yet, in words or with a call of a tool.
    """

    text: str
    preceding: Sequence[object]
    is_unanswered: bool


def last_user_message(messages: Sequence[object]) -> LastUserMessage:
    """Return the user's last message in a list of any wire form; its text is empty where there is none."""
    is_unanswered = True
    for index in range(len(messages) - 1, -1, -1):
        message = without_media(Message.from_chat(messages[index]))
        if message.role == "user":
            return LastUserMessage(message.text, messages[:index], is_unanswered)
        is_unanswered = is_unanswered and message.role == "system"
    return LastUserMessage("", messages, False)


def unanswered_messages(messages: Sequence[object]) -> Sequence[object]:
    """Return the user's messages at the end of a list that nobody has answered yet."""
    start = len(messages)
    while (asked := last_user_message(messages[:start])).is_unanswered and asked.text:
        start = len(asked.preceding)
    return messages[start:]


def with_block(messages: Sequence[Any], block: str | None, is_meant: Callable[[Message], bool]) -> list[Any]:
    """Return the messages in a new list, the last of the user's that ``is_meant`` with the block behind its text.

    Nothing that was handed over is changed. Messages that are no dicts are left alone.
    """
    made = list(messages)
    for index in range(len(made) - 1, -1, -1) if block else ():
        message = made[index]
        if not isinstance(message, Mapping):
            continue
        read = Message.from_chat(message)
        if read.role == "user" and is_meant(read):
            made[index] = _with_text(message, block or "")
            break
    return made


def _with_text(message: Mapping[str, Any], block: str) -> dict[str, Any]:
    content = message.get("content")
    if content is None and isinstance(given := message.get("parts"), (list, tuple)):
        return {**message, "parts": [*given, {"text": block}]}
    if isinstance(content, str):
        return {**message, "content": f"{content}\n\n{block}"}
    parts = list(content) if isinstance(content, (list, tuple)) else []
    kinds = {part.get("type") for part in parts if isinstance(part, Mapping)}
    kind = "input_text" if any(str(one).startswith("input_") for one in kinds) else "text"
    return {**message, "content": [*parts, {"type": kind, "text": block}]}


def compaction_arguments(
    messages: Sequence[object], is_asked: Callable[[Message], bool], window: int
) -> dict[str, Any] | None:
    """Return the arguments of a compaction of what precedes the last message that ``is_asked``.

    None while all fits into its share of the ``window``, in tokens, or there is nothing but an earlier summary.
    """
    if window <= 0:
        return None
    read = messages_from_chat(messages)
    tokens = list(map(tokens_of, read))
    if sum(tokens) <= window * HISTORY_SHARE:
        return None
    asked = max((index for index, one in enumerate(read) if is_asked(one)), default=len(read))
    earlier = find_earlier_summary(read[:asked])
    if asked <= (0 if earlier is None else earlier + 1):
        return None
    room = max(1, int(window * HISTORY_SHARE) - sum(tokens[asked:]))
    return {"messages": messages[:asked], "context_window": window, "room": room}
