"""Who said what: messages and origins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.values.wire_forms import chat_form

# What others call the four roles.
_ROLES = {"developer": "system", "human": "user", "ai": "assistant", "model": "assistant"}
# How deep `freeze` follows nested values; chat messages and tool arguments are far flatter.
_FREEZE_DEPTH = 64
_IMMUTABLE = frozenset({str, int, float, bool, type(None)})


class Origin(StrEnum):
    """Where a text came from. It is kept from capture to prompt.

    ``notes`` are files of the user's that were imported: the user's, and not yet said to anybody.
    """

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    WEB = "web"
    SUMMARY = "summary"
    NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message, normalised from the dict that the host holds.

    ``text`` is the readable part of the content, whatever its form was. ``raw`` is the whole
    message as it came, frozen. ``tokens`` are those of the host's own message where another text replaces it,
    else 0.
    """

    role: str
    text: str
    name: str = ""
    tool_call_id: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    tokens: int = 0

    @classmethod
    def from_chat(cls, message: object) -> "Message":
        """Normalise one chat message, if it is not; what is missing or of the wrong type becomes empty text.

        It is a dict of chat completions, of Anthropic's messages, of Responses or of Gemini's contents. One of a user
        with ``"spoken": False`` is no word of the user's, and read as the assistant's.
        """
        if isinstance(message, cls):
            return message
        if not isinstance(message, Mapping):
            return cls(role="user", text=_content_text(message))
        plain = chat_form(message)
        role, calls = str(plain.get("role") or "user"), plain.get("tool_calls")
        return cls(
            role=_ROLES.get(role, role),
            text=_content_text(plain.get("content")),
            name=str(plain.get("name") or ""),
            tool_call_id=str(plain.get("tool_call_id") or ""),
            tool_calls=tuple(freeze(call) for call in calls if isinstance(call, Mapping))
            if isinstance(calls, (list, tuple))
            else (),
            raw=freeze(message),
        )

    def with_text(self, text: str) -> "Message":
        """Return the message with another text."""
        return self if text == self.text else replace(self, text=text, raw={**self.raw, "content": text})


def messages_from_chat(messages: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's list of chat messages."""
    return tuple(map(Message.from_chat, messages))


def freeze(value: object, _depth: int = _FREEZE_DEPTH) -> Any:
    """Copy ``value`` deeply into read-only mappings and tuples, so that no plugin can change it for others."""
    if type(value) in _IMMUTABLE:
        return value
    if _depth == 0:
        return str(type(value))
    if type(value) is dict or isinstance(value, Mapping):
        # Most of what a message holds is text: not calling for each halves the time.
        return MappingProxyType(
            {str(key): item if type(item) is str else freeze(item, _depth - 1) for key, item in value.items()}
        )
    if isinstance(value, (list, tuple, set, frozenset)):
        return tuple(freeze(item, _depth - 1) for item in value)
    if isinstance(value, bytearray):
        return bytes(value)
    return value


def _content_text(content: object) -> str:
    """Return the text of a message's content: a string, bytes, a list of parts, or nothing."""
    if content is None:
        return ""
    if isinstance(content, (bytes, bytearray)):
        return bytes(content).decode("utf-8", errors="replace")
    if isinstance(content, (list, tuple)):
        return "\n".join(filter(None, map(_content_text, content)))
    if not isinstance(content, Mapping):
        return str(content)
    for key in ("text", "content", "input_text", "output_text"):
        if key in content:
            return _content_text(content[key])
    kind = content.get("type")
    return f"[{kind}]" if isinstance(kind, str) else ""  # an image or a file leaves a short mark
