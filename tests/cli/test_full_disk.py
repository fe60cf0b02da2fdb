"""A full disk, as whoever runs a command is told of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from tests.support.obstacles import MEGABYTE, small_file_system


def test_a_full_disk_is_said_in_one_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    disk = tmp_path / "disk"
    with small_file_system(disk, MEGABYTE) as refused:
        if refused:
            pytest.skip(refused)
        (disk / "memory").mkdir()
        day = disk / "memory" / "2026-02-16.md"
        day.write_text("The tea grows on the northern slope.\n", encoding="utf-8")
        assert run_command_line(["index", "--no-embeddings", "-w", str(disk)]) == 0
        day.write_text("The tea grows on the southern slope.\n", encoding="utf-8")
        with (disk / "filling").open("wb", buffering=0) as filling:
            while disk_has_room(disk):
                filling.write(bytes(4_096))
        done = subprocess.run(
            [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "search", "tea", "--no-embeddings", "-w", disk],
            env=os.environ | {"HOME": str(tmp_path), "NO_COLOR": "1"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert "southern slope" in done.stdout  # the files are looked at themselves
    warnings = [line for line in done.stderr.splitlines() if line.startswith("WARNING")]
    assert len(warnings) == 1
    assert "no space left for the index" in warnings[0]


def disk_has_room(disk: Path) -> bool:
    found = os.statvfs(disk)
    return found.f_bavail > 0
