"""Messages as redacted text for the model that summarises them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.files.memory_files import REDACTION_FAILED
from nanobot_memory_plugins.core.host.privacy import OMITTED
from nanobot_memory_plugins.core.text.conversation import GAP, excerpt, function_of
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.tokens import cut
from nanobot_memory_plugins.redaction.script.printable import printable

# Characters of a text that are used, half from either end, which is more than any excerpt needs.
_TEXT_CHARS = 200_000
_ARGUMENT_CHARS = 300
_NAME_CHARS = 64
_ROLES = ("user", "assistant", "system", "tool", "function", "developer")


def redact_message(message: Message, redact: Callable[[str], str]) -> Message:
    """Return a message redacted before it is cut, since a part of a secret would not be recognised."""
    return replace(
        message,
        text=safe_text(message.text, redact),
        name=message.name and one_line(safe_text(message.name, redact), _NAME_CHARS),
        tool_calls=message.tool_calls and tuple(_safe_call(call, redact) for call in message.tool_calls),
    )


def safe_text(text: str, redact: Callable[[str], str]) -> str:
    """Return a text without secrets and control characters, or a placeholder when redaction fails."""
    half = _TEXT_CHARS // 2
    ends = [text] if len(text) <= _TEXT_CHARS else [text[:half], text[-half:]]
    try:
        return printable(GAP.join(map(redact, filter(None, ends))), control=" ")
    except Exception:  # a text that cannot be redacted must not be shown
        return REDACTION_FAILED


def _safe_call(call: Mapping[str, Any], redact: Callable[[str], str]) -> dict[str, str]:
    inner = function_of(call)
    name, arguments = str(inner.get("name") or ""), inner.get("arguments", "")
    text = arguments if isinstance(arguments, str) else _as_json(arguments)
    return {
        "name": one_line(safe_text(name, redact), _NAME_CHARS),
        "arguments": one_line(safe_text(text, redact), _ARGUMENT_CHARS),
    }


def render_message(message: Message, limit: int) -> str:
    """Return a message as labelled text of about ``limit`` tokens, or "" when it is empty."""
    who, text = label(message), "" if message.text == OMITTED else excerpt(message.text, limit).strip()
    calls = [f"{who} calls {call['name'] or 'a tool'}({call['arguments']})" for call in message.tool_calls]
    return "\n".join([f"{who}: {text}", *calls] if text else calls)


def label(message: Message) -> str:
    """Return the speaker of a message. An unknown role counts as the user."""
    role = message.role if message.role in _ROLES else "user"
    return f"{role} {message.name}" if message.name else role


def one_line(text: str, chars: int) -> str:
    """Return the beginning of ``text`` on one line, at most ``chars`` characters long."""
    line = " ".join(text[: 4 * chars].split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def _as_json(value: object) -> str:
    """Return frozen arguments as JSON, with the name of its type in place of any other object."""

    def to_json_type(other: object) -> object:
        return dict(other) if isinstance(other, Mapping) else type(other).__name__

    try:
        return json.dumps(value, ensure_ascii=False, default=to_json_type)
    except (ValueError, TypeError, RecursionError):
        return "…"


# The number of oversized messages that the note lists, and the characters that it quotes from either end.
_MOST_LISTED = 5
_END_CHARS = 80

_NOTE_HEADING = {
    "en": "Left out because of their size ({count} messages, about {tokens:,} tokens):",
    "zh": "因过大而略去（{count}条消息，约{tokens:,}个token）：",
}
_NOTE_LINE = {
    "en": '- {label}, about {tokens:,} tokens: "{begin}" … "{end}"',
    "zh": "- {label}，约{tokens:,}个token：“{begin}”……“{end}”",
}


def note_left_out(messages: Sequence[Message], sizes: Sequence[int], *, limit: int, language: Language) -> str:
    """Return a note about the messages that the model did not see whole, of at most ``limit`` tokens, or ""."""
    if not messages:
        return ""
    lines = [_NOTE_HEADING[language].format(count=len(messages), tokens=sum(sizes))]
    for message, size in list(zip(messages, sizes, strict=True))[-_MOST_LISTED:]:
        begin, end = one_line(message.text, _END_CHARS), " ".join(message.text[-2 * _END_CHARS :].split())[-_END_CHARS:]
        lines.append(_NOTE_LINE[language].format(label=label(message), tokens=size, begin=begin, end=end))
    return cut("\n".join(lines), limit)
