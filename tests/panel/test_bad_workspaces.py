"""Empty, broken and hostile workspaces: the panel opens, says what is wrong, and loses nothing."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.panel.app import VIEWS
from nanobot_memory_plugins.panel.reading import MemoryReader
from tests.support.hostile_workspace import found_in, make_hostile_workspace

from .conftest import driven


def empty(workspace: Path) -> None:
    """Leave it as it is."""


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
@pytest.mark.parametrize("make", [empty, memory_is_a_file, garbage_everywhere])
async def test_every_view_opens(make: Callable[[Path], None], workspace: Path, config: Path):
    make(workspace)
    before = files_of(workspace)
    async with driven(workspace, config) as panel:
        for name in VIEWS:
            await panel.view(name)
            await panel.press("down")
            assert len(panel.lines()) == 24
        await panel.view("memories")
        for key in ("e", "f", "r", "u"):
            await panel.press(key)
        assert panel.app.is_running
    after = files_of(workspace)
    assert {name: data for name, data in after.items() if name in before} == before


def files_of(workspace: Path) -> dict[str, bytes]:
    """Return every memory file's bytes; the index and what goes with it may be made anew."""
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
        await panel.view("sessions")
        await panel.sees("[bold]x[/nope] [@click=app.quit]y[/]")
        await panel.sees("[/] \ufffd[2J")
        assert not any(char in line for line in panel.lines() for char in "\x1b\x07\u202e")
        assert {cell_len(line) for line in panel.lines()} == {80}


@pytest.mark.slow
async def test_no_view_shows_what_steers_or_hides(tmp_path: Path, config: Path):
    seen: dict[str, str] = {}
    async with driven(make_hostile_workspace(tmp_path), config, size=(160, 50)) as panel:
        for name in VIEWS:
            await panel.view(name)
            if name == "search":
                await panel.press(*"zebra", "enter")
                await panel.until(lambda: "of-" in panel.screen())
            for _ in range(3):
                seen[name] = seen.get(name, "") + panel.screen() + "\n"
                await panel.press("down")
        await panel.view("memories")
        for key in ("e", "f", "slash"):
            await panel.press(key)
            seen[f"memories, {key}"] = panel.screen()
            await panel.press("escape")
    assert {name: found for name, screen in seen.items() if (found := found_in(screen))} == {}
    assert all("of-" in seen[name] for name in ("memories", "sessions", "search", "history"))


def test_links_and_folders_are_no_files_of_the_memory(workspace: Path):
    garbage_everywhere(workspace)
    reader = MemoryReader(MemoryPaths.of(workspace))
    assert {file.key for file in reader.files()} == {"a", "b", "empty", "2026-99-99", "2026-03-20"}


def test_a_file_is_read_again_only_when_it_has_changed(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    (workspace / "memory").mkdir()
    for day in (1, 2, 3):
        (workspace / "memory" / f"2026-03-0{day}.md").write_text("### 2026-03-01 10:00\ntl;dr: x\n", encoding="utf-8")
    reader = MemoryReader(MemoryPaths.of(workspace))
    version = reader.version()
    reader.files()
    read: list[str] = []
    real = reader._read
    monkeypatch.setattr(reader, "_read", lambda path: read.append(path.name) or real(path))
    assert len(reader.files()) == 3
    assert (read, reader.version()) == ([], version)
    with (workspace / "memory" / "2026-03-02.md").open("a", encoding="utf-8") as file:
        file.write("\n### 2026-03-02 11:00\ntl;dr: y\n")
    assert sorted(file.count for file in reader.files()) == [1, 1, 2]
    assert read == ["2026-03-02.md"]
    assert reader.version() != version


def test_no_workspace_and_no_terminal_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run_command_line(["panel", "--workspace", str(tmp_path / "none")]) == 1
    assert "There is no workspace" in capsys.readouterr().err
    assert run_command_line(["panel", "--workspace", str(tmp_path)]) == 1
    assert "needs a terminal" in capsys.readouterr().err
    assert run_command_line(["panel", "--port", "99999"]) == 2
