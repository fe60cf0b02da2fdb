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
DAMAGES = ("empty", "zeroed", "erased", "half")


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
    half = data[: data.rindex(b"### [") + 8]
    bad = {"empty": b"", "erased": b"\xff" * len(data), "zeroed": b"\0" * len(data), "half": half}[how]
    file.write_bytes(bad)
    return bad


def run(file: Path, command: str, *arguments: str, config: bool = True) -> Result:
    place = ["--workspace", str(file.parents[1])]
    place += ["--config", str(file.parents[1] / "config.json")] if config else []
    return CliRunner().invoke(app, [command, *arguments, *place])


def count(text: str) -> int:
    return sum(cat in text for cat in CATS)


def is_repaired(file: Path, bad: bytes) -> bool:
    kept = any(path.read_bytes() == bad for path in file.parent.glob("ENTRIES.md.aside-*"))
    return count(file.read_text("utf-8", "replace")) == len(CATS) and (kept or not bad)


@pytest.mark.parametrize("how", DAMAGES)
def test_search_finds_what_the_good_copy_holds(memory: Path, how: str):
    bad = damage(memory, how)
    found = run(memory, "search", "neighbour cat", "--no-embeddings", "--json")
    assert found.exit_code == 0
    assert len(found.stdout.splitlines()) == 1
    assert count(" ".join(hit["snippet"] for hit in json.loads(found.stdout)["hits"])) == len(CATS)
    assert is_repaired(memory, bad)
    assert "ENTRIES.md was damaged" in found.stderr
    again = run(memory, "search", "neighbour cat", "--no-embeddings")
    assert "damaged" not in again.stderr


@pytest.mark.parametrize("how", DAMAGES)
def test_index_indexes_what_the_good_copy_holds(memory: Path, how: str):
    whole = json.loads(run(memory, "index", "--json").stdout)["documents"]
    bad = damage(memory, how)
    indexed = run(memory, "index", "--json")
    assert json.loads(indexed.stdout)["documents"] == whole == len(CATS)
    assert is_repaired(memory, bad)
    assert "it is kept beside that" in indexed.stderr or not bad


@pytest.mark.parametrize(
    "command",
    [
        ("why", "what is the neighbour's cat called?", "--no-embeddings"),
        ("audit",),
        ("entries", "list"),
        ("export", "--to", "memory.zip"),
    ],
    ids=lambda command: command[0],
)
def test_so_do_the_other_commands_that_read_it(memory: Path, command: tuple[str, ...], tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bad = damage(memory, "zeroed")
    ended = run(memory, *command, config=command[0] in ("why", "audit"))
    assert ended.exit_code == 0, ended.output
    assert is_repaired(memory, bad)
    assert ended.stderr.count("ENTRIES.md was damaged") == 1


def test_so_does_the_panel_before_it_looks_for_a_terminal(memory: Path):
    bad = damage(memory, "zeroed")
    assert "ENTRIES.md was damaged" in run(memory, "panel").stderr
    assert is_repaired(memory, bad)


def test_a_sound_file_is_left_as_it_is(memory: Path):
    before = memory.read_bytes(), memory.stat().st_mtime_ns
    assert "damaged" not in run(memory, "search", "cat", "--no-embeddings").stderr
    assert (memory.read_bytes(), memory.stat().st_mtime_ns) == before


def test_a_plugin_that_is_turned_off_mends_nothing(memory: Path):
    configure(memory.parents[1], consolidation={"enabled": False})
    bad = damage(memory, "zeroed")
    assert run(memory, "search", "cat", "--no-embeddings").exit_code == 0
    assert memory.read_bytes() == bad


def test_where_somebody_has_the_entries_locked_the_search_goes_on(memory: Path):
    bad = damage(memory, "half")
    with EntryRepository(memory.parents[1]).locked():
        found = run(memory, "search", "neighbour cat", "--no-embeddings", "--json")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["hits"]
    assert memory.read_bytes() == bad


def test_a_mender_that_fails_costs_only_itself(memory: Path, monkeypatch):
    monkeypatch.setattr("nanobot_memory_plugins.consolidation.store.repair.repair_workspace", lambda _: 1 / 0)
    damage(memory, "half")
    assert run(memory, "search", "cat", "--no-embeddings").exit_code == 0
