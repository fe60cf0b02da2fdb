"""Empty, broken and hostile workspaces: the panel opens, reports the problem, and loses nothing."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.panel.app import VIEWS
from nanobot_memory_plugins.panel.views.sessions import files_of as sessions_of

from .conftest import driven


def memory_is_a_file(workspace: Path) -> None:
    (workspace / "memory").write_text("no folder", encoding="utf-8")


def garbage_everywhere(workspace: Path) -> None:
    memory = workspace / "memory"
    for folder in ("sessions", ".entries", ".spill"):
        (memory / folder).mkdir(parents=True)
    junk = b'\xff\xfe\x00\x1b[2J[bold]no markup[/nope]\n{"a": [\n'
    for name in (
        "ENTRIES.md", "2026-03-20.md", "2026-99-99.md", "sessions/a.jsonl", "sessions/b.jsonl",
        ".entries/journal.jsonl", ".spill/x",
    ):  # fmt: skip
        (memory / name).write_bytes(junk)
    (memory / "sessions" / "empty.jsonl").write_bytes(b"")
    (memory / "sessions" / "dir.jsonl").mkdir()
    (memory / "sessions" / "link.jsonl").symlink_to("/etc/passwd")
    (workspace / ".storage").mkdir()
    (workspace / ".storage" / "memory.db").write_bytes(b"SQLite format 3\0" + junk)


@pytest.mark.slow
@pytest.mark.parametrize("make", [memory_is_a_file, garbage_everywhere])
async def test_every_view_opens(make: Callable[[Path], None], workspace: Path, config: Path):
    make(workspace)
    before = files_of(workspace)
    async with driven(workspace, config) as panel:
        for name in VIEWS:
            await panel.show(name)
            await panel.press("down")
            assert len(panel.lines()) == 24
        await panel.show("memories")
        for key in ("e", "f", "r", "u"):
            await panel.press(key)
        assert panel.app.is_running
    after = files_of(workspace)
    assert {name: data for name, data in after.items() if name in before} == before


def files_of(workspace: Path) -> dict[str, bytes]:
    """Return the bytes of every memory file, without the index and its files, which may be rebuilt."""
    files = sorted((workspace / "memory").rglob("*")) if (workspace / "memory").is_dir() else []
    return {
        file.name: file.read_bytes()
        for file in files
        if file.is_file() and not file.is_symlink() and os.access(file, os.R_OK) and ".locks" not in file.parts
    }


async def test_what_stands_in_files_is_never_taken_for_markup_or_control(workspace: Path, config: Path):
    (workspace / "memory" / "sessions").mkdir(parents=True)
    text = "[bold]x[/nope] [@click=app.quit]y[/] \x1b[2J\x07 \u202e z"
    (workspace / "memory" / "sessions" / "s.jsonl").write_text(
        json.dumps({"id": "1", "role": "user", "text": text, "session": "s"}) + "\n", encoding="utf-8"
    )
    async with driven(workspace, config) as panel:
        await panel.show("sessions")
        await panel.sees("[bold]x[/nope] [@click=app.quit]y[/]")
        await panel.sees("[/] \ufffd[2J")
        assert not any(char in line for line in panel.lines() for char in "\x1b\x07\u202e")
        assert {cell_len(line) for line in panel.lines()} == {80}


def test_links_and_folders_are_no_files_of_the_memory(workspace: Path):
    garbage_everywhere(workspace)
    found = sessions_of(MemoryPaths.of(workspace))
    assert {file.key for file in found} == {"a", "b", "empty", "2026-99-99", "2026-03-20"}


def test_no_workspace_and_no_terminal_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run_command_line(["panel", "--workspace", str(tmp_path / "none")]) == 1
    assert "There is no workspace" in capsys.readouterr().err
    assert run_command_line(["panel", "--workspace", str(tmp_path)]) == 1
    assert "needs a terminal" in capsys.readouterr().err
    assert run_command_line(["panel", "--port", "99999"]) == 2
