"""nanobot's sessions, history and MEMORY.md come over: once, dated, under their own keys, without secrets."""

import json
import random
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.files import MemoryFiles, TranscriptRecord
from nanobot_memory_plugins.core.values import Origin, Query, Scope
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.transfer.made_memory import hear
from tests.transfer.made_nanobot import PLACES, SECRET, chat, fact, make_home, session_name, when, write_session
from tests.transfer.snapshots import notes, records, snapshot

SESSIONS = 500


@pytest.mark.slow
async def test_500_sessions_are_found_by_search_and_a_second_import_changes_nothing(
    tmp_path: Path, workspace: Path, take
):
    make_home(tmp_path / "home", SESSIONS, by_nanobot=3)
    source = tmp_path / "home" / "workspace"
    (source / "config-stands-elsewhere").touch()
    report = take(source)
    assert report.format == "nanobot"
    assert report.taken == {"messages": SESSIONS * 5 + SESSIONS // 50, "notes": 3}
    before = snapshot(workspace)

    store = await SqliteStore.open(workspace, StorageOptions(embedding_provider="none"), SystemClock())
    await store.flush()
    found = set()
    for place in PLACES:  # fifty sessions each
        hits = (await store.search(Query(f"{place} project zephyr ships port", limit=100))).hits
        found |= {hit.text.removeprefix("Please remember: ") for hit in hits}
    assert {fact(number) for number in range(SESSIONS)} <= found
    for number in range(0, SESSIONS, 25):
        (hit,) = (await store.search(Query(f"zephyr{number:03d}", limit=1))).hits
        assert fact(number) in hit.text
        assert hit.time == when(number).astimezone()
        assert hit.scope.session.partition(":")[2] == f"made{number}"
    for words in ("Lisbon", "bees", "Miso"):
        assert (await store.search(Query(words, limit=3))).hits, words
    await store.close()

    again = take(source)
    assert again.taken == {}
    assert again.known == sum(report.taken.values())
    assert snapshot(workspace) == before


def test_messages_keep_their_session_time_and_origin(tmp_path: Path, workspace: Path, take):
    write_session(tmp_path / "store", "telegram:42", chat(11, random.Random(1)))
    take(tmp_path / "store")
    found = records(workspace)
    assert [(r.role, r.origin) for r in found] == [
        ("user", Origin.USER),
        ("assistant", Origin.ASSISTANT),
        ("user", Origin.USER),
        ("assistant", Origin.ASSISTANT),
        ("user", Origin.USER),
    ]
    assert {r.session_key for r in found} == {"telegram:42"}
    assert {r.scope.channel for r in found} == {"telegram"}
    assert found[0].time == when(11).astimezone()
    assert [r.text for r in found].count("ok") == 2  # said twice, kept twice


def test_the_same_words_said_twice_without_a_time_are_two_messages(tmp_path: Path, workspace: Path, take):
    write_session(tmp_path / "store", "cli:s", [{"role": "user", "content": "yes"}] * 3)
    assert take(tmp_path / "store").taken == {"messages": 3}
    assert [record.text for record in records(workspace)] == ["yes"] * 3
    assert take(tmp_path / "store").taken == {}


def test_what_is_left_is_named_with_file_line_and_reason(tmp_path: Path, take):
    path = write_session(tmp_path / "store", "cli:one", chat(0, random.Random(1)))
    write_session(tmp_path / "store", "dream:night", chat(1, random.Random(1)))
    write_session(tmp_path / "store", "cron:hourly", chat(2, random.Random(1)))
    left = {(row.file, row.why): row.lines for row in take(tmp_path / "store").left.values()}
    name = path.name
    assert left[name, "a tool's result; --tools takes them"] == [4]
    assert left[name, "it has no text"] == [3]
    assert left[name, "nanobot wrote it, nobody said it: commands, their answers, and marks of its own"] == [10]
    assert len(left[session_name("dream:night"), "a session of nanobot's own"]) == 7
    assert len(left[session_name("cron:hourly"), "a session of a timer; nobody speaks in it"]) == 7


def test_tools_results_come_when_they_are_asked_for(tmp_path: Path, workspace: Path, take):
    write_session(tmp_path / "store", "cli:one", chat(3, random.Random(1)))
    take(tmp_path / "store", tools=True)
    assert [(r.name, r.text, r.origin) for r in records(workspace) if r.role == "tool"] == [
        ("exec", "exit 0 of build 3", Origin.TOOL)
    ]


def test_no_secret_comes_over(tmp_path: Path, workspace: Path, take):
    make_home(tmp_path / "home", 51)
    assert SECRET.encode() in b"".join(p.read_bytes() for p in (tmp_path / "home" / "sessions").rglob("*.jsonl"))
    take(tmp_path / "home")
    everything = b"".join(snapshot(workspace).values())
    assert SECRET.encode() not in everything
    assert sum("the key is [" in record.text for record in records(workspace)) == 2


def test_what_nanobot_wrote_is_nobodys_word(tmp_path: Path, workspace: Path, take):
    source = make_home(tmp_path / "home", 1)
    take(source)
    found = [note for day in notes(workspace).values() for note in day]
    assert {note.origin for note in found} == {Origin.SUMMARY}
    assert [n.tldr for n in notes(workspace)["2026-03-04"]] == ["The user moved to Lisbon."]
    assert "- kept bees" in notes(workspace)["2026-03-05"][0].details
    assert not (workspace / "memory" / "MEMORY.md").exists()


def test_the_empty_form_of_a_new_workspace_is_no_memory(tmp_path: Path, workspace: Path, take):
    source = make_home(tmp_path / "home", 1)
    from nanobot.utils.helpers import sync_workspace_templates

    (source / "memory" / "MEMORY.md").unlink()
    sync_workspace_templates(source, silent=True)
    path = source / "memory" / "MEMORY.md"
    path.write_text(path.read_text().replace("(User preferences learned over time)", "Likes tea."))
    report = take(source)
    (row,) = [row for row in report.left.values() if row.file == "memory/MEMORY.md"]
    assert row.why == "it stands in the form that nanobot puts into every workspace"
    found = [note.tldr for day in notes(workspace).values() for note in day if "history" not in note.tags]
    assert found == ["Likes tea."]


def test_what_this_program_wrote_in_another_workspace_of_nanobot_is_pointed_to(tmp_path: Path, take):
    source = make_home(tmp_path / "home", 1)
    hear(source, "heard there", 1)
    assert [why for file, why in take(source).left if file == "memory"] == [
        "notes and transcripts of this program: run `nanobot-memory export` there, and import the archive"
    ]


def test_its_own_memory_file_is_not_imported_into_itself(tmp_path: Path, take, monkeypatch):
    source = make_home(tmp_path / "home", 2)
    before = (source / "memory" / "MEMORY.md").read_bytes()
    from nanobot_memory_plugins.core.transfer.importing import import_from
    from nanobot_memory_plugins.core.transfer.sources import chosen_importer

    report = import_from(chosen_importer("", source)[1], "nanobot", source, source)
    assert ("memory/MEMORY.md", "it is this memory's own file already") in report.left
    assert (source / "memory" / "MEMORY.md").read_bytes() == before
    assert report.taken["messages"] == 11


async def test_what_the_memory_heard_itself_is_not_taken_twice(tmp_path: Path, workspace: Path, take):
    files = MemoryFiles(workspace, redact=str)
    said = chat(5, random.Random(1))
    await files.keep_message(
        TranscriptRecord("user", said[0]["content"], "cli:s", Scope(session="cli:s"), Origin.USER, time=when(5))
    )
    await files.close()
    write_session(tmp_path / "store", "cli:s", said)
    report = take(tmp_path / "store")
    assert (session_name("cli:s"), "already recorded when it was said") in report.left
    assert [r.text for r in records(workspace)].count(said[0]["content"]) == 1
    assert report.taken["messages"] == 4
    before = snapshot(workspace)
    assert take(tmp_path / "store").taken == {}
    assert snapshot(workspace) == before


def test_a_session_that_went_on_gives_only_what_is_new(tmp_path: Path, workspace: Path, take):
    said = chat(5, random.Random(1))
    write_session(tmp_path / "store", "cli:s", said)
    take(tmp_path / "store")
    late = {"role": "user", "content": "One more thing.", "timestamp": "2026-04-01T08:00:00"}
    write_session(tmp_path / "store", "cli:s", [*said, late])
    assert take(tmp_path / "store").taken == {"messages": 1}
    assert records(workspace)[-1].text == "One more thing."


def test_what_was_deleted_here_does_not_come_back(tmp_path: Path, workspace: Path, take):
    write_session(tmp_path / "store", "cli:s", chat(5, random.Random(1)))
    take(tmp_path / "store")
    for path in (workspace / "memory" / "sessions").iterdir():
        path.unlink()
    assert take(tmp_path / "store").taken == {}
    assert records(workspace) == []


def test_a_dry_run_writes_nothing_and_counts_the_same(tmp_path: Path, workspace: Path, take):
    make_home(tmp_path / "home", 9)
    report = take(tmp_path / "home", dry_run=True)
    assert not (workspace / "memory").exists()
    really = take(tmp_path / "home")
    assert (report.taken, report.written) == (really.taken, really.written)
    assert report.as_json() | {"dry_run": False} == really.as_json()


def test_a_broken_session_gives_what_can_be_read(tmp_path: Path, workspace: Path, take):
    path = write_session(tmp_path / "store", "cli:s", chat(5, random.Random(1)))
    data = path.read_bytes()
    path.write_bytes(data[:-30].replace(b'"Anything else?"', b"Anything"))
    with path.open("ab") as file:
        file.write(b"")
    report = take(tmp_path / "store")
    reasons = {row.why: row.lines for row in report.left.values()}
    assert reasons["it is not JSON"] == [7]
    assert reasons["it is cut off: the file ends within it"] == [8]
    assert report.taken == {"messages": 3}


def test_older_places_and_names_of_sessions_are_known(tmp_path: Path, workspace: Path, take):
    old = tmp_path / "old"
    (old / "memory").mkdir(parents=True)
    (old / "sessions").mkdir()
    rows = [{"role": "user", "content": "An old word.", "timestamp": "2025-11-02T10:00:00"}]
    (old / "sessions" / "telegram_77.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert take(old).format == "nanobot"
    assert [(r.session_key, r.text) for r in records(workspace)] == [("telegram:77", "An old word.")]
