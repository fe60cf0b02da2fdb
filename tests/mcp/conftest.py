"""Fixtures for the tests of the MCP server."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from tests.support.mcp_clients import ServedWorkspace


@pytest.fixture
def served(tmp_path: Path) -> ServedWorkspace:
    return ServedWorkspace(tmp_path)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "NANOBOT_MEMORY_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def connect(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict]:
    """Run ``connect``, and return its JSON."""

    def run(*arguments: str) -> dict:
        code = run_command_line(["connect", *arguments, "--json"])
        out = capsys.readouterr().out
        assert code == 0, out
        return json.loads(out.splitlines()[-1])

    return run
