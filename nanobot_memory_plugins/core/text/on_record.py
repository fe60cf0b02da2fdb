"""A host's history without what its user said off the record, told by the user's own words in it.

A host keeps such turns, dates them by its own clock, and hands them over later; of some the memory never heard, because
they had no time for it.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from nanobot_memory_plugins.core.text.off_record import OffRecord, off_record
from nanobot_memory_plugins.core.values import Message

# Each message of a history is looked at in every turn.
_wanted = lru_cache(maxsize=4_000)(off_record)


def on_record(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return as many messages, empty where the turn is off the record: it is marked so, or its conversation paused."""
    shown: list[Message] = []
    paused = hidden = False
    for message in messages:
        if message.role == "user" and message.text.strip():
            wanted = _wanted(message.text)
            hidden = paused or wanted in (OffRecord.MESSAGE, OffRecord.PAUSE)
            paused = wanted is not OffRecord.RESUME if paused else wanted is OffRecord.PAUSE
        shown.append(_emptied(message) if hidden else message)
    return tuple(shown)


def _emptied(message: Message) -> Message:
    raw = {name: value for name, value in message.raw.items() if name in ("role", "timestamp", "tool_call_id")}
    return replace(message, text="", tool_calls=(), raw=MappingProxyType({**raw, "content": ""}))
