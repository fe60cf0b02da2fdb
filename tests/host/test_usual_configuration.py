"""A host that is given no configuration has the one that the command line reads; one given in code is used as it is."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, MemoryService
from nanobot_memory_plugins.core.cli.main import run_command_line

OFF = {"core": {"tools": False}, "recall": {"enabled": False}}
Place = Callable[[Path, pytest.MonkeyPatch], None]


def _in_this_folder(folder: Path, patch: pytest.MonkeyPatch) -> None:
    (folder / "config.json").write_text(json.dumps({"memoryPlugins": OFF}), encoding="utf-8")


def _named_by_the_environment(folder: Path, patch: pytest.MonkeyPatch) -> None:
    file = folder / "other.json"
    file.write_text(json.dumps({"memoryPlugins": OFF}), encoding="utf-8")
    patch.setenv("NANOBOT_MEMORY_CONFIG", str(file))


def _of_nanobot(folder: Path, patch: pytest.MonkeyPatch) -> None:
    (folder / "home" / ".nanobot").mkdir(parents=True)
    nanobot = {"agents": {}, "channels": {"memoryPlugins": OFF}}
    (folder / "home" / ".nanobot" / "config.json").write_text(json.dumps(nanobot), encoding="utf-8")


PLACES = [_in_this_folder, _named_by_the_environment, _of_nanobot]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NANOBOT_MEMORY_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("place", PLACES)
def test_what_the_command_line_calls_disabled_is_so_in_a_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: Place
):
    place(tmp_path, monkeypatch)
    run_command_line(["plugins"])
    (row,) = (line for line in capsys.readouterr().out.splitlines() if line.lstrip().startswith("recall"))
    assert "disabled" in row
    asyncio.run(_look(tmp_path))


async def _look(tmp_path: Path) -> None:
    async with MemoryHost(tmp_path / "w") as memory, MemoryService(tmp_path / "v") as service:
        assert not memory.config.enabled("recall")
        assert not service.config.enabled("recall")
        assert memory.tools() == []
        assert list(service.tools()) == []


@pytest.mark.parametrize("place", PLACES)
async def test_a_configuration_in_code_reads_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Place):
    place(tmp_path, monkeypatch)
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
