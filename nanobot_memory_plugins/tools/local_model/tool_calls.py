"""Tool calls for a model that writes them as text.

Qwen2.5-Coder chooses a tool well, but writes the call as JSON in a fence, which no host takes for a call. And it
calls something whenever it is offered anything. So it is offered few tools, none right after a result, and
what it writes is turned into a call.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from uuid import uuid4


def request_for_model(body: Mapping[str, Any], offered: Collection[str]) -> dict[str, Any]:
    """Return the request without the tools that are not offered; the temperature is 0 unless it names one.

    A request that ends in a tool's result keeps no tool, so that the model answers. One that keeps some is not
    streamed, since only a whole answer can be read as a call.
    """
    request = {"temperature": 0, **body}
    tools = [tool for tool in request.pop("tools", None) or () if _name(tool) in offered]
    request.pop("tool_choice", None)
    messages = request.get("messages") or [{}]
    if tools and messages[-1].get("role") != "tool":
        request |= {"tools": tools, "stream": False}
        request.pop("stream_options", None)
    return request


def with_tool_calls(completion: Mapping[str, Any], offered: Collection[str]) -> dict[str, Any]:
    """Return the completion with the call that its text holds as a tool call, if it holds one of an offered tool."""
    choice = completion["choices"][0]
    message = choice["message"]
    call = None if message.get("tool_calls") else _call_in(message.get("content") or "", offered)
    if call is None:
        return dict(completion)
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)}
    calls = [{"id": f"call_{uuid4().hex[:12]}", "type": "function", "function": function}]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    return {**completion, "choices": [{**choice, "message": message, "finish_reason": "tool_calls"}]}


def as_stream(completion: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give a whole completion in the chunks of a streamed one, the last with the usage."""
    base = {**completion, "object": "chat.completion.chunk"}
    usage = base.pop("usage", None)
    choice = base.pop("choices")[0]
    delta = dict(choice["message"])
    if calls := delta.get("tool_calls"):
        delta["tool_calls"] = [{"index": number, **call} for number, call in enumerate(calls)]
    yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield {**base, "choices": [], "usage": usage}


def _name(tool: Mapping[str, Any]) -> str:
    return str(tool.get("function", {}).get("name"))


def _call_in(text: str, offered: Collection[str]) -> dict[str, Any] | None:
    """Return the first JSON object in the text if it is a call of an offered tool."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except ValueError:
        return None
    name, arguments = value.get("name"), value.get("arguments")
    is_call = isinstance(name, str) and name in offered and isinstance(arguments, dict)
    return value if is_call else None
