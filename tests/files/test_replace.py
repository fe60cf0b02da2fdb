import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.replace import replace_file

Child = Callable[..., "Popen[str]"]


def test_the_previous_file_is_kept_as_a_link(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    replace_file(path, b"one")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    inode = path.stat().st_ino
    replace_file(str(path), b"two")
    backup = tmp_path / "MEMORY.md.bak"
    assert (path.read_bytes(), backup.read_bytes()) == (b"two", b"one")
    assert backup.stat().st_ino == inode
    assert path.stat().st_mode & 0o777 == 0o640
    replace_file(path, b"three")
    assert (path.read_bytes(), backup.read_bytes()) == (b"three", b"two")
    assert sorted(os.listdir(tmp_path)) == ["MEMORY.md", "MEMORY.md.bak"]


def test_a_failure_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    real = tmp_path / "real.md"
    real.write_bytes(b"one")
    link = tmp_path / "MEMORY.md"
    link.symlink_to(real)
    with pytest.raises(MemoryFileError, match="symbolic link"):
        replace_file(link, b"two")
    with pytest.raises(MemoryFileError, match="cannot be replaced"):
        replace_file(tmp_path / "missing" / "x.md", b"two")
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(MemoryFileError, match="no regular file"):
        replace_file(tmp_path / "folder.md", b"two")
    assert real.read_bytes() == b"one"
    assert sorted(os.listdir(tmp_path)) == ["MEMORY.md", "folder.md", "real.md"]


def test_a_process_killed_at_any_time_leaves_whole_files(child: Child, tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    replace_file(path, b"a" * 300_000)
    replace_file(path, b"a" * 300_000)
    chance = random.Random(7)
    for _ in range(8):
        process = child("""
        say("ready")
        for number in range(1_000_000):
            replace_file(workspace + "/MEMORY.md", bytes([97 + number % 26]) * 300_000)
        """)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0, 0.05))
        process.kill()
        process.wait()
        for name in ("MEMORY.md", "MEMORY.md.bak"):
            data = (tmp_path / name).read_bytes()
            assert len(data) == 300_000
            assert data == data[:1] * 300_000
