"""Memories in older places come along."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.storage.sources.migration import MARKER, migrate_legacy


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def migrate(workspace: Path) -> list[str]:
    copies = migrate_legacy(workspace, MemoryPaths.of(workspace))
    return [path.relative_to(workspace).as_posix() for path in copies]


@pytest.mark.accept("V5-05")
def test_legacy_memory_is_copied_once_and_left_in_place(tmp_path: Path):
    root = write(tmp_path / "MEMORY.md", "root memory\n")
    note = write(tmp_path / "notes" / "2025-01-02.md", "a day\n")
    deep = write(tmp_path / "notes" / "work" / "plan.md", "a plan\n")
    assert sorted(migrate(tmp_path)) == ["memory/2025-01-02.md", "memory/MEMORY.md", "memory/work/plan.md"]
    assert (tmp_path / "memory" / "MEMORY.md").read_text() == "root memory\n"
    assert [path.read_text() for path in (root, note, deep)] == ["root memory\n", "a day\n", "a plan\n"]
    assert (tmp_path / MARKER).is_file()
    assert (tmp_path / "notes" / MARKER).is_file()

    (tmp_path / "memory" / "2025-01-02.md").unlink()  # forgotten since, and it must stay so
    write(tmp_path / "notes" / "later.md", "later\n")
    assert migrate(tmp_path) == []
    assert not (tmp_path / "memory" / "2025-01-02.md").exists()


@pytest.mark.accept("V5-05")
def test_migration_writes_over_nothing(tmp_path: Path):
    write(tmp_path / "MEMORY.md", "legacy\n")
    write(tmp_path / "notes" / "same.md", "the same\n")
    write(tmp_path / "memory" / "MEMORY.md", "current\n")
    write(tmp_path / "memory" / "same.md", "the same\n")
    assert migrate(tmp_path) == ["memory/legacy/MEMORY.md"]
    assert (tmp_path / "memory" / "MEMORY.md").read_text() == "current\n"
    assert (tmp_path / "memory" / "legacy" / "MEMORY.md").read_text() == "legacy\n"
