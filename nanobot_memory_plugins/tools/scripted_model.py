"""A language model that answers from a script: an OpenAI-compatible server on 127.0.0.1.

It records the body of every request, so that tests can check what reached the model.
"""

import itertools
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Request:
    """The body of one chat completion request, as the host sent it."""

    body: Mapping[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat messages, oldest first."""
        return list(self.body.get("messages", ()))

    @property
    def last(self) -> dict[str, Any]:
        """The last message, or an empty one."""
        return self.messages[-1] if self.messages else {}

    @property
    def system(self) -> str:
        """The text of the system messages."""
        return "\n".join(text_of(message) for message in self.messages if message.get("role") == "system")

    @property
    def last_user(self) -> str:
        """The text of the last user message, with whatever was injected into it."""
        texts = [text_of(message) for message in self.messages if message.get("role") == "user"]
        return texts[-1] if texts else ""

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools that were offered."""
        return [str(tool.get("function", {}).get("name")) for tool in self.body.get("tools") or ()]

    @property
    def text(self) -> str:
        """Everything that the model could read, tool calls included."""
        return json.dumps(self.messages, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the scripted model. ``arguments`` may be a string, for arguments that are not a JSON object."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: text, tool calls, or a failure.

    ``delay`` is in seconds. A ``status`` other than 200 sends an error with the message ``error``. ``junk`` is sent as
    the whole body. With ``cut`` the connection is closed in the middle of the answer.
    """

    text: str = ""
    tools: tuple[ToolCall, ...] = ()
    delay: float = 0.0
    status: int = 200
    error: str = "scripted failure"
    junk: bytes | None = None
    cut: bool = False


@dataclass(slots=True)
class ReplyRule:
    """``reply`` answers requests for which ``when`` returns true, at most ``times`` times if that is given."""

    when: Callable[[Request], bool]
    reply: Reply | Callable[[Request], Reply]
    times: int | None = None


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a chat message, whose content may be a string or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return ""


def after_tool(request: Request) -> bool:
    """Return whether the request ends with a tool's result."""
    return request.last.get("role") == "tool"


class ScriptedServer:
    """The server, on 127.0.0.1 at a free port. Use it as a context manager.

    ``requests`` holds the requests so far. The first matching rule answers, or without one the text ``default``.
    """

    def __init__(self, rules: Sequence[ReplyRule] = (), *, default: str = "Understood.") -> None:
        self.rules = list(rules)
        self.default = default
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, name="scripted-model", args=(0.05,), daemon=True).start()
        self._server = server
        return self

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (_Handler,), {"model": self})

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def base_url(self) -> str:
        """The address for a client's ``apiBase``."""
        if self._server is None:
            raise RuntimeError("The server is not running: use it as a context manager.")
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, body: Mapping[str, Any]) -> Reply:
        """Record a request and return the script's reply to it."""
        request = Request(body)
        with self._lock:
            self.requests.append(request)
            for rule in self.rules:
                if rule.times == 0 or not rule.when(request):
                    continue
                if rule.times is not None:
                    rule.times -= 1
                return rule.reply(request) if callable(rule.reply) else rule.reply
        return Reply(self.default)

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a reply as an assistant's message, with a new id for each tool call."""
        calls = [
            {
                "id": f"call_{next(self._numbers)}",
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments),
                },
            }
            for call in reply.tools
        ]
        return {"role": "assistant", "content": reply.text, **({"tool_calls": calls} if calls else {})}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ScriptedServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name in the base class
        """Log nothing."""

    def do_GET(self) -> None:
        """List the one model."""
        self._send(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        """Answer a completion request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.model.answer(body)
        time.sleep(reply.delay)
        try:
            if reply.cut:  # the announced length exceeds the body
                self._send(200, b'{"id": "scripted", "choices": [{"message": {"con', length=1_000)
                self.close_connection = True
            elif reply.junk is not None:
                self._send(200, reply.junk)
            elif reply.status != 200:
                kind = "server_error" if reply.status >= 500 else "invalid_request_error"
                self._send(reply.status, {"error": {"message": reply.error, "type": kind}})
            elif body.get("stream"):
                chunks = [*map(json.dumps, _chunks(self.model.message(reply), body)), "[DONE]"]
                stream = "".join(f"data: {chunk}\n\n" for chunk in chunks)
                self._send(200, stream.encode(), kind="text/event-stream")
            else:
                self._send(200, _completion(self.model.message(reply), body))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the host has given up waiting

    def _send(
        self, status: int, content: Mapping[str, Any] | bytes, *, kind: str = "application/json", length: int = 0
    ) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(data)))
        self.end_headers()
        self.wfile.write(data)


def _usage(body: Mapping[str, Any]) -> dict[str, int]:
    prompt = max(1, len(json.dumps(body.get("messages", []))) // 4)
    return {"prompt_tokens": prompt, "completion_tokens": 10, "total_tokens": prompt + 10}


def _finish(message: Mapping[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _completion(message: dict[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": _finish(message)}
    model = body.get("model", "scripted")
    base = {"id": "scripted", "object": "chat.completion", "created": 1, "model": model}
    return {**base, "choices": [choice], "usage": _usage(body)}


def _chunks(message: dict[str, Any], body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the answer in several chunks, so that the host has to assemble a stream."""
    text = str(message["content"])
    half = (len(text) + 1) // 2
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": part} for part in (text[:half], text[half:]) if part
    ]
    deltas += [{"tool_calls": [{"index": n, **call}]} for n, call in enumerate(message.get("tool_calls", ()))]
    base = {"id": "scripted", "object": "chat.completion.chunk", "created": 1, "model": body.get("model", "scripted")}
    chunks = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(message)}]})
    chunks.append({**base, "choices": [], "usage": _usage(body)})
    return chunks
