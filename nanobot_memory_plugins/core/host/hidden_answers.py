"""Histories as plugins get them: without our own blocks, and without secrets that answer the message before.

A secret that one message tells is hidden in those behind it, too, where nothing says any more that it is one.
"""

from collections.abc import Iterable
from dataclasses import replace

from nanobot_memory_plugins.core.files.told_secrets import hide_told, told_in, without_asked
from nanobot_memory_plugins.core.text.fence import messages_without_fences
from nanobot_memory_plugins.core.text.private import without_private_parts
from nanobot_memory_plugins.core.values import Message

_SPEAKERS = ("user", "assistant")
# Messages at the end of a history that are read for secrets.
_READ_FOR_TOLD = 100


def plain_history(history: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's chat messages: out go our own blocks and private parts, and answers that are secrets.

    What a message tells as a secret is hidden in those behind it, among the last hundred.
    """
    from nanobot_memory_plugins.redaction.engine.turns import stays_told

    messages: list[Message] = []
    before = ""
    told: dict[str, None] = {}
    given = list(map(without_private_parts, messages_without_fences(history)))
    for place, message in enumerate(given):
        if message.role in _SPEAKERS and message.text.strip():
            if place < len(given) - _READ_FOR_TOLD:
                messages.append(with_text(message, without_asked(before, message.text)))
            else:
                messages.append(with_text(message, hide_told(hidden_answer(before, message).text, told)))
                told |= dict.fromkeys(filter(stays_told, told_in(message.text)))
            before = message.text
        else:
            messages.append(message)
    return tuple(messages)


def hidden_answer(before: str, message: Message) -> Message:
    """Return a message without the secret that ``before``, the text of the one before it, asks for or tells."""
    if message.role not in _SPEAKERS or not before:
        return message
    return with_text(message, hide_told(without_asked(before, message.text), told_in(before)))


def with_text(message: Message, text: str) -> Message:
    """Return a message with another text."""
    return message if text == message.text else replace(message, text=text, raw={**message.raw, "content": text})
