"""A process that ends while a model loads or computes in a daemon thread ends well."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.storage.embedding.local_provider import NativeCalls

COMPUTING = """
import threading
from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
service = EmbeddingService(EmbeddingOptions())
service.start()
service.wait(60)
begun = threading.Event()
def work():
    while True:
        begun.set()
        service.encode(["a long text " * 50] * 4)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
"""


def test_it_is_not_aborted(builtin_model: Path):
    ended = subprocess.run([sys.executable, "-c", COMPUTING], capture_output=True, check=False, text=True)
    assert "terminate called" not in ended.stderr
    assert ended.returncode == 0


def test_the_end_waits_for_calls_that_run_and_lets_none_begin():
    calls, inside, go_on = NativeCalls(), threading.Event(), threading.Event()

    def work() -> None:
        with calls.one():
            inside.set()
            go_on.wait(30)

    thread = threading.Thread(target=work)
    thread.start()
    assert inside.wait(30)
    assert not calls.end(timeout=0.0)
    with pytest.raises(EmbeddingError, match="ending"), calls.one():
        pass
    go_on.set()
    assert calls.end(timeout=30)
    thread.join()
    calls.begin_anew()
    with calls.one():
        pass
