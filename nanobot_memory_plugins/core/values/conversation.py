"""Who said what: messages, in whichever form a host holds them, and origins."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

# What others call the four roles.
_ROLES = {"developer": "system", "human": "user", "ai": "assistant", "model": "assistant"}
# How deep `freeze` follows nested values; chat messages and tool arguments are far flatter.
_FREEZE_DEPTH = 64
_IMMUTABLE = frozenset({str, int, float, bool, type(None)})
_RESULT = "tool_result"
# What a model thought, what it called, and what came back: none of it was said.
_NOT_TEXT = ("thinking", "redacted_thinking", "tool_use", "server_tool_use", _RESULT)
# Of a longer text only both ends are hashed, and its length.
_HASHED = 1 << 16


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
        plain = _chat_form(message)
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


def message_key(role: str, text: str) -> str:
    """Return a short digest of a message, the same in every process and however its text is wrapped.

    By it one is known again that has no id: hosts give none, cut histories anywhere, and trim texts.
    """
    plain = " ".join(text.split())
    if len(plain) > 2 * _HASHED:
        plain = f"{plain[:_HASHED]}\0{len(plain)}\0{plain[-_HASHED:]}"
    return hashlib.blake2b(f"{role}\0{plain}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


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


# Messages that role and text alone do not describe: Anthropic's blocks, items of Responses, Gemini's parts.


def _chat_form(message: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a message in the form of chat completions; one that has this form, or none that is known, as it is."""
    kind, content = message.get("type"), message.get("content")
    if "role" not in message and content is None and isinstance(kind, str):
        return _of_item(kind, message)
    if message.get("spoken") is False and message.get("role") == "user":
        return {**message, "role": "assistant"}
    if content is None and isinstance(parts := message.get("parts"), (list, tuple)):
        return _of_parts(message, [part for part in parts if isinstance(part, Mapping)])
    return _of_blocks(message, content) if isinstance(content, (list, tuple)) else message


def _of_blocks(message: Mapping[Any, Any], content: Sequence[Any]) -> Mapping[Any, Any]:
    """Return what a message with Anthropic's blocks is."""
    kinds = [part.get("type") if isinstance(part, Mapping) else None for part in content]
    if not any(kind in _NOT_TEXT for kind in kinds):
        return message
    texts = [part for part, kind in zip(content, kinds, strict=True) if kind not in _NOT_TEXT]
    results = [part for part, kind in zip(content, kinds, strict=True) if kind == _RESULT]
    if results and not texts:
        return {**message, "role": "tool", "content": results, "tool_call_id": results[0].get("tool_use_id")}
    uses = [part for part, kind in zip(content, kinds, strict=True) if kind == "tool_use"]
    calls = [_call(part.get("id"), part.get("name"), part.get("input")) for part in uses]
    return {**message, "content": texts, "tool_calls": calls}


def _of_parts(message: Mapping[Any, Any], parts: Sequence[Mapping[Any, Any]]) -> dict[Any, Any]:
    """Return what a content of Gemini's API is, in its JSON or as its Python package dumps it."""
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
    called = [_either(part, "function_call", "functionCall") for part in parts]
    calls = [
        _call(one.get("id") or one.get("name"), one.get("name"), one.get("args") or {})
        for one in called
        if isinstance(one, Mapping)
    ]
    answered = [_either(part, "function_response", "functionResponse") for part in parts]
    results = [one for one in answered if isinstance(one, Mapping)]
    if results and not texts and not calls:
        first, answers = results[0], [str(one.get("response")) for one in results]
        call_id = first.get("id") or first.get("name")
        return {"role": "tool", "content": answers, "tool_call_id": call_id, "name": first.get("name")}
    role = "assistant" if calls else message.get("role")
    return {"role": role, "content": texts, "tool_calls": calls, "name": message.get("name")}


def _of_item(kind: str, message: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return what an item of Responses is that is no message."""
    if kind in ("function_call", "custom_tool_call"):
        given = message.get("arguments", message.get("input"))
        calls = [_call(message.get("call_id") or message.get("id"), message.get("name"), given)]
        return {"role": "assistant", "tool_calls": calls, "name": message.get("name")}
    if kind.endswith("_output"):
        return {"role": "tool", "content": message.get("output"), "tool_call_id": message.get("call_id")}
    return {"role": "assistant"}


def _either(part: Mapping[Any, Any], name: str, in_json: str) -> object:
    found: object = part.get(name)
    return part.get(in_json) if found is None else found


def _call(id_: object, name: object, arguments: object) -> dict[str, Any]:
    return {
        "id": str(id_ or ""),
        "type": "function",
        "function": {"name": str(name or ""), "arguments": arguments},
    }
