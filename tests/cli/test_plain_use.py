"""Common use: filters without words, a file in place of a folder, and narrow terminals."""

import io
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line

NOTES = """### 2026-03-06 10:00 coffee
type: note
tags: coffee
tl;dr: Ana prefers dark roast

### 2026-03-06 11:00 tea
type: note
tags: tea
tl;dr: Jo prefers green tea, 乌龙茶 🍵
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-03-06.md").write_text(NOTES, encoding="utf-8")
    return tmp_path


def test_a_filter_needs_no_words(workspace: Path, capsys: pytest.CaptureFixture[str]):
    assert run_command_line(["search", "--tag", "coffee", "-w", str(workspace), "--no-embeddings"]) == 0
    shown = capsys.readouterr()
    assert "Ana prefers dark roast" in shown.out
    assert "green tea" not in shown.out
    assert "level 2" not in shown.err  # a search by words was requested


# Commands that read or change an existing memory.
MEMORY_COMMANDS = [
    ["search", "x"],
    ["entries", "remember", "a new fact"],
    ["purge", "--text", "a long sentence that nobody said", "--dry-run"],
]


@pytest.mark.parametrize("arguments", [*MEMORY_COMMANDS, ["import", "notes", "--from", "markdown"]], ids=" ".join)
def test_a_file_in_place_of_the_memory_folder_is_reported(arguments: list[str], tmp_path: Path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("# Tea\n\nJo prefers green tea.\n")
    (tmp_path / "memory").write_text("x")
    assert run_command_line([*arguments, "-w", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "is a file, where the folder of the memory belongs. `nanobot-memory doctor` says how" in " ".join(
        said.split()
    )
    assert sorted(one.name for one in tmp_path.iterdir()) == ["memory", "notes"]


def test_an_error_of_the_system_has_a_hint(workspace: Path, capsys: pytest.CaptureFixture[str]):
    (workspace / "memory" / ".locks").write_text("in the way")
    assert run_command_line(["entries", "remember", "a new fact", "-w", str(workspace)]) == 1
    assert "`nanobot-memory doctor` says which file it is" in capsys.readouterr().err


def test_a_narrow_terminal_without_utf_8_shows_all_text(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("COLUMNS", "20")
    for command in (["--help"], ["plugins"], ["entries", "list"], ["search", "tea", "--no-embeddings"]):
        assert run_command_line(command if command == ["--help"] else [*command, "-w", str(workspace)]) == 0
    screen.flush()
    assert "乌龙茶 🍵" in screen.buffer.getvalue().decode("utf-8")
