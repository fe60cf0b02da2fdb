"""Models are found by name on this machine, quickly, and fetched only on request."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import ConfigurationError, EmbeddingError, ModelMissingError
from nanobot_memory_plugins.storage.embedding.catalogue import ModelOrigin, find
from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions
from nanobot_memory_plugins.storage.embedding.service import open_embedder

TABLE = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 2], [0, 3]]


def test_the_default_is_the_builtin_model(builtin_model: Path):
    found = find(EmbeddingOptions().model)
    assert (found.origin, found.folder) == (ModelOrigin.BUILTIN, builtin_model)


def test_a_copy_of_the_builtin_model_is_named_by_its_folder(builtin_model: Path):
    found = find(str(builtin_model))
    assert (found.origin, found.folder) == (ModelOrigin.BUILTIN, builtin_model)


@pytest.mark.parametrize(
    ("alias", "name"),
    [("chinese", "BAAI/bge-small-zh-v1.5"), ("English", "sentence-transformers/all-MiniLM-L6-v2")],
)
def test_aliases_stand_for_names_of_the_catalogue(own_cache: Path, alias: str, name: str):
    assert (find(alias).name, find(alias).origin) == (name, ModelOrigin.HUB)
    assert find(name.upper()).name == name


def test_a_folder_on_disk_comes_before_an_alias(tmp_path: Path, tiny_model, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    tiny_model(tmp_path / "chinese", TABLE)
    assert find("chinese").origin is ModelOrigin.FOLDER
    assert find("chinese").folder == tmp_path / "chinese"


def test_a_folder_that_only_has_the_name_of_an_alias_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chinese").mkdir()
    assert find("chinese").origin is ModelOrigin.HUB


def test_a_folder_without_a_model_says_what_it_needs(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"model\.onnx"):
        find(str(tmp_path))


def test_an_unknown_name_says_which_there_are():
    with pytest.raises(ConfigurationError, match="multilingual, chinese, english"):
        find("no-such-model")


@pytest.mark.accept("V3-03")
def test_a_model_that_is_not_here_fails_at_once_and_says_how_to_get_it(own_cache: Path):
    find("chinese")  # imports fastembed, which is not to be measured
    begun = time.monotonic()
    with pytest.raises(ModelMissingError, match="nanobot-memory models pull chinese"):
        open_embedder(EmbeddingOptions(model="chinese"))
    # fastembed alone would ask the hub and sleep 39 s; one look into a folder takes milliseconds.
    assert time.monotonic() - begun < 5


def test_a_hub_that_cannot_be_reached_fails_at_once_with_a_mend(own_cache: Path):
    script = (
        "from nanobot_memory_plugins.storage.embedding.catalogue import pull\n"
        "try: pull('english')\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    # Port 9 of this machine: nothing listens there.
    environment = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert time.monotonic() - begun < 30
    assert done.stdout.startswith("EmbeddingError")
    assert "cannot be reached" in done.stdout
    assert "HF_ENDPOINT" in done.stdout


def test_a_copy_of_a_catalogue_model_is_pooled_as_the_catalogue_says(tmp_path: Path, tiny_model):
    folder = tiny_model(tmp_path / "all-MiniLM-L6-v2", TABLE)
    hub = find(str(folder)).hub
    assert hub is not None
    assert hub.name == "sentence-transformers/all-MiniLM-L6-v2"


def test_without_fastembed_a_name_of_its_catalogue_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbeddingError, match=r'pip install "nanobot-memory-storage\[embedding\]"'):
        find("chinese")
