"""What commands share: finding the workspace, printing JSON, and the log."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.options import print_json, resolve_workspace


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".nanobot").mkdir()
    return tmp_path


def test_the_workspace_is_searched_in_order(home: Path):
    assert resolve_workspace(None, environment={}) == home / ".nanobot" / "workspace"
    config = home / ".nanobot" / "config.json"
    config.write_text('{"agents": {"defaults": {"workspace": "~/agents/one"}}}')
    assert resolve_workspace(None, environment={}) == home / "agents" / "one"
    variable = {"NANOBOT_MEMORY_WORKSPACE": "two"}
    assert resolve_workspace(None, environment=variable) == home / "two"
    assert resolve_workspace(Path("~/three"), environment=variable) == home / "three"


def test_json_is_printed_on_one_line(capsys: pytest.CaptureFixture[str]):
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
