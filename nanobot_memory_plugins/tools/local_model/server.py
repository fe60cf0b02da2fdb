"""Serves the local language model to nanobot: an OpenAI-compatible server on 127.0.0.1.

It stands before the model's own server, captures what the host sends, fits it to what a small model can take, and
gives up requests whose sender has gone.
"""

import http.client
import json
import os
import select
import socket
from collections.abc import Collection, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from nanobot_memory_plugins.core.testing.scripted_server import LoopbackServer
from nanobot_memory_plugins.tools.local_model.process import MODEL_NAME, ModelProcess
from nanobot_memory_plugins.tools.local_model.tool_calls import as_stream, request_for_model, with_tool_calls

_MAXIMUM_THREADS = 8  # more of them wait for the memory, not for each other


class CapturingServer(LoopbackServer):
    """An HTTP server that passes requests on to ``address`` (host and port). Use it as a context manager.

    ``requests`` holds the bodies of the completion requests, as the host sent them. ``tools`` are the names of the
    tools that the model is offered; it may be set between requests.
    """

    def __init__(self, address: tuple[str, int], *, tools: Collection[str] = ()) -> None:
        self.address = address
        self.tools = tools
        self.requests: list[dict[str, Any]] = []
        super().__init__(_handler(self), name="local-model")


class LocalModelServer(CapturingServer):
    """The server with the model behind it. Use it as a context manager; ``requests`` grows as they come in.

    ``context_tokens`` is what prompt and answer may take together; a longer prompt is answered with status 400.
    ``threads`` is the number of threads that compute, by default one a processor, 8 at most. Requests are answered
    one after the other. ``tools`` are the names of the tools that the model is offered, by default none: it
    calls something whenever it can, and nanobot's own tools alone take some 2,000 tokens.

    Entering waits for the model to load (2 to 10 s) and raises `LanguageModelError` when it cannot be.
    """

    model_name = MODEL_NAME
    """The name to give as ``model``."""

    @property
    def label(self) -> str:
        """The name of the model's file."""
        return self.model.name

    def __init__(
        self,
        model: Path,
        *,
        context_tokens: int = 16_384,
        threads: int | None = None,
        tools: Collection[str] = (),
    ) -> None:
        super().__init__(("127.0.0.1", 0), tools=tools)
        self.model = model
        self.context_tokens = context_tokens
        self.threads = threads or min(os.cpu_count() or 1, _MAXIMUM_THREADS)
        self.process: ModelProcess | None = None

    def __enter__(self) -> Self:
        self.process = ModelProcess(self.model, context_tokens=self.context_tokens, threads=self.threads)
        self.address = self.process.address
        try:
            return super().__enter__()
        except BaseException:
            self._end_process()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_process()  # first, so that nobody waits for an answer any more
        super().__exit__(kind, error, trace)

    def _end_process(self) -> None:
        if self.process is not None:
            self.process.end()
            self.process = None


def _handler(server: CapturingServer) -> type[BaseHTTPRequestHandler]:
    class CompletionHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
            """Keep quiet: the captured requests are the record."""

        def do_GET(self) -> None:
            """List the one model."""
            self._pass_on(None, streamed=False)

        def do_POST(self) -> None:
            """Answer a completion request."""
            try:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            except ValueError:
                body = None
            if not isinstance(body, dict):
                self._fail(400, "The body is not a JSON object.")
                return
            server.requests.append(body)
            self._pass_on(request_for_model(body, server.tools), streamed=bool(body.get("stream")))

        def _pass_on(self, body: Mapping[str, Any] | None, *, streamed: bool) -> None:
            model = http.client.HTTPConnection(*server.address)
            try:
                content = None if body is None else json.dumps(body).encode()
                model.request(self.command, self.path, content, {"Content-Type": "application/json"})
                if self._sender_has_gone(model.sock):
                    return
                answer = model.getresponse()
                if body is not None and body.get("tools") and answer.status == 200:
                    self._send_whole(with_tool_calls(json.load(answer), server.tools), streamed=streamed)
                else:
                    self._send_as_it_comes(answer)
            except ConnectionRefusedError:
                self._fail(502, "The local model does not run any more.")
            except (ConnectionError, http.client.HTTPException):
                self.close_connection = True  # one of the two has gone
            finally:
                model.close()  # which also ends an answer that is being made

        def _sender_has_gone(self, model: socket.socket) -> bool:
            """Wait until the answer begins; say whether whoever asked has closed the connection meanwhile."""
            ready, _, _ = select.select([model, self.connection], [], [])
            gone = model not in ready and not self.connection.recv(1, socket.MSG_PEEK)
            self.close_connection = self.close_connection or gone
            return gone

        def _send_whole(self, completion: Mapping[str, Any], *, streamed: bool) -> None:
            if not streamed:
                self._send(200, completion)
                return
            self._begin(200, "text/event-stream")
            for chunk in as_stream(completion):
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def _send_as_it_comes(self, answer: http.client.HTTPResponse) -> None:
            self._begin(answer.status, answer.headers.get("Content-Type", "application/json"))
            while block := answer.read1(65_536):
                self.wfile.write(block)

        def _begin(self, status: int, content_type: str) -> None:
            """Send the headers of an answer that lasts until the connection is closed."""
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Connection", "close")  # also sets close_connection
            self.end_headers()

        def _fail(self, status: int, message: str) -> None:
            self._send(status, {"error": {"message": message, "type": "server_error"}})

        def _send(self, status: int, value: Mapping[str, Any]) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return CompletionHandler
