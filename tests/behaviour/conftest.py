"""What the tests of the promises share: a life to live, and a model that reads as it is told to."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.behaviour.kit.life import PLUGINS, Life
from tests.behaviour.kit.model import ReadingModel


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a test out of the home of whoever runs it, and load the set's own plugins."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", PLUGINS)
    monkeypatch.delenv("NANOBOT_MEMORY_CONFIG", raising=False)


@pytest.fixture
def model() -> Iterator[ReadingModel]:
    """A language model behind HTTP that reads as it is told to."""
    with ReadingModel() as server:
        yield server


@pytest.fixture
def life(tmp_path: Path, model: ReadingModel) -> Life:
    """A fresh workspace with a language model."""
    return Life(tmp_path, model)


@pytest.fixture
def life_with_vectors(life: Life, builtin_model: Path) -> Life:
    """A fresh workspace with a language model and the built-in embedding model."""
    life.options["storage"] = {"embeddingProvider": "fastembed", "embeddingModel": str(builtin_model)}
    return life


@pytest.fixture
def life_without_model(tmp_path: Path) -> Life:
    """A fresh workspace without a language model."""
    return Life(tmp_path)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what installs plugins from source, beside the set's own or, with ``alone``, in their place."""
    from nanobot_memory_plugins.core.testing import install_plugin

    names: list[str] = []

    def put(name: str, source: str, *, alone: bool = False) -> None:
        folder = tmp_path / f"site-{name}"
        folder.mkdir()
        install_plugin(folder, monkeypatch, name, source)
        names.append(name)
        monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", ",".join(names if alone else [PLUGINS, *names]))

    return put
