"""The chat messages of a host: normalised for plugins, searched for the user's message, and extended by the block."""

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

# Share of the context window that a history may fill; the rest is for the system prompt, the tools and the answer.
HISTORY_SHARE = 0.7
_SPEAKERS = ("user", "assistant")
# Only this many messages at the end of a history are searched for secrets.
_SECRET_MESSAGES = 100


def plain_history(history: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's chat messages: remove our own blocks, private parts, and answers that are secrets.

    A secret found in one of the last hundred messages is hidden in the messages after it.
    """
    messages = list(messages_from_chat(history))
    secrets = SessionSecrets()
    for place, message in enumerate(messages):
        unfenced = replace(message, text=remove_fenced(message.text))
        text = without_private(unfenced.text) if message.role == "user" else unfenced.text
        if message.role in _SPEAKERS and text.strip():
            original, is_searched = text, place >= len(messages) - _SECRET_MESSAGES
            text = secrets.hide(original)
            secrets.learn(original, secrets_in(original) if is_searched else ())
        messages[place] = unfenced.with_text(text)
    return tuple(messages)


def without_media(message: Message) -> Message:
    """Return a message without the placeholders of its pictures and files, which nobody wrote."""
    content = message.raw.get("content")
    if not isinstance(content, tuple):
        return message
    labels = {f"[{part.get('type')}]" for part in content if isinstance(part, Mapping) and "text" not in part}
    text = "\n".join(line for line in message.text.split("\n") if line not in labels)
    return message if text == message.text else replace(message, text=text)


def spoken_text(message: object) -> str:
    """Return the text of a chat message without the placeholders of its pictures and files, as a turn needs it."""
    return without_media(Message.from_chat(message)).text


def tokens_of(message: object) -> int:
    """Return the estimated tokens of one chat message in any wire format."""
    return message_tokens(Message.from_chat(message))


@dataclass(frozen=True, slots=True)
class LastUserMessage:
    """The user's last message in a list: its text without pictures, and the messages before it.

    It ``is_unanswered`` while neither text nor a tool call follows it.
    """

    text: str
    preceding: Sequence[object]
    is_unanswered: bool


def last_user_message(messages: Sequence[object]) -> LastUserMessage:
    """Return the user's last message in a list of any wire format; its text is empty if there is none."""
    is_unanswered = True
    for index in range(len(messages) - 1, -1, -1):
        message = without_media(Message.from_chat(messages[index]))
        if message.role == "user":
            return LastUserMessage(message.text, messages[:index], is_unanswered)
        is_unanswered = is_unanswered and message.role == "system"
    return LastUserMessage("", messages, False)


def unanswered_messages(messages: Sequence[object]) -> Sequence[object]:
    """Return the user's messages at the end of a list that have no answer yet."""
    start = len(messages)
    while (last := last_user_message(messages[:start])).is_unanswered and last.text:
        start = len(last.preceding)
    return messages[start:]


def with_block(messages: Sequence[Any], block: str | None, is_target: Callable[[Message], bool]) -> list[Any]:
    """Return a new list of the messages, with the block after the text of the user's last message that ``is_target``.

    The given list and messages are not changed. Messages that are not dicts are skipped.
    """
    extended = list(messages)
    for index in range(len(extended) - 1, -1, -1) if block else ():
        message = extended[index]
        if not isinstance(message, Mapping):
            continue
        parsed = Message.from_chat(message)
        if parsed.role == "user" and is_target(parsed):
            extended[index] = _with_text(message, block or "")
            break
    return extended


def _with_text(message: Mapping[str, Any], block: str) -> dict[str, Any]:
    content = message.get("content")
    if content is None and isinstance(gemini_parts := message.get("parts"), (list, tuple)):
        return {**message, "parts": [*gemini_parts, {"text": block}]}
    if isinstance(content, str):
        return {**message, "content": f"{content}\n\n{block}"}
    parts = list(content) if isinstance(content, (list, tuple)) else []
    kinds = {part.get("type") for part in parts if isinstance(part, Mapping)}
    kind = "input_text" if any(str(one).startswith("input_") for one in kinds) else "text"
    return {**message, "content": [*parts, {"type": kind, "text": block}]}


def compaction_arguments(
    messages: Sequence[object], is_target: Callable[[Message], bool], window: int
) -> dict[str, Any] | None:
    """Return the arguments for compacting everything before the last message that ``is_target``.

    Returns None if everything fits into its share of the ``window`` (in tokens), or only an earlier summary precedes.
    """
    if window <= 0:
        return None
    parsed = messages_from_chat(messages)
    tokens = list(map(tokens_of, parsed))
    if sum(tokens) <= window * HISTORY_SHARE:
        return None
    end = max((index for index, one in enumerate(parsed) if is_target(one)), default=len(parsed))
    summary = find_earlier_summary(parsed[:end])
    if end <= (0 if summary is None else summary + 1):
        return None
    room = max(1, int(window * HISTORY_SHARE) - sum(tokens[end:]))
    return {"messages": messages[:end], "context_window": window, "room": room}
