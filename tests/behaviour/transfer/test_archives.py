"""Exporting a memory to an archive, importing it elsewhere, and undoing the import."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.kit.life import KEY, Conversation, Life, keep_notes
from tests.behaviour.kit.model import ReadingModel, remember_call
from tests.behaviour.kit.secrets import hidden

# Runs a command that is killed in the middle of the first write that makes a file larger than 256 KB.
KILLED = """
import resource, signal, sys
from nanobot_memory_plugins.core.cli.main import run_command_line
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
run_command_line(sys.argv[1:])
"""


@pytest.fixture
def elsewhere(tmp_path: Path, model: ReadingModel) -> Life:
    """A second agent's workspace."""
    (tmp_path / "elsewhere").mkdir()
    return Life(tmp_path / "elsewhere", model)


async def live(life: Life, word: str) -> None:
    """Fill a memory with every kind of memory; each contains ``word``."""
    async with life.host() as memory:
        talk = Conversation(memory)
        said = f"I grow {word} trees in Porto."
        await talk.turn(said, "Noted.", remember_call(f"The user grows {word} trees.", said, pin=True))
        expiring = remember_call(f"Order {word} seeds.", said, kind="todo", until="2026-05-01")
        await talk.turn(f"The {word} harvest is in 十月, café time.", f"I see, {word}.", expiring)
        await keep_notes(memory, f"A note about {word}.")
    (life.memory / "MEMORY.md").write_bytes(f"# Mine\r\n\r\n{word} é 中文\n".encode())
    (life.memory / "topics").mkdir()
    (life.memory / "topics" / "garden.md").write_text(f"# Garden\n\nThe {word} bed.\n", encoding="utf-8")
    life.command("entries", "group", life.entries()[0]["id"], "--to", "garden/trees")


def texts_of(life: Life) -> dict[str, bytes]:
    """Return the entries, notes, transcripts and documents by file name."""
    files = [file for file in life.memory.rglob("*") if file.suffix in {".md", ".jsonl"} and file.is_file()]
    names = {file.relative_to(life.memory).as_posix(): file.read_bytes() for file in files}
    return {name: data for name, data in names.items() if not any(part.startswith(".") for part in name.split("/"))}


def export(life: Life, file: Path) -> Path:
    assert life.command("export", "--to", file).status == 0
    return file


def found(life: Life, words: str) -> str:
    return json.dumps(life.command("search", words, "--json").json["hits"], ensure_ascii=False)


def taken(report: Mapping[str, Any]) -> int:
    return sum(report["taken"].values())


async def test_an_import_restores_everything_and_a_second_one_changes_nothing(
    life: Life, elsewhere: Life, tmp_path: Path
):
    await live(life, "walnut")
    archive = export(life, tmp_path / "all.zip")
    assert life.command("export", "--to", archive).status == 1, "it is there already"
    first = elsewhere.command("import", archive, "--json").json
    assert (first["format"], taken(first) > 0) == ("archive", True)
    assert texts_of(elsewhere) == texts_of(life)
    assert {"MEMORY.md", "ENTRIES.md", "2026-02-16.md", "topics/garden.md"} <= set(texts_of(elsewhere))
    assert elsewhere.entries() == life.entries()
    assert len(elsewhere.entries()) == 2
    assert [record["text"] for record in elsewhere.transcript()] == [record["text"] for record in life.transcript()]
    for words in ("Porto", "十月", "walnut bed"):
        assert elsewhere.command("search", words, "--json").json["hits"], words
    before = texts_of(elsewhere)
    assert taken(elsewhere.command("import", archive, "--json").json) == 0
    assert texts_of(elsewhere) == before
    async with elsewhere.host() as memory:
        assert "grows walnut trees" in Conversation(memory, "cli:next").prompt()


async def test_an_archive_is_added_to_a_memory_and_can_be_undone(life: Life, elsewhere: Life, tmp_path: Path):
    await live(life, "walnut")
    await live(elsewhere, "maple")
    archive = export(life, tmp_path / "all.zip")
    before, entries = texts_of(elsewhere), elsewhere.entries()
    assert elsewhere.command("import", archive, "--dry-run", "--json").json["dry_run"] is True
    assert (texts_of(elsewhere), elsewhere.entries()) == (before, entries)
    first = elsewhere.command("import", archive, "--json").json
    contents = {entry["content"] for entry in elsewhere.entries()}
    assert {f"The user grows {word} trees." for word in ("walnut", "maple")} <= contents
    assert elsewhere.memory.joinpath("MEMORY.md").read_bytes() == before["MEMORY.md"]
    assert "harvest" in found(elsewhere, "walnut harvest")
    assert elsewhere.command("import", "--undo", "--json").json["left"] == []
    after = texts_of(elsewhere)
    assert {name: data.split() for name, data in after.items() if not name.startswith("ENTRIES")} == {
        name: data.split() for name, data in before.items() if not name.startswith("ENTRIES")
    }
    assert elsewhere.entries() == entries
    assert "walnut" not in found(elsewhere, "walnut")
    assert elsewhere.command("import", "--undo").status == 1, "there is no other import"
    assert taken(elsewhere.command("import", archive, "--json").json) == taken(first)


async def test_undoing_an_import_into_an_empty_workspace_leaves_nothing(life: Life, elsewhere: Life, tmp_path: Path):
    await live(life, "walnut")
    elsewhere.command("import", export(life, tmp_path / "all.zip"))
    elsewhere.command("index")
    undone = elsewhere.command("import", "--undo")
    assert (undone.status, undone.out.splitlines()[0]) == (0, "The import of all.zip:")
    assert (texts_of(elsewhere), elsewhere.entries()) == ({}, [])
    assert elsewhere.files_with("walnut") == []


async def test_an_undo_reports_changed_records_as_left(life: Life, elsewhere: Life, tmp_path: Path):
    await live(life, "walnut")
    elsewhere.command("import", export(life, tmp_path / "all.zip"))
    (message, *_), file = elsewhere.transcript(), elsewhere.memory / "MEMORY.md"
    assert elsewhere.command("purge", message["id"], "--yes").status == 0
    file.write_bytes(file.read_bytes() + b"A line of mine.\n")
    left = {one["file"] for one in elsewhere.command("import", "--undo", "--json").json["left"]}
    assert left == set(texts_of(elsewhere)) == {"ENTRIES.md", "MEMORY.md"}, "entries of the message have been purged"


async def test_a_second_import_keeps_corrections(life: Life, elsewhere: Life, tmp_path: Path):
    await live(life, "walnut")
    archive = export(life, tmp_path / "all.zip")
    elsewhere.command("import", archive)
    for name in ("ENTRIES.md", "MEMORY.md", "topics/garden.md"):
        file = elsewhere.memory / name
        file.write_bytes(file.read_bytes().replace(b"walnut", b"maple"))
    contents = {entry["content"] for entry in elsewhere.entries()}
    before = texts_of(elsewhere)
    assert taken(elsewhere.command("import", archive, "--json").json) == 0
    assert {entry["content"] for entry in elsewhere.entries()} == contents
    assert texts_of(elsewhere) == before
    (elsewhere.memory / "MEMORY.md").unlink()
    assert taken(elsewhere.command("import", archive, "--json").json) == 1, "a file that is gone comes back"


async def test_an_imported_entry_that_was_corrected_is_not_imported_again(life: Life, elsewhere: Life, tmp_path: Path):
    await live(life, "walnut")
    await live(elsewhere, "maple")
    archive = export(life, tmp_path / "all.zip")
    elsewhere.command("import", archive)
    file = elsewhere.memory / "ENTRIES.md"
    file.write_bytes(file.read_bytes().replace(b"walnut", b"chestnut"))
    contents = {entry["content"] for entry in elsewhere.entries()}
    assert "The user grows chestnut trees." in contents
    assert taken(elsewhere.command("import", archive, "--json").json) == 0
    assert {entry["content"] for entry in elsewhere.entries()} == contents


async def test_an_undo_keeps_what_was_added_after_the_import(life: Life, elsewhere: Life, tmp_path: Path):
    await live(life, "walnut")
    elsewhere.command("import", export(life, tmp_path / "all.zip"))
    async with elsewhere.host() as memory:
        said = "My boat is blue."
        await Conversation(memory).turn(said, "Noted.", remember_call("The boat is blue.", said))
    (elsewhere.memory / "topics" / "garden.md").write_text("Rewritten by hand.\n", encoding="utf-8")
    left = elsewhere.command("import", "--undo", "--json").json["left"]
    assert "topics/garden.md" in {row["file"] for row in left}
    assert (elsewhere.memory / "topics" / "garden.md").read_text(encoding="utf-8") == "Rewritten by hand.\n"
    assert "The boat is blue." in {entry["content"] for entry in elsewhere.entries()}
    assert [record["text"] for record in elsewhere.transcript()] == ["My boat is blue.", "Noted."]


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="this system has no limit for the size of files")
@pytest.mark.parametrize("name", ["MEMORY.md", "2026-02-16.md"])
def test_a_file_is_whole_after_an_import_was_killed_while_writing_it(
    name: str, life: Life, elsewhere: Life, tmp_path: Path
):
    life.memory.mkdir(parents=True)
    (life.memory / name).write_text(f"## Trees\n\n{'The walnut stands by the gate. ' * 40}\n\n" * 250, encoding="utf-8")
    archive = export(life, tmp_path / "all.zip")
    command = [sys.executable, "-c", KILLED, "import", archive, "--workspace", elsewhere.workspace]
    assert subprocess.run(command, check=False).returncode == -signal.SIGXFSZ
    elsewhere.command("import", archive)
    assert texts_of(elsewhere) == texts_of(life)
    assert elsewhere.command("import", "--undo", "--json").json["left"] == []
    assert texts_of(elsewhere) == {}


async def test_an_archive_can_be_made_while_a_host_runs(life: Life, elsewhere: Life, tmp_path: Path):
    async with life.host() as memory:
        await Conversation(memory).turn("The mill is on port 4711.")
        assert (await life.command_beside("export", "--to", tmp_path / "a.zip")).status == 0
        await Conversation(memory).turn("Later words.")
    elsewhere.command("import", tmp_path / "a.zip")
    assert [record["text"] for record in elsewhere.transcript(KEY)] == ["The mill is on port 4711.", "Noted."]
    assert (tmp_path / "a.zip").stat().st_mode & 0o077 == 0, "for its owner alone"


async def test_secrets_in_an_archive_are_not_imported(life: Life, elsewhere: Life, tmp_path: Path):
    await live(life, "walnut")
    kept = [secret for text, secret in hidden(7) if text.startswith("deploy with")]
    names = [name for name in texts_of(life) if not name.endswith(".bak")]
    for number, name in enumerate(names):
        file = life.memory / name
        mine = kept[number % len(kept) :: len(names)] or kept[:2]
        text = file.read_text(encoding="utf-8")
        for secret in mine:
            # An older version, or a person, may have left a secret here.
            text = text.replace("walnut", f"walnut, deploy with {secret} today, walnut", 1)
        file.write_text(text, encoding="utf-8")
    assert set(life.files_with(*kept)) >= {f"memory/{name}" for name in names}
    archive = export(life, tmp_path / "all.zip")
    assert elsewhere.command("import", archive).status == 0
    assert elsewhere.files_with(*kept) == []
    assert len(elsewhere.entries()) == 2
    assert set(texts_of(elsewhere)) >= set(names)
    before = texts_of(elsewhere)
    assert taken(elsewhere.command("import", archive, "--json").json) == 0
    assert texts_of(elsewhere) == before


async def test_a_line_that_was_only_a_secret_never_becomes_an_entry(life: Life, elsewhere: Life, tmp_path: Path):
    await live(life, "walnut")
    with (life.memory / "ENTRIES.md").open("a", encoding="utf-8") as file:
        file.write("- my password is Sommer-2291-Haus\n")
    number = len((life.memory / "ENTRIES.md").read_text(encoding="utf-8").splitlines())
    assert f"line {number}: " in life.command("scrub", "--dry-run").out
    archive, entries = export(life, tmp_path / "all.zip"), life.entries()
    assert life.command("import", archive, "--json").json["taken"].get("entries", 0) == 0
    assert elsewhere.command("import", archive).status == 0
    assert life.entries() == elsewhere.entries() == entries
    assert elsewhere.command("import", "--undo", "--json").json["left"] == []
    assert texts_of(elsewhere) == {}
