"""Without a configuration, a host uses that of the command line."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, MemoryService

OFF = {"core": {"tools": False}, "recall": {"enabled": False}}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NANOBOT_MEMORY_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


async def test_the_default_configuration_is_that_of_the_command_line(tmp_path: Path):
    (tmp_path / "home" / ".nanobot").mkdir()
    nanobot = {"agents": {}, "channels": {"memoryPlugins": OFF}}
    (tmp_path / "home" / ".nanobot" / "config.json").write_text(json.dumps(nanobot), encoding="utf-8")
    async with MemoryHost(tmp_path / "w") as memory, MemoryService(tmp_path / "v") as service:
        assert not memory.config.enabled("recall")
        assert not service.config.enabled("recall")
        assert memory.tools() == []
        assert list(service.tools()) == []
    async with MemoryHost(tmp_path / "w", config=MemoryConfig()) as memory:
        assert memory.config == MemoryConfig()
        assert memory.tools() != []
