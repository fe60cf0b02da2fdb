"""A stock nanobot with a scripted model, for the triggers on its real loop."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from nanobot_memory_plugins.core.testing.scripted_server import ScriptedServer
from tests.support.nanobot import OFFLINE, Installation


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def install(tmp_path, server, monkeypatch) -> Callable[..., Installation]:
    """Make a nanobot installation, and this process its user's."""

    def make(memory: dict[str, Any] | None = None, **defaults: Any) -> Installation:
        made = Installation(tmp_path, server, memory if memory is not None else {}, **defaults)
        for name, value in {**OFFLINE, "HOME": str(made.home)}.items():
            monkeypatch.setenv(name, value)
        return made

    return make
