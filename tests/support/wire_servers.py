"""The scripted model with other APIs: OpenAI's Responses, Google's Gemini, Anthropic's Messages.

Requests are converted to chat messages, so that rules and tests are the same for every API; ``body["raw"]`` is the
original request.
"""

import json
import time
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any

from nanobot_memory_plugins.tools.scripted_model import Reply, ScriptedServer

_NUMBERS = count(1)


class ResponsesServer(ScriptedServer):
    """Implements Responses at ``/responses``, without chat completions."""

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return _handler(self, _responses_request, _responses_answer, _responses_events)


class GeminiServer(ScriptedServer):
    """Implements Gemini's ``generateContent`` and ``streamGenerateContent``."""

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return _handler(self, _gemini_request, _gemini_answer, _gemini_events)

    @property
    def root_url(self) -> str:
        """The address without a version, for Google's client."""
        return self.base_url.removesuffix("/v1")


class AnthropicServer(ScriptedServer):
    """Implements Anthropic's Messages. ``input_tokens`` is the reported size of a request."""

    input_tokens = 90

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return _handler(self, _anthropic_request, partial(_anthropic_answer, self), partial(_anthropic_events, self))

    @property
    def root_url(self) -> str:
        """The address without a version, as Anthropic's client wants it."""
        return self.base_url.removesuffix("/v1")


def _handler(server: ScriptedServer, read: Any, answer: Any, events: Any) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing."""

        def do_GET(self) -> None:
            self._send(200, {"data": []})

        do_HEAD = do_GET  # noqa: N815  # the base class names it so

        def do_POST(self) -> None:
            raw = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            streams = bool(raw.get("stream")) or ":stream" in self.path
            asks = raw.get("input") or raw.get("contents") or raw.get("messages")
            if not asks or "count_tokens" in self.path:  # telemetry, or another request without a question
                self._send(200, {"input_tokens": 90})
                return
            reply = server.answer({**read(raw), "stream": streams, "raw": raw})
            if reply.delay:
                time.sleep(reply.delay)
            try:
                if reply.status != 200:
                    self._send(reply.status, {"error": {"message": reply.error, "code": reply.status}})
                elif streams:
                    self._stream(events(reply))
                else:
                    self._send(200, answer(reply))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _stream(self, parts: Iterator[Mapping[str, Any]]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for part in parts:
                name = f"event: {part['type']}\n" if "type" in part else ""
                self.wfile.write(f"{name}data: {json.dumps(part)}\n\n".encode())
                self.wfile.flush()
            self.close_connection = True

        def _send(self, status: int, value: Mapping[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    return Handler


def _id() -> str:
    return f"call_{next(_NUMBERS)}"


def _call(id_: str, name: str, arguments: object) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def _arguments(given: Mapping[str, Any] | str) -> str:
    return given if isinstance(given, str) else json.dumps(dict(given))


# --- Responses ---------------------------------------------------------------------------------------------------


def _responses_request(raw: Mapping[str, Any]) -> dict[str, Any]:
    given = raw["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    messages = [{"role": "system", "content": raw["instructions"]}] if raw.get("instructions") else []
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            messages.append({"role": item["role"], "content": item["content"]})
        elif kind == "function_call":
            call = _call(item["call_id"], item["name"], item["arguments"])
            messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        elif kind == "function_call_output":
            messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
    tools = [{"type": "function", "function": one} for one in raw.get("tools", ()) if one.get("type") == "function"]
    return {"messages": messages, "tools": tools}


def _responses_answer(reply: Reply) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if reply.text or not reply.tools:
        text = {"type": "output_text", "text": reply.text, "annotations": []}
        message = {"type": "message", "id": _id(), "role": "assistant", "status": "completed"}
        output.append({**message, "content": [text]})
    for tool in reply.tools:
        id_ = _id()
        named = {"type": "function_call", "id": f"fc_{id_}", "call_id": id_, "name": tool.name, "status": "completed"}
        output.append({**named, "arguments": _arguments(tool.arguments)})
    return {
        "id": f"resp_{_id()}", "object": "response", "created_at": 1, "model": "scripted",
        "status": "completed", "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "usage": {
            "input_tokens": 90, "output_tokens": 10, "total_tokens": 100,
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
        },
    }  # fmt: skip


def _responses_events(reply: Reply) -> Iterator[dict[str, Any]]:
    whole = _responses_answer(reply)
    begun = {**whole, "status": "in_progress", "output": []}
    yield {"type": "response.created", "sequence_number": 0, "response": begun}
    for number, item in enumerate(whole["output"]):
        place = {"output_index": number, "sequence_number": number + 1}
        yield {"type": "response.output_item.added", **place, "item": item}
        if item["type"] == "message":
            place |= {"item_id": item["id"], "content_index": 0}
            yield {"type": "response.output_text.delta", **place, "delta": reply.text, "logprobs": []}
        yield {"type": "response.output_item.done", **place, "item": item}
    yield {"type": "response.completed", "sequence_number": 99, "response": whole}


# --- Gemini ------------------------------------------------------------------------------------------------------


def _gemini_request(raw: Mapping[str, Any]) -> dict[str, Any]:
    system = raw.get("systemInstruction") or {}
    messages: list[dict[str, Any]] = []
    if parts := system.get("parts"):
        messages.append({"role": "system", "content": "\n".join(part["text"] for part in parts)})
    for content in raw["contents"]:
        role = "assistant" if content.get("role") == "model" else "user"
        texts = [{"type": "text", "text": part["text"]} for part in content["parts"] if "text" in part]
        called = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        results = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        if texts or called:
            calls = [_call(str(one.get("id", "")), one["name"], json.dumps(one.get("args"))) for one in called]
            messages.append({"role": role, "content": texts, **({"tool_calls": calls} if calls else {})})
        messages += [
            {"role": "tool", "tool_call_id": str(one.get("id", "")), "content": json.dumps(one.get("response"))}
            for one in results
        ]
    declared = [one for tool in raw.get("tools") or () for one in tool.get("functionDeclarations", ())]
    return {"messages": messages, "tools": [{"type": "function", "function": one} for one in declared]}


def _gemini_answer(reply: Reply, *, texts: tuple[str, ...] | None = None) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": text} for text in (texts if texts is not None else (reply.text,)) if text]
    for tool in reply.tools if texts is None else ():
        arguments = json.loads(tool.arguments) if isinstance(tool.arguments, str) else dict(tool.arguments)
        parts.append({"functionCall": {"id": _id(), "name": tool.name, "args": arguments}})
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": 10, "totalTokenCount": 100},
        "modelVersion": "scripted",
    }


def _gemini_events(reply: Reply) -> Iterator[dict[str, Any]]:
    if reply.tools:
        yield _gemini_answer(reply)
        return
    half = (len(reply.text) + 1) // 2
    first = _gemini_answer(reply, texts=(reply.text[:half],))
    first["candidates"][0].pop("finishReason")
    yield first
    yield _gemini_answer(reply, texts=(reply.text[half:],))


# --- Anthropic's Messages ----------------------------------------------------------------------------------------


def _anthropic_request(raw: Mapping[str, Any]) -> dict[str, Any]:
    given = [{"role": "system", "content": raw["system"]}] if raw.get("system") else []
    messages: list[dict[str, Any]] = []
    for message in [*given, *raw["messages"]]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts = [part for part in parts if part["type"] == "text"]
        calls = [_call(one["id"], one["name"], json.dumps(one["input"])) for one in parts if one["type"] == "tool_use"]
        if texts or calls:
            messages.append({"role": message["role"], "content": texts, **({"tool_calls": calls} if calls else {})})
        messages += [
            {"role": "tool", "tool_call_id": one["tool_use_id"], "content": json.dumps(one.get("content"))}
            for one in parts
            if one["type"] == "tool_result"
        ]
    tools = [{"type": "function", "function": {"name": one.get("name")}} for one in raw.get("tools") or ()]
    return {"messages": messages, "tools": tools}


def _anthropic_answer(server: AnthropicServer, reply: Reply) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text or not reply.tools else []
    content += [
        {"type": "tool_use", "id": f"toolu_{_id()}", "name": tool.name, "input": tool.arguments} for tool in reply.tools
    ]
    return {
        "id": f"msg_{_id()}", "type": "message", "role": "assistant", "model": "scripted", "content": content,
        "stop_reason": "tool_use" if reply.tools else "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": server.input_tokens, "output_tokens": 10},
    }  # fmt: skip


def _anthropic_events(server: AnthropicServer, reply: Reply) -> Iterator[dict[str, Any]]:
    whole = _anthropic_answer(server, reply)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": whole["usage"]}
    yield {"type": "message_stop"}
