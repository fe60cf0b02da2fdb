"""Privacy marks in messages: private parts, private messages, and the commands that pause and resume the memory."""

import re
from collections.abc import Sequence

from nanobot_memory_plugins.core.values import Message

_PRIVATE_PARTS = re.compile(r"<private>.*?(?:</private>|\Z)", re.IGNORECASE | re.DOTALL)
_PRIVATE_COMMAND = re.compile(r"\s*/private\b", re.IGNORECASE)
_COMMANDS = {
    "memory pause": "pause",
    "pause memory": "pause",
    "暂停记忆": "pause",
    "记忆暂停": "pause",
    "暫停記憶": "pause",
    "memory resume": "resume",
    "resume memory": "resume",
    "恢复记忆": "resume",
    "记忆恢复": "resume",
    "恢復記憶": "resume",
}
_PUNCTUATION = " \t\r\n.!。！/"


def without_private(text: str) -> str:
    """Return a text without its ``<private>...</private>`` parts. An unclosed part extends to the end."""
    return _PRIVATE_PARTS.sub("", text) if "<" in text and _PRIVATE_PARTS.search(text) else text


def is_private(text: str) -> bool:
    """Return whether a message begins with ``/private``, so that neither it nor its answer is kept."""
    return _PRIVATE_COMMAND.match(text) is not None


def memory_command(text: str) -> str:
    """Return ``pause`` or ``resume`` when a message is exactly one of these commands, else ""."""
    return _COMMANDS.get(" ".join(text.casefold().split()).strip(_PUNCTUATION), "")


class OffRecordFilter:
    """Decides which messages of one conversation, given in order, must not be kept.

    These are private messages with their answers, the commands themselves, and all messages while the memory is paused.
    """

    def __init__(self) -> None:
        self._is_paused = self._is_turn_private = False

    def covers(self, role: str, text: str) -> bool:
        """Return whether the next message must not be kept."""
        if role == "user" and text.strip():
            command = memory_command(text)
            self._is_turn_private = is_private(text) or bool(command)
            self._is_paused = command != "resume" and (self._is_paused or command == "pause")
        return self._is_paused or self._is_turn_private


def keepable_messages(messages: Sequence[Message]) -> list[Message | None]:
    """Return the messages of a host's history, with None in place of those that must not be kept."""
    off_record = OffRecordFilter()
    return [None if off_record.covers(message.role, message.text) else message for message in messages]
