"""A host that is given no configuration has the one that the command line reads; one given in code is used as it is."""

import asyncio
import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, MemoryService
from nanobot_memory_plugins.core.cli.main import run_command_line

OFF = {"core": {"tools": False}, "recall": {"enabled": False}}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NANOBOT_MEMORY_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


async def test_what_the_command_line_calls_disabled_is_so_in_a_host_that_is_given_no_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "home" / ".nanobot").mkdir()
    nanobot = {"agents": {}, "channels": {"memoryPlugins": OFF}}
    (tmp_path / "home" / ".nanobot" / "config.json").write_text(json.dumps(nanobot), encoding="utf-8")
    await asyncio.to_thread(run_command_line, ["plugins"])
    (row,) = (line for line in capsys.readouterr().out.splitlines() if line.lstrip().startswith("recall"))
    assert "disabled" in row
    async with MemoryHost(tmp_path / "w") as memory, MemoryService(tmp_path / "v") as service:
        assert not memory.config.enabled("recall")
        assert not service.config.enabled("recall")
        assert memory.tools() == []
        assert list(service.tools()) == []
    async with MemoryHost(tmp_path / "w", config=MemoryConfig()) as memory:
        assert memory.config == MemoryConfig()
        assert memory.tools() != []


async def test_what_is_wrong_in_the_file_is_logged_by_a_host(tmp_path: Path, caplog_of_ours: list[str]):
    (tmp_path / "config.json").write_text(json.dumps({"memoryPlugins": {"core": {"tols": False}}}), encoding="utf-8")
    async with MemoryHost(tmp_path / "w") as memory:
        assert memory.tools() != []
    assert any("tols" in line for line in caplog_of_ours)


@pytest.fixture
def caplog_of_ours():
    from loguru import logger

    lines: list[str] = []
    handler = logger.add(lines.append, level="WARNING", format="{message}")
    yield lines
    logger.remove(handler)
