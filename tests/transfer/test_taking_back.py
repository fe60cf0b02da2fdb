"""An import can be taken back: what it brought goes, what was there or came since then stays."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.files import MemoryPaths, TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.files.spill_format import SpilledRecord
from nanobot_memory_plugins.core.transfer.exporting import export_to
from nanobot_memory_plugins.core.values import Origin, Scope
from tests.transfer.made_memory import TIME, add_entry, hear, make_memory
from tests.transfer.snapshots import records, snapshot


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with files of every kind, something that waits included."""
    theirs = tmp_path / "theirs"
    make_memory(theirs)
    paths = MemoryPaths.of(theirs)
    said = TranscriptRecord(
        "user", "waited", "cli:direct", Scope(session="cli:direct"), Origin.USER, time=TIME, id="w1"
    )
    paths.spill.mkdir(exist_ok=True)
    waiting = SpilledRecord(paths.transcript("cli:direct"), render_transcript_line(said)).encoded(paths)
    (paths.spill / "1-ab.spill").write_bytes(waiting)
    export_to(tmp_path / "a.zip", theirs)
    return tmp_path / "a.zip"


@pytest.fixture
def call(workspace: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str, status: int = 0) -> dict:
        assert run_command_line([*arguments, "--workspace", str(workspace), "--json"]) == status
        out = capsys.readouterr().out
        return json.loads(out.splitlines()[-1]) if out.strip() else {}

    return run


def of_memory(workspace: Path) -> dict[str, bytes]:
    """Return the files but for the locks, the history of the entries and the lists of imports."""
    elsewhere = (".locks/", ".imports/", ".entries/")
    return {n: d for n, d in snapshot(workspace).items() if not n.startswith(elsewhere) and not n.endswith(".bak")}


def files_of(workspace: Path) -> set[str]:
    """Return the names of the files but for the locks."""
    return {name for name in snapshot(workspace) if not name.startswith(".locks/")}


def test_an_import_into_an_empty_workspace_leaves_nothing(archive: Path, workspace: Path, call):
    taken = call("import", str(archive))["taken"]
    before = files_of(workspace)
    done = call("import", "--undo")
    assert done["left"] == []
    assert done["messages"] == taken["messages"]
    assert (sorted(before), done["files"]) == (done["removed"], len(before))
    assert files_of(workspace) == set()
    assert [path.name for path in (workspace / "memory").iterdir()] == [".locks"]
    assert [one["file"] for one in done["stays"]] == [".locks"]
    call("import", "--undo", status=1)
    assert call("import", str(archive))["taken"] == taken
    assert len(EntryRepository(workspace).load().entries) == 3


def test_an_import_into_a_memory_leaves_it_as_it_was(archive: Path, workspace: Path, call):
    make_memory(workspace, word="maple")
    before, entries = of_memory(workspace), EntryRepository(workspace).load().entries
    taken = call("import", str(archive))["taken"]
    assert call("import", "--undo")["left"] == []
    after = of_memory(workspace)
    assert after.pop("2026-03-02.md").split() == before.pop("2026-03-02.md").split()
    assert after == before
    assert EntryRepository(workspace).load().entries == entries
    assert call("import", str(archive))["taken"] == taken


def test_what_came_since_then_stays(archive: Path, workspace: Path, call):
    call("import", str(archive))
    hear(workspace, "said later", 50)
    add_entry(EntryRepository(workspace), "One more.")
    garden = workspace / "memory" / "topics" / "garden.md"
    garden.write_text("rewritten")
    left = {one["file"]: one["why"] for one in call("import", "--undo")["left"]}
    assert left["topics/garden.md"] == "it has been changed since then"
    assert "the entries went on since then" in left["ENTRIES.md"]
    assert [record.text for record in records(workspace)] == ["said later"]
    assert garden.read_text() == "rewritten"
    assert "One more." in {one.content for one in EntryRepository(workspace).load().entries.values()}


def test_notes_of_another_program_are_taken_back_and_taken_again(tmp_path: Path, workspace: Path, call):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "2026-03-02.md").write_text("# Garden\n\nThe walnut tree grows.\n")
    make_memory(workspace, word="maple")
    before = of_memory(workspace)
    taken = call("import", str(tmp_path / "notes"), "--from", "markdown")["taken"]
    assert taken["notes"] == 1
    day = workspace / "memory" / "2026-03-02.md"
    with day.open("a") as file:
        file.write("written below it by hand\n")
    assert call("import", "--undo")["records"] == 1
    assert day.read_bytes().split() == (before["2026-03-02.md"] + b"written below it by hand\n").split()
    assert call("import", str(tmp_path / "notes"), "--from", "markdown")["taken"] == taken


def make_notes(folder: Path, *words: str) -> Path:
    folder.mkdir(exist_ok=True)
    for number, word in enumerate(words, 1):
        (folder / f"2026-03-0{number}.md").write_text(f"# {word}\n\nThe {word} is in the shed.\n")
    return folder


def test_files_that_an_import_made_are_counted_with_its_own_lists(tmp_path: Path, workspace: Path, call):
    notes = make_notes(tmp_path / "notes", "rake", "spade", "hoe")
    make_memory(workspace, word="maple")  # it has a note of the second day
    before = files_of(workspace)
    call("import", str(notes))
    made = files_of(workspace) - before
    done = call("import", "--undo")
    assert (done["notes"], done["messages"], done["files"]) == (3, 0, len(made))
    assert set(done["removed"]) == made
    assert done["shortened"] == ["2026-03-02.md"]
    assert files_of(workspace) == before


def test_what_an_import_remembered_of_its_source_goes_with_it(tmp_path: Path, workspace: Path, call):
    notes = make_notes(tmp_path / "notes", "rake", "spade")
    call("import", str(notes))
    first = snapshot(workspace)
    (notes / "2026-03-01.md").write_text("# Rake\n\nThe rake is lent to Ana.\n")
    assert call("import", str(notes))["replaced"] == 1
    done = call("import", "--undo")
    assert (done["restored"], done["stays"][-1]["file"]) == (1, ".imports/imports.jsonl")
    assert {name: sorted(data.split()) for name, data in snapshot(workspace).items()} == {
        name: sorted(data.split()) for name, data in first.items()
    }
    call("import", "--undo")
    assert files_of(workspace) == set()
    (notes / "2026-03-02.md").write_text("# Spade\n\nThe spade is broken.\n")
    again = call("import", str(notes))
    assert (again["taken"]["notes"], again["replaced"]) == (2, 0)


def test_what_is_forgotten_for_good_stays_so_and_is_named(tmp_path: Path, workspace: Path, call, capsys):
    theirs = tmp_path / "theirs"
    make_memory(theirs)
    assert run_command_line(["purge", "--text", "walnut note", "--yes", "--workspace", str(theirs)]) == 0
    export_to(tmp_path / "a.zip", theirs)
    call("import", str(tmp_path / "a.zip"))
    assert run_command_line(["import", "--undo", "--workspace", str(workspace)]) == 0
    out = capsys.readouterr().out
    assert files_of(workspace) == {".erasure/fingerprints.jsonl", ".erasure/key"}
    assert "needed on: .erasure: by it is known what was forgotten for good, so that it does not come back\n" in out
    assert "needed on: .locks: by its files processes keep out of each other's way" in out
    assert "a.zip: taken back\nremoved: " in out


def test_undo_stands_alone(tmp_path: Path, call):
    call("import", "--undo", str(tmp_path), status=2)
    call("import", status=2)


def test_nothing_of_what_was_taken_back_is_left_in_the_index(tmp_path: Path, workspace: Path, call, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(tmp_path / "config.json"))
    words_alone = {"memoryPlugins": {"storage": {"embeddingProvider": "none"}}}
    (tmp_path / "config.json").write_text(json.dumps(words_alone), encoding="utf-8")
    make_memory(workspace, word="maple")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "boat.md").write_text("# Boat\n\nThe zanzibarine sail is torn.\n", encoding="utf-8")
    call("import", str(tmp_path / "notes"))
    call("index")
    assert "zanzibarine" in json.dumps(call("search", "zanzibarine"))
    assert call("import", "--undo")["left"] == []
    files = [path for path in (workspace / ".storage").rglob("*") if path.is_file()]
    assert [path.name for path in files if b"zanzibarine" in path.read_bytes()] == []
    found = call("search", "zanzibarine")
    assert "zanzibarine" not in json.dumps(found.get("hits"))
    assert "maple" in json.dumps(call("search", "maple"))
