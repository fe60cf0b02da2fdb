"""Messages that role and text alone do not describe: Anthropic's blocks, items of Responses, Gemini's parts."""

from collections.abc import Mapping, Sequence
from typing import Any

_RESULT = "tool_result"
# What a model thought, what it called, and what came back: none of it was said.
_NOT_TEXT = ("thinking", "redacted_thinking", "tool_use", "server_tool_use", _RESULT)


def chat_form(message: Mapping[Any, Any]) -> Mapping[Any, Any]:
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
    """Return a value by its name in Python, or in JSON."""
    found: object = part.get(name)
    return part.get(in_json) if found is None else found


def _call(id_: object, name: object, arguments: object) -> dict[str, Any]:
    return {
        "id": str(id_ or ""),
        "type": "function",
        "function": {"name": str(name or ""), "arguments": arguments},
    }
