"""Models are found by name on this machine, quickly and without downloads."""

import sys
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import ConfigurationError, EmbeddingError
from nanobot_memory_plugins.storage.embedding.catalogue import ModelOrigin, find_model
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions

TABLE = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 2], [0, 3]]


@pytest.mark.parametrize(
    ("alias", "name"),
    [("chinese", "BAAI/bge-small-zh-v1.5"), ("English", "sentence-transformers/all-MiniLM-L6-v2")],
)
def test_aliases_stand_for_names_of_the_catalogue(own_cache: Path, alias: str, name: str):
    assert (find_model(alias).name, find_model(alias).origin) == (name, ModelOrigin.HUB)
    assert find_model(name.upper()).name == name


def test_a_folder_on_disk_comes_before_an_alias(tmp_path: Path, tiny_model, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    tiny_model(tmp_path / "chinese", TABLE)
    assert find_model("chinese").origin is ModelOrigin.FOLDER
    assert find_model("chinese").folder == tmp_path / "chinese"


def test_a_folder_without_a_model_is_an_error_that_lists_the_files(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"model\.onnx"):
        find_model(str(tmp_path))


def test_an_unknown_name_is_an_error_that_lists_the_aliases():
    with pytest.raises(ConfigurationError, match="multilingual, chinese, english"):
        find_model("no-such-model")


@pytest.mark.accept("V3-03")
def test_a_missing_model_fails_at_once_with_the_command_that_fetches_it(own_cache: Path, monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    with pytest.raises(EmbeddingError, match="nanobot-memory models pull BAAI"):
        open_embedder(EmbeddingOptions(model="chinese"))
    assert sum(slept) < 1  # fastembed alone would ask the hub, and sleep 39 s


def test_without_fastembed_a_name_of_its_catalogue_is_an_error_with_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbeddingError, match=r'pip install "nanobot-memory-storage\[embedding\]"'):
        find_model("chinese")
