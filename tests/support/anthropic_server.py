"""A language model that answers from a script in Anthropic's wire form, on 127.0.0.1."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Self

from nanobot_memory_plugins.tools.scripted_model import ToolCall

Said = str | ToolCall
Script = Callable[["AnthropicRequest"], "Said | Sequence[Said] | None"]


class AnthropicRequest:
    """One request for a message, as the host sent it."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = body

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", ()))

    @property
    def text(self) -> str:
        """All that the model could read but the system prompt and the tools."""
        return json.dumps(self.messages, ensure_ascii=False)

    @property
    def last(self) -> str:
        """The text of the messages since the assistant's last."""
        texts: list[str] = []
        for message in reversed(self.messages):
            if message["role"] == "assistant":
                break
            texts.append(text_of(message))
        return "\n".join(reversed(texts))

    @property
    def results(self) -> list[str]:
        """The results of tools that came last."""
        content = self.messages[-1].get("content") if self.messages else []
        parts = content if isinstance(content, list) else []
        return [json.dumps(part.get("content")) for part in parts if part.get("type") == "tool_result"]

    @property
    def tool_names(self) -> list[str]:
        return [str(tool.get("name")) for tool in self.body.get("tools") or ()]


def text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or () if isinstance(part, Mapping))


class AnthropicServer:
    """The server, as a context manager. ``script`` says what the model says to a request, or None for "Understood."."""

    def __init__(self, script: Script = lambda _request: None) -> None:
        self.script = script
        self.requests: list[AnthropicRequest] = []
        self.number = count(1)
        self.input_tokens = 0
        """How many tokens a request of the conversation is said to have held; 0: about as many as it had."""
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def turns(self) -> list[AnthropicRequest]:
        """The requests of the conversation itself: with tools, and more than a title is asked for."""
        return [one for one in self.requests if one.tool_names]

    def answer(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        request = AnthropicRequest(body)
        with self._lock:
            self.requests.append(request)
            said = self.script(request)
        parts: Sequence[Said] = (
            ("Understood.",) if said is None else (said,) if isinstance(said, (str, ToolCall)) else said
        )
        return [self._block(one) for one in parts]

    def tokens_of(self, body: Mapping[str, Any]) -> int:
        """Return how many tokens a request is said to have held."""
        return (self.input_tokens if body.get("tools") else 0) or max(1, len(json.dumps(body.get("messages", []))) // 4)

    def _block(self, one: Said) -> dict[str, Any]:
        if isinstance(one, str):
            return {"type": "text", "text": one}
        return {"type": "tool_use", "id": f"toolu_{next(self.number):024d}", "name": one.name, "input": one.arguments}


def _handler(server: AnthropicServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

        def do_HEAD(self) -> None:
            self._send({})

        def do_GET(self) -> None:
            self._send({"data": []})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                self._send({"input_tokens": max(1, len(json.dumps(body)) // 4)})
            elif not path.endswith("/v1/messages"):
                self._send({})
            else:
                blocks = server.answer(body)
                try:
                    if body.get("stream"):
                        self._stream(blocks, body)
                    else:
                        self._send(_message(blocks, body, server.tokens_of(body)))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        def _send(self, value: Mapping[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _stream(self, blocks: list[dict[str, Any]], body: Mapping[str, Any]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for event in _events(blocks, body, server.tokens_of(body)):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.close_connection = True

    return Handler


def _message(blocks: list[dict[str, Any]], body: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    reason = "tool_use" if any(one["type"] == "tool_use" for one in blocks) else "end_turn"
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": blocks,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens, "output_tokens": 10},
    }


def _events(blocks: list[dict[str, Any]], body: Mapping[str, Any], tokens: int) -> Iterator[dict[str, Any]]:
    whole = _message(blocks, body, tokens)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": whole["usage"],
    }
    yield {"type": "message_stop"}
