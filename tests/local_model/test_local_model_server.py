"""What stands before the model, shown with a stand-in for the model behind it."""

import json
import queue
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import openai
import pytest

from nanobot_memory_plugins.tools.local_model.server import CapturingServer

FENCED_CALL = '```json\n{"name": "write_file", "arguments": {"path": "计划.txt", "content": "x"}}\n```'


def tool(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}


class StandIn:
    """Answers with ``text`` in the manner of llama.cpp, and keeps what it is sent."""

    def __init__(self) -> None:
        self.text = "Miso"
        self.bodies: queue.Queue[dict[str, Any]] = queue.Queue()
        self.hangs = False
        self.left = threading.Event()  # the one who asked has closed the connection

    def answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self.bodies.put(body)
        if self.hangs:
            if handler.connection.recv(1) == b"":
                self.left.set()
            return
        message = {"role": "assistant", "content": self.text}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
            self.send(handler, [json.dumps({**self.base("chat.completion"), "choices": [choice], "usage": usage})])
            return
        choices = [{"index": 0, "delta": {"content": letter}, "finish_reason": None} for letter in self.text]
        chunks = [json.dumps({**self.base("chat.completion.chunk"), "choices": [choice]}) for choice in choices]
        self.send(handler, [f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]])

    def base(self, kind: str) -> dict[str, Any]:
        return {"id": "1", "object": kind, "created": 1, "model": "local"}

    def send(self, handler: BaseHTTPRequestHandler, parts: list[str]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream" if len(parts) > 1 else "application/json")
        handler.end_headers()
        for part in parts:
            handler.wfile.write(part.encode())


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture
def server(stand_in) -> Iterator[CapturingServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            stand_in.answer(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def do_GET(self) -> None:
            stand_in.send(self, [json.dumps({"object": "list", "data": [{"id": "local", "object": "model"}]})])

        def log_message(self, *args: object) -> None:
            pass

    behind = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    behind.daemon_threads = True
    thread = threading.Thread(target=behind.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    with CapturingServer(("127.0.0.1", behind.server_address[1])) as server:
        yield server
    behind.shutdown()
    behind.server_close()
    thread.join(10)


@pytest.fixture
def client(server) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0, timeout=20) as client:
        yield client


def ask(client: openai.OpenAI, **more: Any) -> Any:
    return client.chat.completions.create(model="local", messages=[{"role": "user", "content": "米索?"}], **more)


def test_a_streamed_answer_is_passed_on_piece_by_piece(client):
    assert [chunk.choices[0].delta.content for chunk in ask(client, stream=True)] == ["M", "i", "s", "o"]


def test_tools_are_kept_from_the_model_unless_they_are_named(client, server, stand_in):
    ask(client, tools=[tool("exec"), tool("write_file")], tool_choice="auto")
    assert not stand_in.bodies.get_nowait().keys() & {"tools", "tool_choice"}
    server.tools = {"write_file"}
    ask(client, tools=[tool("exec"), tool("write_file")], tool_choice="auto")
    assert stand_in.bodies.get_nowait()["tools"] == [tool("write_file")]


def test_a_call_that_is_written_as_text_becomes_a_tool_call(client, server, stand_in):
    server.tools = {"write_file"}
    stand_in.text = FENCED_CALL
    choice = ask(client, tools=[tool("write_file")]).choices[0]
    assert choice.finish_reason == "tool_calls"
    assert not choice.message.content
    [call] = choice.message.tool_calls
    assert call.function.name == "write_file"
    assert json.loads(call.function.arguments) == {"path": "计划.txt", "content": "x"}


@pytest.mark.parametrize(
    "text",
    [
        "Miso",
        "{ not JSON",
        '{"name": "exec", "arguments": {}}',
        '{"name": "write_file", "arguments": "x"}',
        '{"name": ["write_file"], "arguments": {}}',
        '{"other": 1}',
    ],
)
def test_any_other_text_stays_text(client, server, stand_in, text):
    server.tools = {"write_file"}
    stand_in.text = text
    message = ask(client, tools=[tool("write_file")]).choices[0].message
    assert message.content == text
    assert not message.tool_calls


@pytest.mark.parametrize("stream", [False, True])
def test_a_request_whose_sender_has_gone_is_given_up(server, stand_in, stream):
    stand_in.hangs = True
    address = httpx.URL(server.base_url)
    body = json.dumps({"messages": [], "stream": stream}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((address.host, address.port)) as sender:
        sender.sendall(head.encode() + body)
        stand_in.bodies.get(timeout=10)
        assert not stand_in.left.is_set()
    assert stand_in.left.wait(10)


def test_a_model_that_has_ended_is_reported():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()
    with CapturingServer(address) as server:
        answer = httpx.post(f"{server.base_url}/chat/completions", json={"messages": []})
    assert answer.status_code == 502
    assert "does not run" in answer.json()["error"]["message"]
