"""Fixtures for the tests with a real nanobot."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.behaviour.kit.nanobot import be_user_of
from tests.scopes.nanobot_chat import Install
from tests.support.nanobot import Installation

OURS = {"storage": {"embeddingProvider": "none"}, "consolidation": {"consolidationSchedule": False}}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def install(tmp_path, server, monkeypatch) -> Install:
    """Create a nanobot with some channels."""

    def make(channels: dict[str, Any], people: dict[str, list[str]] | None = None, **defaults: Any) -> Installation:
        core = {"messageLimit": 20, "toolLimit": 20, **({"people": people} if people else {})}
        made = Installation(tmp_path, server, {"core": core, **OURS}, **defaults)
        raw = json.loads(made.config_file.read_text(encoding="utf-8"))
        raw["channels"] |= {name: {"enabled": True, **section} for name, section in channels.items()}
        made.config_file.write_text(json.dumps(raw), encoding="utf-8")
        be_user_of(made.home, monkeypatch)
        monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,storage,recall,consolidation")
        return made

    return make
