"""A block beside the user's message: in a request, and nowhere else."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.core.values import Message


def with_block(messages: Sequence[Any], block: str | None, is_meant: Callable[[Message], bool]) -> list[Any]:
    """Return the messages in a new list, the last of the user's that ``is_meant`` with the block behind its text.

    Nothing that was handed over is changed. Messages that are no dicts are left alone.
    """
    made = list(messages)
    if not block:
        return made
    for index in range(len(made) - 1, -1, -1):
        message = made[index]
        if not isinstance(message, Mapping):
            continue
        read = Message.from_chat(message)
        if read.role == "user" and is_meant(read):
            made[index] = _with_text(message, block)
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
