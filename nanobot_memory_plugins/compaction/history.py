"""Groups a history into units that compaction does not split.

A unit is one message, or a message that calls tools and everything up to the last of their results.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core import Message

_TOOL_ROLES = ("tool", "function")


@dataclass(frozen=True, slots=True)
class Unit:
    """Messages ``start`` to ``stop`` (exclusive) of a history, and their number of tokens."""

    start: int
    stop: int
    tokens: int

    @property
    def count(self) -> int:
        """The number of messages."""
        return self.stop - self.start


def group_into_units(messages: Sequence[Message], sizes: Sequence[int]) -> list[Unit]:
    """Return the units of a history in order. Together they cover all messages.

    ``sizes`` are the tokens of each message. A result belongs to the last preceding call with its id. A result without
    such a call belongs to the calls that it directly follows, or is a unit of its own.
    """
    ends = _last_results(messages)
    units = []
    start = 0
    while start < len(messages):
        stop = start + 1
        position = start
        while position < stop:
            stop = max(stop, ends.get(position, position) + 1)
            position += 1
        units.append(Unit(start, stop, sum(sizes[start:stop])))
        start = stop
    return units


def _last_results(messages: Sequence[Message]) -> dict[int, int]:
    """Return, for each message that calls tools, the index of its last result."""
    calls: dict[str, int] = {}
    ends: dict[int, int] = {}
    directly_before: int | None = None
    for index, message in enumerate(messages):
        # Calls and results may also be parts of the content, or in a separate field.
        has_other_forms = isinstance(message.raw.get("content"), tuple) or "function_call" in message.raw
        if not (message.tool_calls or message.tool_call_id or has_other_forms) and message.role not in _TOOL_ROLES:
            directly_before = None
            continue
        new_calls = call_ids(message)
        answered = [calls[id_] for id_ in result_ids(message) if id_ in calls]
        for caller in answered:
            ends[caller] = index
        if message.role in _TOOL_ROLES:
            if not answered and directly_before is not None:
                ends[directly_before] = index
        else:
            directly_before = index if new_calls else None
        for id_ in new_calls:
            calls[id_] = index
    return ends


def call_ids(message: Message) -> list[str]:
    """Return the ids of a message's tool calls. A call without an id has an empty one."""
    ids = [_id(call.get("id")) for call in message.tool_calls]
    ids += [_id(part.get("id")) for part in _parts(message) if part.get("type") == "tool_use"]
    if not ids and message.raw.get("function_call"):
        ids.append("")
    return ids


def result_ids(message: Message) -> list[str]:
    """Return the ids of the calls whose results a message contains."""
    ids = [message.tool_call_id] if message.tool_call_id else []
    return ids + [_id(part.get("tool_use_id")) for part in _parts(message) if part.get("type") == "tool_result"]


def _id(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _parts(message: Message) -> Iterator[Mapping[str, Any]]:
    content = message.raw.get("content")
    if isinstance(content, tuple):
        yield from (part for part in content if isinstance(part, Mapping))
