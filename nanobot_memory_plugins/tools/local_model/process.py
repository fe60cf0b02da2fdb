"""The process in which the local language model runs, under llama.cpp (``xllamacpp``).

It is a process of its own because loading holds the interpreter's lock for seconds, and because memory and threads
are given back for sure only when a process ends. It ends with its parent, however that ends: it stays only as long
as its standard input is open.
"""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from nanobot_memory_plugins.core.errors import LanguageModelError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.tools.local_model.file import INSTALL_HINT

MODEL_NAME = "local"
MAXIMUM_ANSWER_TOKENS = 512
"""Ends an answer when the request names no ``max_tokens``: small models may repeat themselves for ever."""

_LOADING_SECONDS = 180.0
_ENDING_SECONDS = 5.0
_PROMPT_CACHE_MEBIBYTES = 1024


class ModelProcess:
    """The process, seen from its parent. ``address`` is the host and port of its HTTP server on 127.0.0.1.

    Creating it waits until the model is loaded (2 to 10 s from a warm disk) and raises `LanguageModelError` when it
    cannot be. ``context_tokens`` is what a prompt and its answer may take together.
    """

    def __init__(self, model: Path, *, context_tokens: int, threads: int) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise LanguageModelError(
                "The package xllamacpp, which runs the model, is not installed.", hint=INSTALL_HINT
            )
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the process
        self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            [sys.executable, "-m", __name__, str(model), str(context_tokens), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            # Threads that wait by spinning halve the speed as soon as something else runs on the machine.
            env={"OMP_WAIT_POLICY": "PASSIVE", **os.environ},
        )
        try:
            self.address = self._wait_for_address()
        except BaseException:
            self.end()
            raise
        logger.info("The local model runs in process {} on {} threads", self.pid, threads)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def end(self) -> None:
        """End the process and give back what belongs to it. A second call does nothing."""
        assert self._process.stdin is not None  # noqa: S101  # it was asked for
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.close()  # the child ends by itself then
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:  # it is still loading
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def _wait_for_address(self) -> tuple[str, int]:
        assert self._process.stdout is not None  # noqa: S101  # it was asked for
        limit = threading.Timer(_LOADING_SECONDS, self._process.kill)
        limit.daemon = True
        limit.start()
        try:
            line = self._process.stdout.readline()
        finally:
            limit.cancel()
        address = urlsplit(line.decode().strip())
        if address.hostname is None or address.port is None:
            self._log.seek(0)
            last = self._log.read().decode(errors="replace").strip().splitlines()[-1:]
            raise LanguageModelError(
                Sentence(
                    "The local model could not be loaded: {why}.", why=" ".join(last) or Sentence("its process ended")
                )
            )
        return address.hostname, address.port


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
