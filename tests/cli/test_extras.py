"""Commands of an extra of the umbrella distribution when the extra is not installed."""

import importlib.metadata
import json
import tomllib
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.command_group import EXTRA_COMMANDS
from nanobot_memory_plugins.core.cli.main import run_command_line

ROOT = Path(__file__).parents[2]
EXTRAS = importlib.metadata.metadata("nanobot-memory-plugins").get_all("Provides-Extra") or []
OPTIONAL = {f"nanobot-memory-{extra}" for extra in EXTRAS}
WORDS = {(name,): extra for name, extra in EXTRA_COMMANDS.items()}


@pytest.fixture
def umbrella_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the distributions of all extras."""
    installed = [one for one in importlib.metadata.distributions() if one.metadata["Name"] not in OPTIONAL]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: installed)
    monkeypatch.syspath_prepend(str(tmp_path))  # entry points are read again when the import path changes


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_the_error_says_what_to_install(words, umbrella_alone, capsys: pytest.CaptureFixture[str]):
    extra = WORDS[words]
    assert run_command_line([*words, "--json"]) == 2
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert f"{' '.join(words)} is in nanobot-memory-{extra}" in shown.err
    assert f"pip install 'nanobot-memory-plugins[{extra}]'" in shown.err
    answer = json.loads(shown.out)
    assert answer["ok"] is False
    assert f"[{extra}]" in answer["hint"]


def test_the_help_does_not_list_commands_that_are_not_installed(umbrella_alone, capsys: pytest.CaptureFixture[str]):
    assert run_command_line(["--help"]) == 0
    assert not set(capsys.readouterr().out.split()) & set(EXTRA_COMMANDS)


def test_the_table_has_every_command_of_every_extra():
    found = {}
    for file in ROOT.glob("nanobot_memory_plugins/*/pyproject.toml"):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        if project["name"] in OPTIONAL:
            found |= dict.fromkeys(project.get("entry-points", {}).get("nanobot_memory_commands", {}), file.parent.name)
    assert found == EXTRA_COMMANDS
