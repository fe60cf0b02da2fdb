"""A process may exit while a model loads or computes in a daemon thread."""

import subprocess
import sys
from pathlib import Path

COMPUTING = """
import threading
from nanobot_memory_plugins.storage.options import EmbeddingOptions
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
service = EmbeddingService(EmbeddingOptions())
service.start()
service.wait(60)
begun = threading.Event()
def work():
    while True:
        begun.set()
        service.embedder.encode(["a long text " * 50] * 4)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
"""


def test_a_process_that_exits_during_a_call_is_not_aborted(builtin_model: Path):
    ended = subprocess.run([sys.executable, "-c", COMPUTING], capture_output=True, check=False, text=True)
    assert "terminate called" not in ended.stderr
    assert ended.returncode == 0
