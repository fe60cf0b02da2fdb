"""A command that reads a damaged file of entries puts its good copy in place first, as a host does at its start."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import app
from nanobot_memory_plugins.core.clock import SystemClock

CATS = ("Tabby", "Minka", "Felix", "Momo")
OFF = {"storage": {"embeddingProvider": "none"}}
DAMAGES = ("empty", "zeroed", "erased")


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """Return a file of entries in a workspace of its own."""
    file = tmp_path / "memory" / "ENTRIES.md"
    file.parent.mkdir()
    now = SystemClock().now().replace(microsecond=0)
    cats = {f"cat{cat}": Entry(f"cat{cat}", f"The neighbour's cat is called {cat}", "fact", 0.9, now) for cat in CATS}
    EntryRepository(tmp_path).update(lambda _: cats, who="test", why="fill")
    configure(tmp_path)
    return file


def configure(workspace: Path, **plugins: object) -> None:
    (workspace / "config.json").write_text(json.dumps({"memoryPlugins": {**OFF, **plugins}}))


def damage(file: Path, how: str) -> bytes:
    data = file.read_bytes()
    bad = {"empty": b"", "erased": b"\xff" * len(data), "zeroed": b"\0" * len(data)}[how]
    file.write_bytes(bad)
    return bad


def run(file: Path, command: str, *arguments: str, config: bool = True) -> Result:
    place = ["--workspace", str(file.parents[1])]
    place += ["--config", str(file.parents[1] / "config.json")] if config else []
    return CliRunner().invoke(app, [command, *arguments, *place])


def count(text: str) -> int:
    return sum(cat in text for cat in CATS)


def is_repaired(file: Path, bad: bytes) -> bool:
    kept = any(path.read_bytes() == bad for path in file.parent.glob("ENTRIES.md.damaged"))
    return count(file.read_text("utf-8", "replace")) == len(CATS) and (kept or not bad)


@pytest.mark.parametrize("how", DAMAGES)
def test_search_finds_what_the_good_copy_holds(memory: Path, how: str):
    bad = damage(memory, how)
    found = run(memory, "search", "neighbour cat", "--no-embeddings", "--json")
    assert found.exit_code == 0
    assert len(found.stdout.splitlines()) == 1
    assert count(" ".join(hit["snippet"] for hit in json.loads(found.stdout)["hits"])) == len(CATS)
    assert is_repaired(memory, bad)
    assert "ENTRIES.md is damaged" in found.stderr
    again = run(memory, "search", "neighbour cat", "--no-embeddings")
    assert "damaged" not in again.stderr


def test_a_sound_file_is_left_as_it_is(memory: Path):
    before = memory.read_bytes(), memory.stat().st_mtime_ns
    assert "damaged" not in run(memory, "search", "cat", "--no-embeddings").stderr
    assert (memory.read_bytes(), memory.stat().st_mtime_ns) == before
