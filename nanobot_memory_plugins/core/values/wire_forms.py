"""Messages that role and text alone do not describe: Anthropic's blocks, items of Responses, Gemini's parts, tuples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# What others call the four roles.
ROLES = {"developer": "system", "human": "user", "ai": "assistant", "model": "assistant"}
_CALLS = ("function_call", "custom_tool_call")
_RESULT = "tool_result"
# What a model thought, what it called, and what came back: none of it was said.
_NOT_TEXT = ("thinking", "redacted_thinking", "tool_use", "server_tool_use", _RESULT)


@dataclass(frozen=True, slots=True)
class WireForm:
    """What a message is. ``content`` is what its text is made of."""

    role: str
    content: object
    calls: tuple[Mapping[str, Any], ...] = ()
    call_id: str = ""
    name: str = ""


def wire_form(message: Mapping[Any, Any]) -> WireForm | None:
    """Return what a message is whose form is a special one, or None for an ordinary one of chat completions."""
    kind, content = message.get("type"), message.get("content")
    if "role" not in message and content is None and isinstance(kind, str):
        return _item(kind, message)
    if message.get("spoken") is False and message.get("role") == "user":
        return WireForm("assistant", content)
    if content is None and isinstance(parts := message.get("parts"), (list, tuple)):
        return _content(message, [part for part in parts if isinstance(part, Mapping)])
    if not isinstance(content, (list, tuple)):
        return None
    kinds = [part.get("type") if isinstance(part, Mapping) else None for part in content]
    if not any(kind in _NOT_TEXT for kind in kinds):
        return None
    said = [part for part, kind in zip(content, kinds, strict=True) if kind not in _NOT_TEXT]
    results = [part for part, kind in zip(content, kinds, strict=True) if kind == _RESULT]
    if results and not said:
        return WireForm("tool", results, call_id=_text(results[0].get("tool_use_id")))
    uses = [part for part, kind in zip(content, kinds, strict=True) if kind == "tool_use"]
    calls = tuple(_call(part.get("id"), part.get("name"), part.get("input")) for part in uses)
    return WireForm(_role(message), said, calls)


def apart(message: object) -> Iterator[object]:
    """Yield a message as one for each result of a tool that it carries, and the rest of it; any other as it is."""
    if not isinstance(message, Mapping):
        yield message
        return
    place = "content" if message.get("content") is not None else "parts"
    content = message.get(place)
    if not isinstance(content, (list, tuple)):
        yield message
        return
    results = [part for part in content if isinstance(part, Mapping) and _is_result(part)]
    rest = [part for part in content if part not in results]
    if not results or (len(results) == 1 and not rest):
        yield message
        return
    if place == "parts" and rest:  # what is said there comes before the results, as what was called does
        yield {**message, place: rest}
    for part in results:
        yield {**message, place: [part]}
    if place == "content" and rest:
        yield {**message, place: rest}


def from_tuple(message: tuple[Any, ...]) -> dict[str, Any] | None:
    """Return ``(role, text)``, ``(role, text, calls)`` or ``(role, text, calls, call_id)`` as a message, else None.

    Each of the calls is ``(id, name, arguments)``.
    """
    if not 2 <= len(message) <= 4 or not all(isinstance(one, str) for one in message[:2]):
        return None
    role, text, calls, call_id = (*message, (), "")[:4] if len(message) < 4 else message
    made: dict[str, Any] = {"role": role, "content": text}
    if isinstance(calls, Sequence) and calls:
        made["tool_calls"] = [_call(*one) for one in calls if isinstance(one, tuple) and len(one) == 3]
    if len(message) == 4 and call_id:
        made["tool_call_id"] = call_id
    return made


def _is_result(part: Mapping[Any, Any]) -> bool:
    return part.get("type") == _RESULT or _either(part, "function_response") is not None


def _content(message: Mapping[Any, Any], parts: list[Mapping[Any, Any]]) -> WireForm:
    """Return what a content of Gemini's API is, in its JSON or as its Python package dumps it."""
    said = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
    called = [one for part in parts if isinstance(one := _either(part, "function_call"), Mapping)]
    calls = tuple(_call(one.get("id") or one.get("name"), one.get("name"), one.get("args") or {}) for one in called)
    results = [one for part in parts if isinstance(one := _either(part, "function_response"), Mapping)]
    if results and not said and not calls:
        name = _text(results[0].get("name"))
        answers = [str(one.get("response")) for one in results]
        return WireForm("tool", answers, call_id=_text(results[0].get("id")) or name, name=name)
    return WireForm("assistant" if calls else _role(message), said, calls)


def _either(part: Mapping[Any, Any], name: str) -> object:
    """Return a value by its name in Python, or in JSON."""
    first, _, second = name.partition("_")
    found: object = part.get(name)
    return part.get(first + second.capitalize()) if found is None else found


def _item(kind: str, message: Mapping[Any, Any]) -> WireForm | None:
    """Return what an item of Responses is that is no message."""
    if kind in _CALLS:
        given = message.get("arguments", message.get("input"))
        call = _call(message.get("call_id") or message.get("id"), message.get("name"), given)
        return WireForm("assistant", "", (call,))
    if kind.endswith("_output"):
        return WireForm("tool", message.get("output"), call_id=_text(message.get("call_id")))
    return WireForm("assistant", "")


def _call(id_: object, name: object, arguments: object) -> dict[str, Any]:
    return {"id": _text(id_), "type": "function", "function": {"name": _text(name), "arguments": arguments}}


def _role(message: Mapping[Any, Any]) -> str:
    role = str(message.get("role") or "user")
    return ROLES.get(role, role)


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
