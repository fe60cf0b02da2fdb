"""Messages as the text that a model summarises."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nanobot_memory_plugins.compaction.excerpts import cut, one_line, tidy
from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.text.conversation import excerpt
from nanobot_memory_plugins.core.text.fence import Language

_ARGUMENT_CHARS = 300
_NAME_CHARS = 64
_ROLES = ("user", "assistant", "system", "tool", "function", "developer")


def entry(message: Message, limit: int, redact: Callable[[str], str] = str) -> str:
    """Return one message as labelled text of about ``limit`` tokens at most, or nothing when it says nothing.

    Secrets are hidden by ``redact`` before anything is cut: a piece of one would not be known any more.
    """
    who = label(replace(message, name=redact(message.name))) if message.name else label(message)
    text = tidy(excerpt(redact(message.text), limit)).strip()
    if not message.tool_calls:
        return f"{who}: {text}" if text else ""
    calls = [f"{who} calls {_call(call, redact)}" for call in message.tool_calls]
    return "\n".join([f"{who}: {text}", *calls] if text else calls)


def label(message: Message) -> str:
    """Return who speaks; a role that no API knows counts as the user's."""
    role = message.role if message.role in _ROLES else "user"
    if not message.name:
        return role
    name = one_line(tidy(message.name[:_NAME_CHARS]), _NAME_CHARS)
    return f"{role} {name}" if name else role


def _call(call: Mapping[str, Any], redact: Callable[[str], str]) -> str:
    function = call.get("function")
    inner: Mapping[str, Any] = function if isinstance(function, Mapping) else call
    arguments = inner.get("arguments", "")
    if not isinstance(arguments, str):
        arguments = _as_json(arguments)
    name = one_line(tidy(redact(str(inner.get("name") or "a tool"))[:_NAME_CHARS]), _NAME_CHARS)
    arguments = redact(arguments)
    return f"{name}({one_line(tidy(arguments[: 4 * _ARGUMENT_CHARS]), _ARGUMENT_CHARS)})"


def _as_json(value: object) -> str:
    """Return frozen arguments as JSON; what JSON does not know is named by its type."""

    def known(other: object) -> object:
        return dict(other) if isinstance(other, Mapping) else type(other).__name__

    try:
        return json.dumps(value, ensure_ascii=False, default=known)
    except (ValueError, TypeError, RecursionError):
        return "…"


# Messages that are too large for a summary call.
_SHOWN = 5
_END_CHARS = 80

_HEAD = {
    "en": "Left out because of their size ({count} messages, about {tokens:,} tokens):",
    "zh": "因过大而略去（{count}条消息，约{tokens:,}个token）：",
}
_LINE = {
    "en": '- {label}, about {tokens:,} tokens: "{begin}" … "{end}"',
    "zh": "- {label}，约{tokens:,}个token：“{begin}”……“{end}”",
}


def note_left_out(messages: Sequence[Message], sizes: Sequence[int], *, limit: int, language: Language) -> str:
    """Return a note of the messages that no summary call saw whole, at most ``limit`` tokens; nothing without any."""
    if not messages:
        return ""
    lines = [_HEAD[language].format(count=len(messages), tokens=sum(sizes))]
    for message, size in list(zip(messages, sizes, strict=True))[-_SHOWN:]:
        begin, end = _ends(message.text)
        lines.append(_LINE[language].format(label=label(message), tokens=size, begin=begin, end=end))
    return cut("\n".join(lines), limit)


def _ends(text: str) -> tuple[str, str]:
    begin = one_line(tidy(text[: 4 * _END_CHARS]), _END_CHARS)
    end = " ".join(tidy(text[-2 * _END_CHARS :]).split())[-_END_CHARS:]
    return begin, end
