import os
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.replace import replace_file


def test_a_failure_leaves_the_file_unchanged(tmp_path: Path) -> None:
    real = tmp_path / "real.md"
    real.write_bytes(b"one")
    link = tmp_path / "MEMORY.md"
    link.symlink_to(real)
    with pytest.raises(MemoryFileError, match="symbolic link"):
        replace_file(link, b"two")
    with pytest.raises(MemoryFileError, match="cannot be written"):
        replace_file(tmp_path / "missing" / "x.md", b"two")
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(MemoryFileError, match="no regular file"):
        replace_file(tmp_path / "folder.md", b"two")
    assert real.read_bytes() == b"one"
    assert sorted(os.listdir(tmp_path)) == ["MEMORY.md", "folder.md", "real.md"]
