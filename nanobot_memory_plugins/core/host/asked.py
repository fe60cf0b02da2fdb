"""What a host's list of messages asks: the user's last message, and what stands before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.core.host.said_before import without_media
from nanobot_memory_plugins.core.values import Message


@dataclass(frozen=True, slots=True)
class Asked:
    """The user's last message in a list: its text without pictures, and the messages before it.

    It ``is_new`` where nobody has answered it yet, in words or with a call of a tool.
    """

    text: str
    before: Sequence[object]
    is_new: bool


def asked_in(messages: Sequence[object]) -> Asked:
    """Return the user's last message in a list of any wire form; its text is empty where there is none."""
    is_new = True
    for index in range(len(messages) - 1, -1, -1):
        given = messages[index]
        message = without_media(given if isinstance(given, Message) else Message.from_chat(given))
        if message.role == "user":
            return Asked(message.text, messages[:index], is_new)
        is_new = is_new and message.role == "system"
    return Asked("", messages, False)


def unanswered_in(messages: Sequence[object]) -> Sequence[object]:
    """Return the user's messages at the end of a list that nobody has answered yet."""
    start = len(messages)
    while (asked := asked_in(messages[:start])).is_new and asked.text:
        start = len(asked.before)
    return messages[start:]
