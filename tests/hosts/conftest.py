"""What the tests of the adapters are given."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.support.hosts import Wired


@pytest.fixture
def wired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wired]:
    """A workspace and a model with chat completions; its ``rules`` are the script."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with ScriptedServer() as server:
        made = Wired(tmp_path, server)
        yield made
        made.close()
