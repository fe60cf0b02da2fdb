"""An older program that meets the files of a newer one reads on and keeps what it does not know, or refuses."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.operations.undo import restore, undo
from nanobot_memory_plugins.consolidation.store.nightly_records import LAST_RUN, LastRun, Records
from nanobot_memory_plugins.consolidation.store.pending_sessions import Pending
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.erasure.files import purge_files
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.erasure.secret_files import scrub_files
from nanobot_memory_plugins.core.errors import InputError, MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, parse_notes
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.core.files.seen_messages import MessageMarks
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.host.recall_log import RecallLedger, injections, recall_folder
from nanobot_memory_plugins.core.language_model.ledger import ANSWERED, Usage, UsageLedger, uses
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.transfer.ledger import Ledger, ledger_path
from nanobot_memory_plugins.core.values import Message, Origin, Scope

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)
SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"
ENTRIES = """# Memory

## Active Memories

### [aaaa1111] preference | 0.80 | 2026-05-01 | 2
likes tea
<!-- mood: calm; origin: device; section: frozen -->

## Frozen Memories

### [bbbb2222] fact | 0.90 | 2026-05-01 | pinned
lives in Kyoto

## Archived Memories
"""


@pytest.fixture
def paths(tmp_path: Path) -> MemoryPaths:
    paths = MemoryPaths.of(tmp_path)
    paths.sessions.mkdir(parents=True)
    (paths.memory / ".entries").mkdir()
    return paths


@pytest.fixture
def repository(tmp_path: Path) -> EntryRepository:
    return EntryRepository(tmp_path, clock=ManualClock(NOW), sleep=lambda _: None)


def put(entry: Entry) -> Callable[[dict[str, Entry]], dict[str, Entry]]:
    return lambda entries: {**entries, entry.id: entry}


def an_entry(id_: str = "cccc3333", content: str = "uses Vim") -> Entry:
    return Entry(id_, content, "preference", 0.8, NOW)


def change_last_line(file: Path, change: Callable[[dict[str, object]], object]) -> bytes:
    *lines, last = file.read_bytes().splitlines()
    row = json.loads(last)
    change(row)
    file.write_bytes(b"".join(line + b"\n" for line in (*lines, json.dumps(row).encode())))
    return file.read_bytes()


def test_fields_sections_and_headers_that_are_not_known_stay_in_the_file_of_the_entries(paths, repository):
    (paths.memory / "ENTRIES.md").write_text(ENTRIES, encoding="utf-8")
    read = repository.load().entries["aaaa1111"]
    repository.update(put(replace(read, hits=7)), who="test", why="used")
    repository.update(put(an_entry()), who="test", why="a test")
    text = (paths.memory / "ENTRIES.md").read_text(encoding="utf-8")
    assert "uses Vim" in text
    for kept in ("mood: calm", "origin: device", "section: frozen", "## Frozen Memories", "| pinned", "lives in Kyoto"):
        assert kept in text
    known = repository.load().entries["aaaa1111"]
    assert (known.content, known.hits, known.section) == ("likes tea", 7, Section.ACTIVE)


def test_an_origin_that_is_not_known_is_believed_no_more_than_a_tool(paths, repository):
    (paths.memory / "ENTRIES.md").write_text(ENTRIES, encoding="utf-8")
    assert repository.load().entries["aaaa1111"].origin is Origin.TOOL
    (paths.memory / "2026-05-08.md").write_text(
        "### 2026-05-08 12:00\nid: x1\ntype: note\norigin: device\nmood: calm\ntl;dr: it rains\n", encoding="utf-8"
    )
    (note,) = parse_notes((paths.memory / "2026-05-08.md").read_bytes())
    assert (note.tldr, note.origin) == ("it rains", Origin.TOOL)
    file = paths.sessions / "a.jsonl"
    file.write_text('{"id":"1","role":"user","text":"hello","origin":"device","session":"a"}\n', encoding="utf-8")
    assert last_records(file, "a", 5)[0].origin is Origin.TOOL


@pytest.mark.parametrize("where", ["run", "change", "entry"])
@pytest.mark.leaving
def test_a_run_with_what_is_not_known_is_shown_and_neither_undone_nor_restored_from(repository, where):
    repository.update(put(an_entry()), who="test", why="a test")
    run = repository.update(lambda _: {}, who="newer", why="forgotten").run

    def newer(row):
        places = {"run": row, "change": row["changes"][0], "entry": row["changes"][0]["before"]}
        places[where]["weight"] = 3

    before = change_last_line(repository.journal.path, newer)
    file = repository.path.read_bytes()
    assert repository.journal.runs()[-1].who == "newer"
    for act in (
        lambda: undo(repository, run.id, who="test"),
        lambda: undo(repository, who="test"),
        lambda: restore(repository, "cccc3333", now=NOW, who="test"),
    ):
        with pytest.raises(InputError, match="newer version") as raised:
            act()
        assert "Update nanobot-memory-consolidation" in raised.value.hint
    assert repository.journal.path.read_bytes() == before
    assert repository.path.read_bytes() == file


@pytest.mark.parametrize("line", ["blake3 0123", "# version 2", f"{'0' * 16} {'0' * 128}"])
@pytest.mark.leaving
def test_with_a_list_of_what_was_purged_in_another_form_no_new_text_is_written(paths, repository, line):
    repository.update(put(an_entry()), who="test", why="a test")
    purged = paths.memory / ".entries" / "purged"
    purged.write_text(f"{'0' * 16} {'0' * 64}\n{line}\n", encoding="ascii")
    before = repository.path.read_bytes(), purged.read_bytes(), repository.journal.path.read_bytes()
    with pytest.raises(MemoryFileError, match="newer version") as raised:
        repository.update(put(an_entry("dddd4444", "uses Emacs")), who="test", why="a test")
    assert "Update nanobot-memory-consolidation" in raised.value.hint
    assert (repository.path.read_bytes(), purged.read_bytes(), repository.journal.path.read_bytes()) == before
    assert set(repository.load().entries) == {"cccc3333"}


@pytest.mark.leaving
def test_a_kind_of_change_that_is_not_known_takes_no_entry_away(repository):
    repository.update(put(an_entry()), who="test", why="a test")
    run = repository.update(put(an_entry("dddd4444", "uses Emacs")), who="newer", why="split").run
    before = change_last_line(
        repository.journal.path, lambda row: row.update(changes=[{"id": "cccc3333", "split": ["dddd4444"]}])
    )
    with pytest.raises(InputError, match="There is no run"):
        undo(repository, run.id, who="test")
    assert set(repository.load().entries) == {"cccc3333", "dddd4444"}
    repository.update(put(an_entry("eeee5555", "uses nano")), who="test", why="a test")
    assert repository.journal.path.read_bytes().startswith(before)


def test_fields_and_kinds_that_are_not_known_stay_in_a_transcript_that_is_purged_and_scrubbed(paths):
    file = paths.sessions / "cli_direct.jsonl"
    rows = [
        {"id": "1", "role": "user", "text": f"my key is {SECRET}. I like tea.", "session": "a", "mood": ["calm"]},
        {"kind": "reaction", "of": "1", "with": "thumbs up"},
        {"id": "2", "role": "narrator", "text": "we live in Kyoto. It rains.", "session": "a", "weight": 3},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert [one.role for one in last_records(file, "a", 5)] == ["user", "narrator"]
    scrub_files(paths, redact_text, redact_text, lambda _path: None, dry_run=False, everywhere=False)
    purge_files(paths, Wanted(["we live in Kyoto"]), dry_run=False, everywhere=False)
    first, second, third = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert SECRET not in first["text"]
    assert "Kyoto" not in third["text"]
    assert (first["mood"], second, third["weight"]) == (["calm"], rows[1], 3)


@pytest.mark.leaving
def test_the_usage_files_are_read_as_far_as_they_are_known_and_only_added_to(tmp_path):
    folder, day = tmp_path / ".usage", NOW.date()
    folder.mkdir()
    line = {"time": NOW.isoformat(), "purpose": "flush", "prompt_tokens": 5, "answer_tokens": 1, "cached_tokens": 4}
    newer = f'{json.dumps(line)}\n{{"kind": "image", "pixels": 9}}\n'
    (folder / f"{day}.jsonl").write_text(newer, encoding="utf-8")
    ledger = UsageLedger(folder)
    assert ledger.tokens("flush", day) == 6
    ledger.record(Usage(NOW.isoformat(), "flush", "flush", 10, 2, 0.1, ANSWERED), day)
    assert [one.prompt_tokens for _, one in uses(folder, since=day)] == [5, 10]
    assert (folder / f"{day}.jsonl").read_text(encoding="utf-8").startswith(newer)


@pytest.mark.leaving
def test_the_ledger_of_recall_is_read_as_far_as_it_is_known_and_only_added_to(tmp_path):
    folder = recall_folder(MemoryPaths.of(tmp_path).memory)
    folder.mkdir(parents=True)
    newer = f'{{"time": "{NOW.isoformat()}", "ids": ["a"], "tokens": 3, "whole_tokens": 9, "tier": "x"}}\n{{"v": 2}}\n'
    (folder / f"{NOW.date()}.jsonl").write_text(newer, encoding="utf-8")
    RecallLedger(tmp_path, ManualClock(NOW)).record(["b"], 4)
    assert [one.ids for _, one in injections(folder, since=date(2026, 1, 1))] == [("a",), ("b",)]
    assert (folder / f"{NOW.date()}.jsonl").read_text(encoding="utf-8").startswith(newer)


@pytest.mark.parametrize("line", ["# version 2", "f" * 64, "b3:" + "a" * 32])
@pytest.mark.leaving
def test_a_list_of_imports_in_another_form_is_refused(paths, line):
    file = ledger_path(paths)
    file.parent.mkdir()
    file.write_text(f"{'0' * 32}\n{line}\n", encoding="ascii")
    before = file.read_bytes()
    with pytest.raises(MemoryFileError, match="newer version") as raised:
        Ledger(paths, Appender(paths, lock_seconds=1.0))
    assert "Update nanobot-memory-core" in raised.value.hint
    assert file.read_bytes() == before


@pytest.mark.parametrize("line", [b"0123", b"", b"\0" * 32, b"01\xff"])
@pytest.mark.leaving
def test_a_list_of_imports_that_a_crash_damaged_is_read_on(paths, line):
    file = ledger_path(paths)
    file.parent.mkdir()
    file.write_bytes(line + b"\n" + b"0" * 32 + b"\n")
    assert "0" * 32 in Ledger(paths, Appender(paths, lock_seconds=1.0))


@pytest.mark.leaving
def test_marks_of_what_was_dealt_with_keep_what_is_not_known(tmp_path):
    marks = MessageMarks(tmp_path)
    marks.change("a", lambda one: one.add([Message(role="user", text="hello")]))
    (file,) = tmp_path.glob("*.json")
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "threads": ["x"]}), encoding="utf-8")
    marks.change("a", lambda one: one.add([Message(role="user", text="bye")]))
    row = json.loads(file.read_bytes())
    assert (row["threads"], len(row["singles"])) == (["x"], 2)


@pytest.mark.leaving
def test_messages_that_wait_keep_fields_and_kinds_that_are_not_known(paths):
    pending = Pending(paths)
    pending.add("a", [Message(role="user", text="hello"), Message(role="user", text="bye")], Scope())
    (file,) = (paths.memory / ".entries" / "pending").glob("*.json")
    row = json.loads(file.read_bytes())
    row["messages"][0]["mood"] = "calm"
    row["messages"].append({"kind": "reaction"})
    file.write_text(json.dumps({**row, "thread": "x"}), encoding="utf-8")
    pending.add("a", [Message(role="user", text="again")], Scope())
    pending.forget(lambda text: text == "bye")
    after = json.loads(file.read_bytes())
    assert after["thread"] == "x"
    assert {"kind": "reaction"} in after["messages"]
    assert {"role": "user", "text": "hello", "mood": "calm"} in after["messages"]
    assert [one.text for one in pending.read("a")] == ["hello", "again"]


@pytest.mark.leaving
def test_the_record_of_the_last_consolidation_keeps_what_is_not_known(paths):
    file = paths.memory / ".entries" / LAST_RUN
    file.write_text('{"when": "", "seen": [], "failures": 0, "weekly": "2026-05-01"}', encoding="utf-8")
    Records(paths).note_run(LastRun(when=NOW - timedelta(days=1)))
    assert json.loads(file.read_bytes())["weekly"] == "2026-05-01"
