"""Which files are indexed."""

from pathlib import Path

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.storage.sources.source_files import FileKind, SourceFinder


def write(path: Path, text: str = "text\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def found(workspace: Path) -> dict[str, FileKind]:
    return {source.relative: source.kind for source in SourceFinder(MemoryPaths.of(workspace)).find()}


def test_every_kind_of_memory_file_is_found_and_nothing_else(tmp_path: Path):
    for name in (
        "memory/MEMORY.md",
        "memory/ENTRIES.md",
        "memory/2026-02-16.md",
        "memory/sessions/cli.jsonl",
        "memory/projects/alpha.md",
        "memory/notes.md",
    ):
        write(tmp_path / name)
    for name in (
        "MEMORY.md",
        "other.md",
        "memory/history.jsonl",
        "memory/.locks/notes.lock",
        "memory/.git/x.md",
        "memory/MEMORY.md.bak",
        "memory/sessions/readme.txt",
        "memory/.hidden.md",
    ):
        write(tmp_path / name)
    assert found(tmp_path) == {
        "memory/MEMORY.md": FileKind.LONG_TERM,
        "memory/ENTRIES.md": FileKind.LONG_TERM,
        "memory/2026-02-16.md": FileKind.DAY_NOTES,
        "memory/sessions/cli.jsonl": FileKind.TRANSCRIPT,
        "memory/projects/alpha.md": FileKind.DOCUMENT,
        "memory/notes.md": FileKind.DOCUMENT,
    }
