"""Serves a language model file to nanobot: an OpenAI-compatible server on 127.0.0.1.

The model runs under llama.cpp (``xllamacpp``) in a child process: loading it holds the interpreter's lock for
seconds, and its memory and threads are given back for sure only when a process ends. This side passes requests on,
captures them, and gives up those whose sender has gone.
"""

import http.client
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self
from urllib.parse import urlsplit

from loguru import logger

from nanobot_memory_plugins.bridge.demo.local_model import INSTALL_MEND
from nanobot_memory_plugins.core.errors import LanguageModelError

MODEL_NAME = "local"
MAXIMUM_ANSWER_TOKENS = 512
"""Ends an answer when the request names no ``max_tokens``: small models may repeat themselves for ever."""

_LOADING_SECONDS = 180.0
_ENDING_SECONDS = 5.0
_PROMPT_CACHE_MEBIBYTES = 1024


class LocalModelServer:
    """The server. Use it as a context manager; ``requests`` grows as they come in.

    ``context_tokens`` is what prompt and answer may take together; a longer prompt is answered with status 400.
    ``threads`` is the number of threads that compute, by default that of the processors. Requests are answered
    one after the other. Entering raises `LanguageModelError` when the model cannot be loaded.
    """

    def __init__(self, model: Path, *, context_tokens: int = 16_384, threads: int | None = None) -> None:
        self.model = model
        self.context_tokens = context_tokens
        self.threads = threads or os.cpu_count() or 1
        self.requests: list[dict[str, Any]] = []
        self._process: _ModelProcess | None = None
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        self._process = _ModelProcess(self.model, context_tokens=self.context_tokens, threads=self.threads)
        try:
            server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.requests, self._process.address))
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, name="local-model", args=(0.05,), daemon=True).start()
            self._server = server
        except BaseException:
            self._process.end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.end()  # first, so that no request waits for an answer any more
            self._process = None
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def base_url(self) -> str:
        """The address to give as ``apiBase``."""
        if self._server is None:
            raise RuntimeError("The local model is not running: use it as a context manager.")
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def model_name(self) -> str:
        """The name to give as ``model``."""
        return MODEL_NAME


class _ModelProcess:
    """The child process, from its start to its end. ``address`` is where its own server listens."""

    def __init__(self, model: Path, *, context_tokens: int, threads: int) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise LanguageModelError(
                "The package xllamacpp, which runs the model, is not installed.", mend=INSTALL_MEND
            )
        self._log: IO[bytes] = tempfile.TemporaryFile()
        self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            [sys.executable, "-m", __spec__.name, str(model), str(context_tokens), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        try:
            self.address = self._wait_for_address()
        except BaseException:
            self.end()
            raise
        logger.info("The local model listens (process {}, {} threads)", self._process.pid, threads)

    def _wait_for_address(self) -> tuple[str, int]:
        assert self._process.stdout is not None  # noqa: S101  # it was asked for
        limit = threading.Timer(_LOADING_SECONDS, self._process.kill)
        limit.start()
        try:
            line = self._process.stdout.readline()
        finally:
            limit.cancel()
        address = urlsplit(line.decode().strip())
        if address.hostname is None or address.port is None:
            self._log.seek(0)
            last = self._log.read().decode(errors="replace").strip().splitlines()[-1:]
            raise LanguageModelError(f"The local model could not be loaded: {' '.join(last) or 'its process ended'}.")
        return address.hostname, address.port

    def end(self) -> None:
        """End the process and close what belongs to it."""
        assert self._process.stdin is not None  # noqa: S101  # it was asked for
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.close()  # the child ends by itself then
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()


def _handler(requests: list[dict[str, Any]], address: tuple[str, int]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
            """Keep quiet: the captured requests are the record."""

        def do_GET(self) -> None:
            """List the one model."""
            self._pass_on(None)

        def do_POST(self) -> None:
            """Answer a completion request."""
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                body = json.loads(content)
            except ValueError:
                body = None
            if not isinstance(body, dict):
                self._fail(400, "The body is not a JSON object.")
                return
            requests.append(body)
            self._pass_on({"temperature": 0, **body})

        def _pass_on(self, body: Mapping[str, Any] | None) -> None:
            model = http.client.HTTPConnection(*address)
            try:
                content = None if body is None else json.dumps(body).encode()
                model.request(self.command, self.path, content, {"Content-Type": "application/json"})
                if self._sender_has_gone(model):
                    return
                self._send_back(model.getresponse())
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # one of the two has gone
            except (OSError, http.client.HTTPException) as error:
                self._fail(502, f"The local model does not answer ({type(error).__name__}).")
            finally:
                model.close()  # which also ends an answer that is being made

        def _sender_has_gone(self, model: http.client.HTTPConnection) -> bool:
            """Wait for the answer; say whether the one who asked has closed the connection meanwhile."""
            ready, _, _ = select.select([model.sock, self.connection], [], [])
            gone = model.sock not in ready
            self.close_connection = self.close_connection or gone
            return gone

        def _send_back(self, answer: http.client.HTTPResponse) -> None:
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers.get("Content-Type", "application/json"))
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            while block := answer.read1(65_536):
                self.wfile.write(block)

        def _fail(self, status: int, message: str) -> None:
            content = json.dumps({"error": {"message": message, "type": "server_error"}}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def _serve(model: str, context_tokens: str, threads: str) -> None:
    """Load the model, print the address where it is served, and stay until standard input ends."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {MODEL_NAME}
    parameters.n_ctx = int(context_tokens)
    parameters.n_predict = MAXIMUM_ANSWER_TOKENS
    # One at a time: a second would only slow the first. Prompts of others are kept aside in memory meanwhile.
    parameters.n_parallel = 1
    parameters.cache_ram_mib = _PROMPT_CACHE_MEBIBYTES
    for processors in (parameters.cpuparams, parameters.cpuparams_batch):
        processors.n_threads = int(threads)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.ui = False
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    os._exit(0)  # an answer that is being made need not be waited for


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    _serve(*sys.argv[1:])
