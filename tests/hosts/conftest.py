"""Fixtures for the tests of all adapters."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.support.hosts import HostEnvironment


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostEnvironment]:
    """A workspace and a scripted chat completions model, whose ``rules`` are the script."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with ScriptedServer() as server:
        made = HostEnvironment(tmp_path, server)
        yield made
        made.close()
