"""Fixtures for the tests on a real nanobot."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.behaviour.kit.nanobot import be_user_of
from tests.support.nanobot import RECORDER, Installation, Recorder


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def install(tmp_path, server, monkeypatch) -> Callable[..., Installation]:
    """Make a nanobot installation, and run this process as its user."""

    def make(memory: dict[str, Any] | None = None, **defaults: Any) -> Installation:
        made = Installation(tmp_path, server, memory if memory is not None else {}, **defaults)
        be_user_of(made.home, monkeypatch)
        return made

    return make


@pytest.fixture
def plugins(tmp_path, monkeypatch) -> Callable[[str, str], None]:
    """Install plugins from source. The memory loads only these and the bridge."""
    folder = tmp_path / "site"
    folder.mkdir()
    names = ["nanobot"]

    def add(name: str, source: str) -> None:
        install_plugin(folder, monkeypatch, name, source)
        names.append(name)
        monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", ",".join(names))

    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot")
    return add


@pytest.fixture
def recorder(tmp_path, plugins, monkeypatch) -> Callable[..., Recorder]:
    """Install the recording plugin; its keyword arguments are what it answers."""

    def make(**answers: Any) -> Recorder:
        monkeypatch.setenv("RECORDER_FILE", str(tmp_path / "calls.jsonl"))
        monkeypatch.setenv("RECORDER_ANSWERS", json.dumps(answers))
        plugins("recorder", RECORDER)
        return Recorder(tmp_path / "calls.jsonl")

    return make
