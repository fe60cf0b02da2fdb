"""Downloading a model from a small hub on this machine that speaks the hub's protocol."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from nanobot_memory_plugins.storage.embedding.catalogue import ModelOrigin, find_model
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions

REVISION = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "Qdrant/bge-small-zh-v1.5"
# Rows: padding, [CLS], unknown, red, green, blue. For this model the catalogue takes the vector of [CLS].
TABLE = [[9, 9], [3, 4], [1, 1], [0, 1], [0, 2], [0, 3]]


@pytest.fixture
def hub(tmp_path: Path, tiny_model) -> Iterator[tuple[str, list[str]]]:
    """Serve one repository, and return the address and the requested paths."""
    files = tiny_model(tmp_path / "repository", TABLE, graph="model_optimized.onnx")
    (files / "README.md").write_text("not needed", encoding="utf-8")
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            asked.append(path)
            if path == f"/api/models/{REPOSITORY}/revision/main":
                names = [{"rfilename": file.name} for file in files.iterdir()]
                return self._send(json.dumps({"id": REPOSITORY, "sha": REVISION, "siblings": names}).encode())
            if path.startswith(f"/api/models/{REPOSITORY}/tree/"):
                entries = [
                    {"type": "file", "path": file.name, "size": file.stat().st_size, "oid": self._etag(file)}
                    for file in files.iterdir()
                ]
                return self._send(json.dumps(entries).encode())
            file = files / path.rpartition("/")[2]
            if path.startswith(f"/{REPOSITORY}/resolve/") and file.is_file():
                return self._send(file.read_bytes(), **{"ETag": f'"{self._etag(file)}"', "X-Repo-Commit": REVISION})
            return self._send(b"{}", status=404)

        def _etag(self, file: Path) -> str:
            return hashlib.sha1(file.read_bytes()).hexdigest()

        def _send(self, body: bytes, status: int = 200, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_a_pulled_model_is_found_and_loaded_without_the_hub(hub: tuple[str, list[str]], own_cache: Path):
    address, asked = hub
    script = (
        "import sys; from nanobot_memory_plugins.core.cli.main import run_command_line; "
        "sys.exit(run_command_line(['models', *sys.argv[1:]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "pull", "chinese", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "HF_ENDPOINT": address, "NO_PROXY": "127.0.0.1", "HF_HUB_DISABLE_XET": "1"},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["installed"]
    assert Path(told["folder"]).is_relative_to(own_cache)
    assert not any("README" in path for path in asked)
    count = len(asked)
    found = find_model("chinese")
    assert (found.origin, str(found.folder)) == (ModelOrigin.HUB, told["folder"])
    embedder = open_embedder(EmbeddingOptions(model="chinese"))
    assert embedder is not None
    assert embedder.name == f"BAAI/bge-small-zh-v1.5@{REVISION[:12]}"
    assert np.allclose(embedder.encode("red"), [[0.6, 0.8]])
    assert len(asked) == count
