"""A host's history as plugins get it: without our own blocks, private parts, and secrets that occurred before.

A secret of one message is hidden in those after it, too, where nothing says any more that it is one.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from nanobot_memory_plugins.core.files.session_secrets import secrets_in, without_asked
from nanobot_memory_plugins.core.text.fence import messages_without_fences
from nanobot_memory_plugins.core.text.private import without_private_parts
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.message_key import message_key
from nanobot_memory_plugins.redaction.engine.turns import hide_values, is_lasting_secret

_SPEAKERS = ("user", "assistant")
# Messages at the end of a history that are read for secrets.
_READ_FOR_SECRETS = 100
# Role, separators and the like, which APIs send with each message.
_MESSAGE_TOKENS = 4


def plain_history(history: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's chat messages: our own blocks, private parts, and answers that are secrets are removed.

    A secret of one message is hidden in those after it, among the last hundred.
    """
    messages: list[Message] = []
    before = ""
    secrets: dict[str, None] = {}
    given = list(map(without_private_parts, messages_without_fences(history)))
    for place, message in enumerate(given):
        if message.role in _SPEAKERS and message.text.strip():
            text = without_asked(before, message.text)
            if place >= len(given) - _READ_FOR_SECRETS:
                text = hide_values(hide_values(text, secrets_in(before) if before else ()), secrets)
                secrets |= dict.fromkeys(filter(is_lasting_secret, secrets_in(message.text)))
            before = message.text
            message = with_text(message, text)
        messages.append(message)
    return tuple(messages)


def attributed(message: Message, unspoken: Container[str]) -> Message:
    """Return a message as the assistant's where no user said it: its key is among the ``unspoken``."""
    if message.role != "user" or not message.text or message_key("user", message.text) not in unspoken:
        return message
    return replace(message, role="assistant", raw={**message.raw, "role": "assistant"})


def with_text(message: Message, text: str) -> Message:
    """Return a message with another text."""
    return message if text == message.text else replace(message, text=text, raw={**message.raw, "content": text})


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
    """Return the estimated tokens of one chat message, tool calls included."""
    whole = message if isinstance(message, Message) else Message.from_chat(message)
    if whole.tokens:
        return whole.tokens
    calls = sum(estimate_tokens(str(call)) for call in whole.tool_calls)
    return estimate_tokens(whole.text) + calls + _MESSAGE_TOKENS
