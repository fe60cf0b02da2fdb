"""Embedding by a server, tested with a real one on this machine."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from loguru import logger

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.storage.embedding.remote_provider import ATTEMPTS, RemoteEmbedder
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService, open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions

Answer = Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes]]


def vector(text: str) -> list[float]:
    """Return a vector whose direction depends only on the number in the text."""
    return [2.0, 2.0 * float(text), 0.0] if text.isdigit() else [3.0, 4.0, 0.0]


def as_json(value: object, status: int = 200, **headers: str) -> tuple[int, dict[str, str], bytes]:
    return status, {name.replace("_", "-"): content for name, content in headers.items()}, json.dumps(value).encode()


def vectors_answer(request: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    """Answer like OpenAI, but in reverse order: `index` tells which vector belongs to which text."""
    items = [{"index": place, "embedding": vector(text)} for place, text in enumerate(request["input"])]
    return as_json({"object": "list", "data": items[::-1], "model": request["model"]})


@dataclass
class Server:
    url: str
    answer: Answer = vectors_answer
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    delay: float = 0.0


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            running.requests.append(request)
            running.headers.append(dict(self.headers))
            running.paths.append(self.path)
            status, headers, body = running.answer(request)
            time.sleep(running.delay)
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except ConnectionError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    running = Server(f"http://127.0.0.1:{http.server_port}/v1")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    http.shutdown()
    http.server_close()
    thread.join(5)


@pytest.fixture
def remote(server: Server) -> Iterator[Callable[..., RemoteEmbedder]]:
    opened: list[RemoteEmbedder] = []

    def open_remote(waits: list[float] | None = None, **options: Any) -> RemoteEmbedder:
        settings = EmbeddingOptions(provider="openai", **{"base_url": server.url, "remote_model": "m", **options})
        embedder = RemoteEmbedder(settings, retry_sleep=(waits if waits is not None else []).append)
        opened.append(embedder)
        return embedder

    yield open_remote
    for embedder in opened:
        embedder.close()


@pytest.mark.accept("NC-13")
def test_local_and_remote_providers_are_exchangeable(builtin_model, server: Server):
    texts = ["one", "第二"]
    local = EmbeddingOptions(model="multilingual")
    for options, dimension in ((local, 512), (EmbeddingOptions(provider="openai", base_url=server.url), 3)):
        service = EmbeddingService(options)
        service.start()
        status = service.wait(60)
        embedder: Embedder | None = service.embedder
        assert embedder is not None
        assert embedder.dimension == dimension
        assert embedder.name == status.model
        vectors = np.array(service.embedder.encode(texts))
        assert vectors.shape == (2, dimension)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        assert len(service.embedder.encode(texts[0])) == 1
        service.close()
    assert server.requests[-1]["input"] == ["one"]
    assert open_embedder(EmbeddingOptions(provider="none")) is None


@pytest.mark.parametrize("status", [429, 503])
def test_transient_errors_are_retried(server: Server, remote, status: int):
    embedder = remote(waits := [])
    answers = iter([as_json({}, status), as_json({}, status)])
    server.answer = lambda request: next(answers, None) or vectors_answer(request)
    assert np.allclose(embedder.encode("abc"), [[0.6, 0.8, 0.0]])
    assert len(waits) == 2
    assert 0.5 <= waits[0] < waits[1] < 2


@pytest.mark.parametrize(("status", "hint"), [(401, "MY_KEY"), (404, "base_url")])
def test_permanent_errors_are_raised_at_once(
    server: Server, remote, monkeypatch: pytest.MonkeyPatch, status: int, hint: str
):
    monkeypatch.setenv("MY_KEY", "k1")
    embedder = remote(waits := [], api_key_env="MY_KEY")
    server.answer = lambda request: as_json({}, status)
    with pytest.raises(EmbeddingError, match=hint):
        embedder.encode("abc")
    assert waits == []


def test_the_key_goes_to_the_server_and_nowhere_else(server: Server, remote, monkeypatch: pytest.MonkeyPatch):
    key = "-".join(["made", "up", "for", "this", "test"])
    monkeypatch.setenv("MY_KEY", key)
    written: list[str] = []
    sink = logger.add(written.append, level=0, format="{message} {exception}")
    try:
        embedder = remote(api_key_env="MY_KEY")
        assert server.headers[-1]["Authorization"] == f"Bearer {key}"
        # Some servers repeat the key and the text in their errors.
        server.answer = lambda request: as_json({"error": f"bad key {key} for {request['input']}"}, 401)
        service = EmbeddingService(
            EmbeddingOptions(
                provider="openai", base_url=server.url.replace("//", f"//user:{key}@"), api_key_env="MY_KEY"
            )
        )
        service.start()
        service.wait(30)
        service.close()
        with pytest.raises(EmbeddingError) as raised:
            embedder.encode("private text")
    finally:
        logger.remove(sink)
    for told in (str(raised.value), "".join(written), embedder.name, repr(embedder)):
        assert key not in told
        assert "private text" not in told
    assert any("401" in line for line in written)


def test_the_key_of_openai_is_not_sent_to_another_server(server: Server, remote, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k1")
    remote()
    assert "Authorization" not in server.headers[-1]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b'{"data": []}',
        b'{"data": [{"index": 1, "embedding": [1, 2, 3]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2]}]}',
    ],
)
def test_an_answer_without_vectors_is_an_error(server: Server, remote, body: bytes):
    embedder = remote()
    server.answer = lambda request: (200, {}, body)
    with pytest.raises(EmbeddingError):
        embedder.encode("abc")


def test_a_silent_server_is_given_up_at_the_time_limit(server: Server, remote):
    embedder = remote(waits := [], timeout=0.2)
    server.delay = 0.4
    with pytest.raises(EmbeddingError, match="ReadTimeout"):
        embedder.encode("abc")
    assert len(waits) == ATTEMPTS - 1
