"""What the commands share: the workspace they mean, and the object that they print."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.cli.options import print_json, resolve_workspace


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".nanobot").mkdir()
    return tmp_path


def test_the_workspace_is_looked_for_in_order(home: Path):
    assert resolve_workspace(None, environment={}) == home / ".nanobot" / "workspace"
    config = home / ".nanobot" / "config.json"
    config.write_text('{"agents": {"defaults": {"workspace": "~/agents/one"}}}')
    assert resolve_workspace(None, environment={}) == home / "agents" / "one"
    variable = {"NANOBOT_MEMORY_WORKSPACE": "two"}
    assert resolve_workspace(None, environment=variable) == home / "two"
    assert resolve_workspace(Path("~/three"), environment=variable) == home / "three"


def test_what_is_printed_is_one_line_of_json(capsys: pytest.CaptureFixture[str]):
    print_json({"path": Path("a"), "text": "两\n行 \udc80", "rows": ({"deep": {1}},)})
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {"path": "a", "text": "两\n行 ?", "rows": [{"deep": [1]}]}


def test_the_log_goes_to_standard_error_without_values():
    script = """
from nanobot_memory_plugins.core.cli.main import configure_log
from nanobot_memory_plugins.core.log import logger
configure_log(True)
logger.debug("a detail")
try:
    password = "hunter" + "2"
    password / 0
except TypeError:
    logger.exception("two\\nlines")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == ""
    assert "two lines\n" in done.stderr
    assert "DEBUG   __main__: a detail\n" in done.stderr
    assert "TypeError" in done.stderr
    assert "hunter2" not in done.stderr


@pytest.mark.parametrize("arguments", [["entries", "remember", "My dog is Rex"], ["search", "Rex"]])
def test_no_other_memory_is_taken_where_the_configuration_that_names_it_cannot_be_read(
    arguments: list[str], home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    configuration = home / ".nanobot" / "config.json"
    configuration.write_text('{"agents": {"defaults": {"workspace": "elsewhere"}},}', encoding="utf-8")
    (home / "notes").mkdir()
    monkeypatch.delenv("NANOBOT_MEMORY_WORKSPACE", raising=False)
    assert run_command_line(arguments) in (1, 2)
    told = " ".join(capsys.readouterr().err.split())
    assert "says where the memory is, and cannot be used: the file is not JSON" in told
    assert "--workspace" in told
    assert list((home / ".nanobot").iterdir()) == [configuration]
    assert resolve_workspace(None, environment={}, guess=True) == home / ".nanobot" / "workspace"
