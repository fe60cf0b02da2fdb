"""The exit status of a command tells what went wrong, and is the same for the same fault in every command."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line

WRONG_VALUES = [
    ["search", "tea", "--since", "soon"],
    ["search", "tea", "--until", "2026-13"],
    ["search", "tea", "--since", "2026-03", "--until", "2026-02"],
    ["timeline", "--since", "soon"],
    ["timeline", "--since", "2026-03", "--until", "2026-02"],
    ["timeline", "blue cheese"],
    ["entries", "remember", "Tea is green.", "--expires", "2020-01-01"],
    ["entries", "remember", "Tea is green.", "--expires", "never"],
    ["entries", "remember", "Tea is green.", "--category", "tea"],
    ["entries", "list", "--as-of", "2026-13"],
    ["search", "tea", "--limit", "0"],
    ["search", "tea", "--kind", "tea"],
    ["search", "tea", "--project", "./nowhere"],
    ["import", "notes", "--from", "tea"],
    ["export", "--daily", "--to", "a-file"],
    ["cost", "--days", "0"],
    ["cost", "--lang", "tlh"],
]
WITH_ITS_WORKSPACE = [
    ["search", "tea"],
    ["timeline"],
    ["why", "tea"],
    ["entries", "list"],
    ["entries", "remember", "Tea is green."],
    ["stats"],
    ["cost"],
    ["export"],
    ["index"],
    ["init", "--yes"],
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("NANOBOT_MEMORY_CONFIG", "NANOBOT_MEMORY_WORKSPACE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("arguments", WRONG_VALUES, ids=" ".join)
def test_a_wrong_value_is_wrong_use_and_is_said_by_the_program(
    arguments: list[str], home: Path, capsys: pytest.CaptureFixture[str]
):
    (home / "memory").mkdir()
    (home / "notes").mkdir()
    (home / "notes" / "tea.md").write_text("# Tea\n", encoding="utf-8")
    (home / "a-file").write_text("", encoding="utf-8")
    assert run_command_line([*arguments, "-w", str(home)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(("nanobot-memory: ", "Usage: nanobot-memory ")), said


@pytest.mark.parametrize("arguments", WITH_ITS_WORKSPACE, ids=" ".join)
def test_a_configuration_that_cannot_be_read_is_one_fault_in_every_command(
    arguments: list[str], home: Path, capsys: pytest.CaptureFixture[str]
):
    (home / ".nanobot").mkdir()
    file = home / ".nanobot" / "config.json"
    file.write_text('{"agents": ', encoding="utf-8")
    assert run_command_line(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("nanobot-memory: "), said
    assert "config.json" in said
    assert file.read_text(encoding="utf-8") == '{"agents": '
