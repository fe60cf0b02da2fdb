"""Chat messages, normalised from the forms that hosts use, and the origins of texts."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

# Names of other APIs for the four roles.
_ROLES = {"developer": "system", "human": "user", "ai": "assistant", "model": "assistant"}
# How deep `freeze` follows nested values; chat messages and tool arguments are far flatter.
_FREEZE_DEPTH = 64
_IMMUTABLE = frozenset({str, int, float, bool, type(None)})
_RESULT = "tool_result"
# Blocks with a model's reasoning, its tool calls and their results: none of these is a text that somebody said.
_NON_TEXT_BLOCKS = ("thinking", "redacted_thinking", "tool_use", "server_tool_use", _RESULT)
# Of a text more than twice as long, only this many characters of either end are hashed, and its length.
_HASHED_CHARS = 1 << 16


class Origin(StrEnum):
    """The origin of a text, kept from its capture to the prompt.

    ``notes`` is for imported files of the user's: the user's own text, though never said to the assistant.
    """

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    WEB = "web"
    SUMMARY = "summary"
    NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message, normalised from the host's dict.

    ``text`` is the readable part of the content. ``raw`` is the original message, frozen. ``tokens`` is the size of the
    host's own message where ``text`` replaces its content, else 0.
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
        """Normalise one chat message; return a `Message` unchanged. A missing or invalid field becomes empty text.

        The message is a dict of chat completions, Anthropic's messages, Responses or Gemini's contents. A user message
        with ``"spoken": False`` was not written by the user, and counts as the assistant's.
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
        """Return a copy of the message with another text."""
        return self if text == self.text else replace(self, text=text, raw={**self.raw, "content": text})


def messages_from_chat(messages: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's list of chat messages."""
    return tuple(map(Message.from_chat, messages))


def message_key(role: str, text: str) -> str:
    """Return a short digest of a message, the same in every process and for any white space in its text.

    It identifies messages, since hosts give them no ids, cut histories anywhere, and trim texts.
    """
    words = " ".join(text.split())
    if len(words) > 2 * _HASHED_CHARS:
        words = f"{words[:_HASHED_CHARS]}\0{len(words)}\0{words[-_HASHED_CHARS:]}"
    return hashlib.blake2b(f"{role}\0{words}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def freeze(value: object, _depth: int = _FREEZE_DEPTH) -> Any:
    """Return a deep copy of read-only mappings and tuples, so that no plugin can change the value for others."""
    if type(value) in _IMMUTABLE:
        return value
    if _depth == 0:
        return str(type(value))
    if type(value) is dict or isinstance(value, Mapping):
        # Most values of a message are texts: skipping the call for them halves the time.
        return MappingProxyType(
            {str(key): item if type(item) is str else freeze(item, _depth - 1) for key, item in value.items()}
        )
    if isinstance(value, (list, tuple, set, frozenset)):
        return tuple(freeze(item, _depth - 1) for item in value)
    if isinstance(value, bytearray):
        return bytes(value)
    return value


def _content_text(content: object) -> str:
    """Return the text of a message's content: a string, bytes, a part, a list of these, or None."""
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
    return f"[{kind}]" if isinstance(kind, str) else ""  # a placeholder for an image or a file


# Conversion from other APIs to the form of chat completions.


def _chat_form(message: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a message in the form of chat completions. A message in an unknown form is returned unchanged."""
    kind, content = message.get("type"), message.get("content")
    if "role" not in message and content is None and isinstance(kind, str):
        return _from_responses_item(kind, message)
    if message.get("spoken") is False and message.get("role") == "user":
        return {**message, "role": "assistant"}
    if content is None and isinstance(parts := message.get("parts"), (list, tuple)):
        return _from_gemini_parts(message, [part for part in parts if isinstance(part, Mapping)])
    return _from_anthropic_blocks(message, content) if isinstance(content, (list, tuple)) else message


def _from_anthropic_blocks(message: Mapping[Any, Any], content: Sequence[Any]) -> Mapping[Any, Any]:
    """Convert a message with Anthropic's content blocks."""
    kinds = [part.get("type") if isinstance(part, Mapping) else None for part in content]
    if not any(kind in _NON_TEXT_BLOCKS for kind in kinds):
        return message
    texts = [part for part, kind in zip(content, kinds, strict=True) if kind not in _NON_TEXT_BLOCKS]
    results = [part for part, kind in zip(content, kinds, strict=True) if kind == _RESULT]
    if results and not texts:
        return {**message, "role": "tool", "content": results, "tool_call_id": results[0].get("tool_use_id")}
    uses = [part for part, kind in zip(content, kinds, strict=True) if kind == "tool_use"]
    calls = [_tool_call(part.get("id"), part.get("name"), part.get("input")) for part in uses]
    return {**message, "content": texts, "tool_calls": calls}


def _from_gemini_parts(message: Mapping[Any, Any], parts: Sequence[Mapping[Any, Any]]) -> dict[Any, Any]:
    """Convert a content of Gemini's API, in its JSON form or as its Python package dumps it."""
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
    function_calls = [_either(part, "function_call", "functionCall") for part in parts]
    calls = [
        _tool_call(call.get("id") or call.get("name"), call.get("name"), call.get("args") or {})
        for call in function_calls
        if isinstance(call, Mapping)
    ]
    responses = [_either(part, "function_response", "functionResponse") for part in parts]
    results = [response for response in responses if isinstance(response, Mapping)]
    if results and not texts and not calls:
        first, answers = results[0], [str(result.get("response")) for result in results]
        call_id = first.get("id") or first.get("name")
        return {"role": "tool", "content": answers, "tool_call_id": call_id, "name": first.get("name")}
    role = "assistant" if calls else message.get("role")
    return {"role": role, "content": texts, "tool_calls": calls, "name": message.get("name")}


def _from_responses_item(kind: str, message: Mapping[Any, Any]) -> dict[Any, Any]:
    """Convert an item of the Responses API that is not a message."""
    if kind in ("function_call", "custom_tool_call"):
        arguments = message.get("arguments", message.get("input"))
        calls = [_tool_call(message.get("call_id") or message.get("id"), message.get("name"), arguments)]
        return {"role": "assistant", "tool_calls": calls, "name": message.get("name")}
    if kind.endswith("_output"):
        return {"role": "tool", "content": message.get("output"), "tool_call_id": message.get("call_id")}
    return {"role": "assistant"}


def _either(part: Mapping[Any, Any], name: str, json_name: str) -> object:
    found: object = part.get(name)
    return part.get(json_name) if found is None else found


def _tool_call(id_: object, name: object, arguments: object) -> dict[str, Any]:
    return {
        "id": str(id_ or ""),
        "type": "function",
        "function": {"name": str(name or ""), "arguments": arguments},
    }
