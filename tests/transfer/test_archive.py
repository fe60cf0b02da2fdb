"""An export is the whole memory, readable without us; an import brings it back, byte for byte, or joins it."""

import asyncio
import hashlib
import json
import shutil
import stat
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.purge import purge
from nanobot_memory_plugins.consolidation.operations.remember import forget
from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.erasure.files import purge_files
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import (
    FileBusyError,
    MemoryPaths,
    TranscriptRecord,
    file_lock,
    render_transcript_line,
)
from nanobot_memory_plugins.core.files.spill_format import SpilledRecord
from nanobot_memory_plugins.core.transfer import archive_import as restoring
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.exporting import export_to
from nanobot_memory_plugins.core.values import Origin, Query, Scope
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.transfer.made_memory import add_entry, hear, make_memory
from tests.transfer.snapshots import notes, records, snapshot


def of_memory(workspace: Path) -> dict[str, bytes]:
    """Return the files that an export takes along."""
    elsewhere = (".locks/", ".imports/archives.txt", ".imports/imports.jsonl")
    return {name: data for name, data in snapshot(workspace).items() if not name.startswith(elsewhere)}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of a made memory in ``theirs``."""
    make_memory(tmp_path / "theirs")
    export_to(tmp_path / "a.zip", tmp_path / "theirs")
    return tmp_path / "a.zip"


def test_a_memory_comes_back_byte_for_byte_into_an_empty_workspace(archive: Path, tmp_path: Path, workspace):
    theirs = of_memory(tmp_path / "theirs")
    assert {"MEMORY.md", "ENTRIES.md", ".entries/journal.jsonl", "2026-03-02.md", "topics/garden.md"} <= theirs.keys()
    report = import_archive(archive, workspace)
    assert of_memory(workspace) == theirs
    assert report.taken == {"files": len(theirs)}
    for path in (workspace / "memory").rglob("*"):
        if path.is_file():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            there = tmp_path / "theirs" / "memory" / path.relative_to(workspace / "memory")
            if there.exists() and ".locks" not in path.parts:
                assert abs(path.stat().st_mtime - there.stat().st_mtime) < 0.01
    before = snapshot(workspace)
    again = import_archive(archive, workspace)
    assert (again.taken, again.known, again.left) == ({}, len(theirs), {})
    assert snapshot(workspace) == before


def test_entries_that_came_back_are_entries_with_their_history(archive: Path, workspace: Path):
    import_archive(archive, workspace)
    repository = EntryRepository(workspace)
    assert len(repository.load().entries) == 3
    assert len(repository.journal.runs()) == 3
    add_entry(repository, "One more.")
    assert [run.who for run in repository.journal.runs()] == ["test"] * 4  # nothing passes for an edit by hand


def test_the_archive_is_a_plain_zip_of_its_owners_with_hashes_and_without_the_index(archive: Path, tmp_path: Path):
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    with zipfile.ZipFile(archive) as packed:
        assert packed.testzip() is None
        manifest = json.loads(packed.read("manifest.json"))
        listed = {file["path"]: file for file in manifest["files"]}
        assert set(packed.namelist()) == {*listed, "manifest.json"}
        for name, file in listed.items():
            data = packed.read(name)
            assert (len(data), hashlib.sha256(data).hexdigest()) == (file["size"], file["sha256"])
    assert manifest["version"] == 1
    assert all(name.startswith("memory/") and "/.locks/" not in name for name in listed)
    assert not list(tmp_path.glob(".*.tmp"))


def test_what_is_no_part_of_the_memory_stays_out_and_is_named(tmp_path: Path):
    make_memory(tmp_path / "theirs")
    memory = tmp_path / "theirs" / "memory"
    (tmp_path / "secret.md").write_text("outside")
    (memory / "link.md").symlink_to(tmp_path / "secret.md")
    (memory / "linked").symlink_to(tmp_path)
    (memory / "history.jsonl").write_text("{}")
    (memory / "half.tmp").write_text("x")
    (memory / ".git").mkdir()
    (memory / ".git" / "HEAD").write_text("ref")
    report = export_to(tmp_path / "a.zip", tmp_path / "theirs")
    assert dict(report.left) == {
        "link.md": "it is a symbolic link",
        "linked": "it is a symbolic link",
        "history.jsonl": "not a memory file",
    }
    names = zipfile.ZipFile(tmp_path / "a.zip").namelist()
    assert not [name for name in names if "link" in name or ".git" in name or "history" in name or "half" in name]


def test_an_export_never_overwrites_and_needs_a_memory(archive: Path, tmp_path: Path):
    data = archive.read_bytes()
    with pytest.raises(InputError, match="is there already"):
        export_to(archive, tmp_path / "theirs")
    assert archive.read_bytes() == data
    with pytest.raises(InputError, match="There is no memory in"):
        export_to(tmp_path / "b.zip", tmp_path / "nothing")
    with pytest.raises(InputError, match="in a folder that exists and has room for it"):
        export_to(tmp_path / "no" / "where.zip", tmp_path / "theirs")
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_lock_that_is_held_on_is_named_and_nothing_is_left_behind(archive: Path, tmp_path: Path):
    paths = MemoryPaths.of(tmp_path / "theirs")
    with (
        file_lock(paths, paths.long_term),
        pytest.raises(FileBusyError, match=r"locked by another process.*export again"),
    ):
        export_to(tmp_path / "b.zip", tmp_path / "theirs", lock_seconds=0.05)
    assert not (tmp_path / "b.zip").exists()
    assert not list(tmp_path.glob(".*.tmp"))


WRITER = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.consolidation.operations.remember import forget
from nanobot_memory_plugins.consolidation.operations.purge import purge
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.files import MemoryFiles
from nanobot_memory_plugins.core.values import Note, Scope
from tests.transfer.made_memory import TIME, add_entry, say

async def main():
    workspace = Path(sys.argv[1])
    files = MemoryFiles(workspace, redact=str)
    repository = EntryRepository(workspace)
    print("writing", flush=True)
    for number in range(100_000):
        await say(files, f"written meanwhile {number} " + "x" * (number * 37 % 3000), 30, f"s{number % 3}")
        await files.keep_note(Note(f"noted meanwhile {number}", details="d" * 500, time=TIME), scope=Scope())
        if number % 5 == 0:
            add_entry(repository, f"Entry {number}.")

asyncio.run(main())
"""


def test_an_export_while_agents_write_holds_whole_records_and_entries_that_fit(tmp_path: Path, workspace: Path):
    make_memory(tmp_path / "theirs")
    root = str(Path(__file__).parents[2])
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "theirs"), root], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    try:
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        for round_ in range(4):
            export_to(tmp_path / f"{round_}.zip", tmp_path / "theirs")
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
            assert writer.stdout is not None
            writer.stdout.close()
    for round_ in range(4):
        copy = tmp_path / f"copy{round_}"
        import_archive(tmp_path / f"{round_}.zip", copy)
        for path in (copy / "memory" / "sessions").iterdir():
            lines = path.read_bytes().split(b"\n")
            assert lines.pop() == b""
            for line in lines:
                json.loads(line)
        for note in notes(copy)["2026-03-02"]:
            assert note.details == "d" * 500 or "heading" in note.details
        repository = EntryRepository(copy)
        # Nothing looks as if somebody had edited the file by hand, or as if a write had broken off.
        state = repository.load()
        assert not state.problems
        add_entry(repository, "One more.")
        assert {run.who for run in repository.journal.runs()} == {"test"}
        assert len(repository.load().entries) == len(state.entries) + 1
    assert len(records(tmp_path / "copy3")) > 4


def test_an_export_waits_for_an_entry_that_is_half_written(tmp_path: Path, workspace: Path):
    make_memory(tmp_path / "theirs")
    half_written, exported = threading.Event(), threading.Event()

    def at(point: str) -> None:
        if point == "after journal":
            half_written.set()
            exported.wait(0.5)  # the export cannot end meanwhile

    repository = EntryRepository(tmp_path / "theirs", at=at)
    writer = threading.Thread(target=add_entry, args=(repository, "The user grows figs."))
    writer.start()
    assert half_written.wait(10)
    export_to(tmp_path / "a.zip", tmp_path / "theirs")
    exported.set()
    writer.join()
    import_archive(tmp_path / "a.zip", workspace)
    copy = EntryRepository(workspace)
    assert len(copy.load().entries) == len(copy.journal.runs()) == 4


@pytest.mark.parametrize("home_too", [False, True])
def test_what_waits_for_a_lock_comes_along_once(tmp_path: Path, workspace: Path, home_too: bool):
    make_memory(tmp_path / "theirs")
    paths = MemoryPaths.of(tmp_path / "theirs")
    record = TranscriptRecord("user", "waited", "cli:direct", Scope(session="cli:direct"), Origin.USER, id="w1")
    line = render_transcript_line(record)
    paths.spill.mkdir(exist_ok=True)
    waiting = SpilledRecord(paths.transcript("cli:direct"), line).encoded(paths)
    (paths.spill / "1-ab.spill").write_bytes(waiting)
    if home_too:  # it came home while the export was copying
        with paths.transcript("cli:direct").open("ab") as file:
            file.write(line)
    export_to(tmp_path / "a.zip", tmp_path / "theirs")
    import_archive(tmp_path / "a.zip", workspace)
    assert [record.text for record in records(workspace)].count("waited") == 1
    before = snapshot(workspace)
    assert not [name for name in before if name.startswith(".spill/")]
    assert import_archive(tmp_path / "a.zip", workspace).taken == {}
    assert snapshot(workspace) == before


def test_what_was_purged_from_messages_and_notes_does_not_come_back_with_an_older_archive(
    archive: Path, tmp_path: Path
):
    theirs = tmp_path / "theirs"
    for words in ("walnut message 2", "walnut note"):
        assert purge_files(MemoryPaths.of(theirs), Wanted([words]), dry_run=False, everywhere=False)
    import_archive(archive, theirs)
    kept = {name: data for name, data in snapshot(theirs).items() if not name.startswith("imported/")}
    assert b"walnut message 2" not in b"".join(kept.values())
    assert b"walnut note" not in b"".join(kept.values())


async def found(workspace: Path, words: str) -> str:
    """Return the file of the best hit."""
    store = await SqliteStore.open(workspace, StorageOptions(embedding_provider="none"), SystemClock())
    await store.flush()
    hits = (await store.search(Query(words, limit=1))).hits
    await store.close()
    return hits[0].path


def test_two_memories_are_joined_and_nothing_is_lost(archive: Path, tmp_path: Path, workspace: Path):
    make_memory(workspace, word="maple")
    mine = snapshot(workspace)
    report = import_archive(archive, workspace)
    after = snapshot(workspace)
    for name in ("MEMORY.md", "topics/garden.md", "sessions/cli_direct-"):
        kept = {n: d for n, d in mine.items() if n.startswith(name)}
        assert kept
        assert {n: after[n] for n in kept} == kept
    assert after["2026-03-02.md"].startswith(mine["2026-03-02.md"])
    texts = [record.text for record in records(workspace)]
    assert sorted(texts) == sorted(f"{word} message {number}" for word in ("walnut", "maple") for number in range(4))
    assert {record.session_key for record in records(workspace)} == {"cli:direct"}
    day = after["2026-03-02.md"].decode()
    assert day.count("walnut note") == 1
    assert "Written by hand: walnut." in day
    beside = {name.partition("-")[0]: data for name, data in after.items() if name.startswith("imported/")}
    theirs = of_memory(tmp_path / "theirs")
    assert beside == {
        "imported/MEMORY": theirs["MEMORY.md"],
        "imported/garden": theirs["topics/garden.md"],
    }
    assert len([n for n in report.notices if "memory/imported/" in n]) == 2
    assert report.taken["entries"] == 3
    entries = [entry.content for entry in EntryRepository(workspace).load().entries.values()]
    assert entries == [f"The user grows {word} number {number}." for word in ("maple", "walnut") for number in range(3)]
    assert after[".entries/journal.jsonl"].startswith(mine[".entries/journal.jsonl"])
    assert ("memory/.entries/journal.jsonl", "this memory keeps its own") in report.left
    again = import_archive(archive, workspace)
    assert again.taken == {}
    assert snapshot(workspace) == after
    assert asyncio.run(found(workspace, "grows walnut number 2")) == "memory/ENTRIES.md"


def test_joined_entries_keep_their_scores_are_one_run_and_can_be_taken_back(
    archive: Path, tmp_path: Path, workspace: Path
):
    make_memory(workspace, word="maple")
    repository, theirs = EntryRepository(workspace), EntryRepository(tmp_path / "theirs")
    before = repository.load().entries
    assert import_archive(archive, workspace, dry_run=True).taken["entries"] == 3
    assert repository.load().entries == before
    import_archive(archive, workspace)
    assert repository.load().entries == before | theirs.load().entries
    assert [(run.who, len(run.changes)) for run in repository.journal.runs()][3:] == [("import", 3)]
    undo(repository, who="test")
    assert repository.load().entries == before


def test_entries_that_were_forgotten_or_purged_here_do_not_come_back(archive: Path, tmp_path: Path):
    repository = EntryRepository(tmp_path / "theirs")
    first, second, third = repository.load().entries
    forget(repository, [first], who="test")
    purge(repository, [second], who="test")
    assert "entries" not in import_archive(archive, tmp_path / "theirs").taken
    assert set(repository.load().entries) == {third}
    assert b"walnut number 1" not in b"".join(of_memory(tmp_path / "theirs").values())


def test_an_entry_in_the_same_words_is_the_one_that_is_here(archive: Path, workspace: Path):
    repository = EntryRepository(workspace)
    add_entry(repository, "the user  grows Walnut number 1.")
    report = import_archive(archive, workspace)
    assert (report.taken["entries"], len(repository.load().entries)) == (2, 3)


def test_without_what_joins_them_entries_are_kept_as_text(archive: Path, workspace: Path, monkeypatch):
    monkeypatch.setattr(restoring, "installed_joiner", lambda: None)
    make_memory(workspace, word="maple")
    mine = snapshot(workspace)
    report = import_archive(archive, workspace)
    after = snapshot(workspace)
    assert after["ENTRIES.md"] == mine["ENTRIES.md"]
    (aside,) = [data for name, data in after.items() if name.startswith("imported/ENTRIES-")]
    assert b"grows walnut number 2" in aside
    assert any("could not be joined" in notice for notice in report.notices)
    assert import_archive(archive, workspace).taken == {}
    assert snapshot(workspace) == after


def test_what_was_set_aside_and_then_removed_does_not_come_back(archive: Path, workspace: Path):
    make_memory(workspace, word="maple")
    import_archive(archive, workspace)
    shutil.rmtree(workspace / "memory" / "imported")
    before = snapshot(workspace)
    assert import_archive(archive, workspace).taken == {}
    assert snapshot(workspace) == before


def test_a_memory_that_went_on_is_not_set_back_by_its_own_archive(archive: Path, tmp_path: Path):
    theirs = tmp_path / "theirs"
    hear(theirs, "said after the export", 50)
    before = snapshot(theirs)
    assert import_archive(archive, theirs).taken == {}
    assert snapshot(theirs) == before | {".locks/import.lock": b""}


def test_a_memory_that_lags_behind_is_brought_up_to_the_archive(archive: Path, tmp_path: Path, workspace: Path):
    import_archive(archive, workspace)
    hear(tmp_path / "theirs", "said later", 50)
    export_to(tmp_path / "b.zip", tmp_path / "theirs")
    report = import_archive(tmp_path / "b.zip", workspace)
    assert report.taken == {"files": 1}
    assert of_memory(workspace) == of_memory(tmp_path / "theirs")


def test_a_backup_of_other_text_is_not_put_beside_the_text_here(archive: Path, tmp_path: Path, workspace: Path):
    (tmp_path / "theirs" / "memory" / "MEMORY.md.bak").write_text("their former text")
    export_to(tmp_path / "b.zip", tmp_path / "theirs")
    (workspace / "memory").mkdir()
    (workspace / "memory" / "MEMORY.md").write_text("mine")
    report = import_archive(tmp_path / "b.zip", workspace)
    assert not (workspace / "memory" / "MEMORY.md.bak").exists()
    assert ("memory/MEMORY.md.bak", "this memory keeps its own") in report.left
    repository = EntryRepository(workspace)
    assert len(repository.load().entries) == 3  # there were none here: theirs are these
    add_entry(repository, "One more.")
    assert {run.who for run in repository.journal.runs()} == {"test"}
    assert (workspace / "memory" / "MEMORY.md").read_text() == "mine"


def test_a_dry_run_writes_nothing_and_says_the_same(archive: Path, workspace: Path):
    report = import_archive(archive, workspace, dry_run=True)
    assert not (workspace / "memory").exists()
    assert report.as_json() | {"dry_run": False} == import_archive(archive, workspace).as_json()


def test_secrets_of_an_old_archive_are_taken_out_on_the_way_in(tmp_path: Path, workspace: Path):
    secret = "ghp_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78"
    hear(tmp_path / "theirs", f"the token is {secret}", 1)
    memory = tmp_path / "theirs" / "memory"
    (memory / "MEMORY.md").write_text(f"my own {secret}\n")
    (memory / "2026-03-02.md").write_text(f"by hand {secret}\n")
    (memory / "garden.md").write_text(f"a document {secret}\n")
    export_to(tmp_path / "a.zip", tmp_path / "theirs")
    report = import_archive(tmp_path / "a.zip", workspace)
    assert secret not in records(workspace)[0].text
    assert any(notice.startswith("secrets were taken out of memory/sessions/") for notice in report.notices)
    assert "secrets were taken out of memory/MEMORY.md" in report.notices
    assert not [name for name, data in snapshot(workspace).items() if secret.encode() in data]
    before = snapshot(workspace)
    assert import_archive(tmp_path / "a.zip", workspace).taken == {}
    assert snapshot(workspace) == before
