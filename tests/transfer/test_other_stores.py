"""Stores of OpenClaw and claude-mem, and folders of Markdown, come over with their dates and origins."""

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.transfer import ImportedMessage, ImportedNote
from nanobot_memory_plugins.core.transfer.archive_contents import SOURCES
from nanobot_memory_plugins.core.transfer.exporting import export_to
from nanobot_memory_plugins.core.transfer.formats.claude_mem import ClaudeMemImporter
from nanobot_memory_plugins.core.values import NoteType, Origin, Query
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.transfer.made_memory import make_memory
from tests.transfer.made_stores import SECRET, make_claude_mem, make_markdown, make_openclaw
from tests.transfer.snapshots import notes, records, snapshot

STORES = {
    "openclaw": (make_openclaw, ("Vaillant", "Porto", "fence is painted", "Sundays", "before the reset")),
    "claude-mem": (make_claude_mem, ("rounding half-even", "decimals", "cent off")),
    "markdown": (make_markdown, ("tomatoes", "Onions", "开会", "sqlite")),
}


@pytest.mark.parametrize("name", STORES)
async def test_each_store_is_guessed_found_by_search_and_taken_once(name: str, tmp_path: Path, workspace: Path, take):
    make, words = STORES[name]
    source = make(tmp_path / "theirs")
    before = snapshot_of(source)
    report = take(source)
    assert report.format == name
    mine = snapshot(workspace)
    assert SECRET.encode() not in b"".join(mine.values())
    store = await SqliteStore.open(workspace, StorageOptions(embedding_provider="none"), SystemClock())
    await store.flush()
    assert [word for word in words if not (await store.search(Query(word, limit=3))).hits] == []
    await store.close()
    again = take(source)
    assert (again.taken, again.known) == ({}, sum(report.taken.values()))
    assert snapshot(workspace) == mine
    assert snapshot_of(source) == before  # nothing is written there


def snapshot_of(folder: Path) -> dict[str, bytes]:
    # Whoever opens a database with a log, a reader too, has SQLite make an empty log and its shared memory beside it.
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix != ".db-shm"]
    return {str(p): p.read_bytes() for p in files if p.suffix != ".db-wal" or p.stat().st_size}


def test_openclaw_keeps_sessions_and_drops_what_nobody_said(tmp_path: Path, workspace: Path, take):
    report = take(make_openclaw(tmp_path / "theirs"))
    said = {(r.session_key, r.role, r.text, r.origin) for r in records(workspace)}
    key = "openclaw:agent:main:telegram:direct:7"
    assert said == {
        (key, "user", "The boiler is a Vaillant.", Origin.USER),
        (key, "assistant", "A Vaillant, noted.", Origin.ASSISTANT),
        ("openclaw:main:s-old", "user", "From before the reset.", Origin.USER),
        ("openclaw:agent:work:main", "user", "The fence is painted green.", Origin.USER),
        ("openclaw:agent:work:main", "assistant", "Then the gate is green, too.", Origin.ASSISTANT),
    }
    assert {r.time for r in records(workspace)} == {datetime.fromisoformat("2026-03-09T12:30:00+00:00")}
    reasons = {why for _, why in report.left}
    assert reasons == {
        "a tool's result; --tools takes them",
        "the agent said nothing with it",
        "OpenClaw has compressed it; export the session there first",
    }


def test_openclaws_notes_stand_under_their_day_as_the_agents_words(tmp_path: Path, workspace: Path, take):
    take(make_openclaw(tmp_path / "theirs"))
    by_day = notes(workspace)
    (deploy,) = by_day["2026-03-08"]
    assert (deploy.time.hour, deploy.time.minute) == (14, 20)
    assert "Deploy" in deploy.title
    assert [n.tldr for n in by_day["2026-03-07"]] == ["Booked the train to Porto."]
    assert {n.origin for day in by_day.values() for n in day} == {Origin.ASSISTANT}


def test_a_workspace_of_openclaw_alone_is_known(tmp_path: Path, take):
    report = take(make_openclaw(tmp_path / "theirs") / "workspace")
    assert (report.format, report.taken) == ("openclaw", {"notes": 3})


def test_claude_mem_keeps_kind_project_date_and_origin(tmp_path: Path, workspace: Path, take):
    report = take(make_claude_mem(tmp_path / "theirs"))
    assert report.taken == {"notes": 3, "messages": 1}
    found = {n.tldr: n for n in notes(workspace)["2026-03-09"]}
    bug, decision, summary = found["Cart total 0"], found["Cart total 1"], found["Mend the cart"]
    assert (bug.type, decision.type, summary.type) == (NoteType.BUG, NoteType.DECISION, NoteType.NOTE)
    assert (bug.origin, summary.origin) == (Origin.TOOL, Origin.SUMMARY)
    assert {"shop", "how-it-works", "bugfix"} <= set(bug.tags)
    assert "- rounding is half-even 0" in bug.details
    assert "src/cart.py" in bug.details
    assert bug.scope.session == "claude-mem:m-1"
    (prompt,) = records(workspace)
    assert (prompt.text, prompt.session_key, prompt.origin) == (
        "Why is the cart a cent off?",
        "claude-mem:c-1",
        Origin.USER,
    )


def test_a_newer_schema_of_claude_mem_is_read_as_far_as_it_is_known(tmp_path: Path, take):
    source = make_claude_mem(tmp_path / "theirs", version=90)
    with closing(sqlite3.connect(source / "claude-mem.db")) as database, database:
        database.execute("ALTER TABLE user_prompts RENAME COLUMN prompt_text TO words")
        database.execute("ALTER TABLE observations ADD COLUMN mood TEXT")
    report = take(source)
    assert report.taken == {"notes": 3}
    assert {why for _, why in report.left} == {
        "its schema 90 is newer than the 52 that is known: new columns are not read",
        "its form is not known",
    }


def test_a_locked_database_is_named_as_locked(tmp_path: Path, take, monkeypatch):
    monkeypatch.setattr("nanobot_memory_plugins.core.transfer.formats.sqlite_source._BUSY_SECONDS", 0.1)
    source = make_claude_mem(tmp_path / "theirs")
    with closing(sqlite3.connect(source / "claude-mem.db")) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match=r"is locked by another program. End claude-mem"):
            take(source)


def test_a_database_that_is_being_written_is_read_as_of_one_moment(tmp_path: Path, workspace: Path):
    source = make_claude_mem(tmp_path / "theirs")
    with closing(sqlite3.connect(source / "claude-mem.db", isolation_level=None)) as database:
        reading = ClaudeMemImporter().read(source, workspace)
        items = [next(reading), next(reading)]
        database.execute("UPDATE observations SET title = 'changed'")
        database.execute("DELETE FROM user_prompts")
        items += reading
    assert [item.note.tldr for item in items if isinstance(item, ImportedNote)] == [
        "Cart total 0",
        "Cart total 1",
        "Mend the cart",
    ]
    assert [item.text for item in items if isinstance(item, ImportedMessage)] == ["Why is the cart a cent off?"]


@pytest.mark.parametrize("damage", ["junk", "empty", "short"])
def test_a_broken_database_is_refused_in_words(damage: str, tmp_path: Path, workspace: Path, take):
    source = make_claude_mem(tmp_path / "theirs")
    path = source / "claude-mem.db"
    data = path.read_bytes()
    path.write_bytes({"junk": b"junk" * 4096, "empty": b"", "short": data[:5000]}[damage])
    with pytest.raises(InputError, match=r"no SQLite database, or it is damaged|none of claude-mem's tables"):
        take(source)
    assert not (workspace / "memory" / "sessions").exists()


def test_of_a_database_with_a_broken_page_the_rest_is_taken(tmp_path: Path, workspace: Path, take):
    source = make_claude_mem(tmp_path / "theirs", observations=400)
    path = source / "claude-mem.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(0)
        data = file.read()
        page = data.index(b"Cart total 390") // 4096 * 4096
        file.seek(page)
        file.write(b"\xff" * 4096)
    report = take(source)
    (why,) = {why for _, why in report.left}
    assert why.startswith("the rest of the table cannot be read: ")
    assert report.taken["messages"] == 1
    assert report.taken["notes"] > 200


def test_markdown_is_a_note_a_section_under_the_day_that_it_names(tmp_path: Path, workspace: Path, take):
    take(make_markdown(tmp_path / "theirs"))
    by_day = notes(workspace)
    tuesday = {n.title: n for n in by_day["2026-03-03"]}
    assert tuesday["journal/2026-03-03: Tuesday"].tldr == "Planted tomatoes."
    assert tuesday["journal/2026-03-03: Tuesday / Evening"].details == "- fed the cat\n- slept"
    assert [n.title for n in by_day["2026-02-01"]] == ["Recipes: Bread", "Recipes: Soup"]
    (kept,) = by_day["2026-01-05"]
    assert (kept.tldr, kept.type, kept.tags, kept.details) == ("use sqlite", NoteType.DECISION, ("db",), "because")
    # It says itself that it is the user's word; that is for this memory to say.
    assert kept.origin is Origin.NOTES
    assert "hidden settings" not in b"".join(snapshot(workspace).values()).decode()


def test_an_undated_file_goes_to_the_day_of_its_last_change_and_a_copy_is_the_same(
    tmp_path: Path, workspace: Path, take
):
    source = make_markdown(tmp_path / "theirs")
    stamp = datetime(2026, 3, 20, 12).timestamp()
    os.utime(source / "undated.md", (stamp, stamp))
    take(source)
    assert [n.tldr for n in notes(workspace)["2026-03-20"]] == ["中文笔记：周五开会。"]
    before = snapshot(workspace)
    shutil.copytree(source, tmp_path / "copy", copy_function=shutil.copyfile)
    assert take(tmp_path / "copy").taken == {}
    after = snapshot(workspace)
    for file in (SOURCES, ".imports/imports.jsonl"):  # the copy is followed, too
        assert after.pop(file).startswith(before.pop(file))
    assert after == before


def test_what_is_no_readable_markdown_is_left_with_its_reason(tmp_path: Path, workspace: Path, take):
    source = make_markdown(tmp_path / "theirs")
    outside = tmp_path / "outside.md"
    outside.write_text("Not yours.")
    (source / "link.md").symlink_to(outside)
    (source / "broken.md").write_bytes(b"# Head\n\n" + b"\0" * 100)
    os.mkfifo(source / "pipe.md")
    report = take(source)
    assert {row.file: row.why for row in report.left.values()} == {
        "link.md": "it is a symbolic link",
        "broken.md": "it is damaged: it holds NUL bytes",
        "pipe.md": "it is no regular file",
        "photo.png": "it is no Markdown",
        ".obsidian": "it is hidden",
    }
    assert b"Not yours." not in b"".join(snapshot(workspace).values())


def test_the_memory_itself_is_no_folder_to_import(workspace: Path, take):
    (workspace / "memory").mkdir()
    (workspace / "memory" / "MEMORY.md").write_text("mine")
    with pytest.raises(InputError, match=r"this memory's own folder"):
        take(workspace / "memory", "markdown")


@pytest.mark.parametrize("what", ["a workspace", "its memory folder", "an unpacked export"])
def test_a_memory_of_this_program_is_not_taken_for_somebodys_markdown(what: str, tmp_path: Path, workspace: Path, take):
    make_memory(tmp_path / "theirs")
    export_to(tmp_path / "a.zip", tmp_path / "theirs")
    shutil.unpack_archive(tmp_path / "a.zip", tmp_path / "unpacked")
    folder = {"a workspace": "theirs", "its memory folder": "theirs/memory", "an unpacked export": "unpacked"}[what]
    with pytest.raises(InputError, match=r"is a memory of this program\. Run `nanobot-memory export` there"):
        take(tmp_path / folder)
    assert not (workspace / "memory" / "sessions").exists()


def test_an_unknown_source_or_format_is_refused_with_the_formats(tmp_path: Path, take):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"Name the format with --from"):
        take(tmp_path / "empty")
    with pytest.raises(InputError, match=r"Formats: archive, claude-code, claude-mem, markdown, nanobot, openclaw"):
        take(tmp_path / "empty", "evernote")
