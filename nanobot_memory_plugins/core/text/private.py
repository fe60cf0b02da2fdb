"""What a message says of itself: that parts of it are private, or that the memory is to pause or to go on."""

import re
from collections.abc import Sequence

from nanobot_memory_plugins.core.values import Message

_PARTS = re.compile(r"<private>.*?(?:</private>|\Z)", re.IGNORECASE | re.DOTALL)
_PRIVATE = re.compile(r"\s*/private\b", re.IGNORECASE)
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
_AROUND = " \t\r\n.!。！/"


def without_private(text: str) -> str:
    """Return a text without its ``<private>...</private>`` parts; one that is not closed goes to the end."""
    return _PARTS.sub("", text) if "<" in text and _PARTS.search(text) else text


def is_private(text: str) -> bool:
    """Return whether a message begins with ``/private``: neither it nor its answer is kept."""
    return _PRIVATE.match(text) is not None


def memory_command(text: str) -> str:
    """Return ``pause`` or ``resume`` where a message is that order in its exact words, else nothing."""
    return _COMMANDS.get(" ".join(text.casefold().split()).strip(_AROUND), "")


class OffRecordFilter:
    """Tells of the messages of one conversation, given in order, which may not be kept.

    Those are private messages with what answers them, and all between the words that pause the memory and those that
    go on with it.
    """

    def __init__(self) -> None:
        self._is_paused = self._is_out = False

    def covers(self, role: str, text: str) -> bool:
        """Return whether the next message may not be kept."""
        if role == "user" and text.strip():
            command = memory_command(text)
            self._is_out = is_private(text) or bool(command)
            self._is_paused = command != "resume" and (self._is_paused or command == "pause")
        return self._is_paused or self._is_out


def keepable_messages(messages: Sequence[Message]) -> list[Message | None]:
    """Return of a host's history what may be kept, each message in its place."""
    off_record = OffRecordFilter()
    return [None if off_record.covers(one.role, one.text) else one for one in messages]
