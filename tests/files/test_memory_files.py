import asyncio
import gc
import json
import os
import stat
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.files import (
    MemoryFiles,
    NoteEntry,
    TranscriptRecord,
    parse_notes,
    replace_file,
)
from nanobot_memory_plugins.core.values import Destination, Note, NoteType, Origin, Receipt, Scope

Opener = Callable[..., MemoryFiles]


def message(text: str, session: str = "cli:direct", role: str = "user") -> TranscriptRecord:
    return TranscriptRecord(role, text, session, Scope(session=session), Origin.USER)


def line_at(receipt: Receipt) -> str:
    assert receipt.path is not None
    return receipt.path.read_bytes().decode("utf-8", "replace").split("\n")[receipt.line - 1]


def entries(path: Path) -> list[NoteEntry]:
    return [item for item in parse_notes(path.read_bytes()) if isinstance(item, NoteEntry)]


@pytest.mark.accept("LR-01")
async def test_a_kept_note_is_in_the_file_that_the_receipt_names(open_files: Opener) -> None:
    files = open_files()
    for number in range(3):
        note = Note(f"fact {number}", "with\n# heading", type=NoteType.CONFIG, tags=("a", "b"), title=f"t{number}")
        receipt = await files.keep_note(note, scope=Scope(session="cli:direct", user="ann"))
        assert receipt.stored
        assert receipt.path == files.paths.memory / "2026-02-16.md"
        assert line_at(receipt) == f"### 2026-02-16 14:20 t{number}"
        entry = entries(receipt.path)[number]
        assert (entry.id, entry.line) == (receipt.id, receipt.line)
        assert (entry.tldr, entry.details, entry.type) == (
            f"fact {number}",
            "with\n# heading",
            NoteType.CONFIG,
        )
        assert (entry.tags, entry.scope) == (("a", "b"), Scope(session="cli:direct", user="ann"))


async def test_the_notes_own_scope_and_time_win(open_files: Opener) -> None:
    files = open_files()
    at = datetime(2026, 1, 31, 16, 30, tzinfo=UTC)  # already February in Shanghai
    receipt = await files.keep_note(Note("x", scope=Scope(session="a"), time=at), scope=Scope(session="b"))
    assert receipt.path == files.paths.memory / "2026-02-01.md"
    (entry,) = entries(receipt.path)
    assert (entry.scope, entry.time) == (Scope(session="a"), at)
    assert line_at(receipt) == "### 2026-02-01 00:30"


async def test_a_note_for_long_term_memory_goes_to_its_file_and_keeps_what_is_there(
    open_files: Opener,
) -> None:
    files = open_files()
    files.paths.memory.mkdir()
    theirs = b"\xef\xbb\xbf# Memory\r\n\r\nsomebody's text without a line end \xff"
    files.paths.long_term.write_bytes(theirs)
    receipt = await files.keep_note(Note("ours", destination=Destination.LONG_TERM), scope=Scope())
    assert receipt.path == files.paths.long_term
    assert line_at(receipt).startswith("### ")
    data = files.paths.long_term.read_bytes()
    assert data.startswith(theirs + b"\n\n### ")
    assert [entry.tldr for entry in entries(files.paths.long_term)] == ["ours"]


async def test_lines_stay_right_when_others_write_too(open_files: Opener) -> None:
    files = open_files()
    path = files.paths.day_note(datetime(2026, 2, 16))
    marker = [
        lambda: path.write_bytes(b"a\nb\nc\n"),  # written anew, shorter or longer
        lambda: os.system(f"echo 'more\nlines' >> {path}"),
        lambda: path.write_bytes(b"\n" * 50_000),
        lambda: path.write_bytes(path.read_bytes().replace(b"\n\n", b"\nx", 3)),  # as long as before
        lambda: replace_file(path, b"q\n"),
        lambda: path.unlink(),
        lambda: path.write_bytes(b"no line end"),
    ]
    for change in [lambda: None, *marker]:
        change()
        for _ in range(2):
            receipt = await files.keep_note(Note("x", title="here"), scope=Scope())
            assert line_at(receipt) == "### 2026-02-16 14:20 here"


async def test_several_notes_keep_their_order(open_files: Opener) -> None:
    files = open_files()
    receipts = await files.keep_notes([Note(f"n{i}") for i in range(5)], scope=Scope())
    assert len({receipt.id for receipt in receipts}) == 5
    assert [entry.tldr for entry in entries(files.paths.day_note(datetime(2026, 2, 16)))] == [f"n{i}" for i in range(5)]
    assert await files.keep_notes([], scope=Scope()) == ()


async def test_concurrent_calls_are_written_in_their_order(open_files: Opener) -> None:
    files = open_files()
    receipts = await asyncio.gather(*(files.keep_message(message(f"m{i}")) for i in range(200)))
    assert [receipt.line for receipt in receipts] == list(range(1, 201))
    assert [m["content"] for m in files.history("cli:direct", limit=500)] == [f"m{i}" for i in range(200)]


@pytest.mark.accept("NC-08")
async def test_every_message_stays_in_its_sessions_transcript(open_files: Opener, clock: ManualClock) -> None:
    before = b""
    for run in range(3):  # three processes' lives
        files = open_files()
        for number in range(20):
            clock.advance(1)
            for session in ("cli:direct", "telegram:7"):
                receipt = await files.keep_message(message(f"{session} {run} {number}", session))
                assert receipt.path == files.paths.transcript(session)
                assert json.loads(line_at(receipt))["text"] == f"{session} {run} {number}"
        await files.close()
        now = files.paths.transcript("cli:direct").read_bytes()
        assert now.startswith(before)
        before = now
    texts = [json.loads(line)["text"] for line in before.splitlines()]
    assert texts == [f"cli:direct {run} {number}" for run in range(3) for number in range(20)]


@pytest.mark.accept("NC-14")
async def test_a_sessions_last_messages_are_loaded_after_a_restart(open_files: Opener, clock: ManualClock) -> None:
    files = open_files()
    for number in range(30):
        clock.advance(60)
        await files.keep_message(message(f"question {number}"))
        await files.keep_message(message(f"answer {number}", role="assistant"))
        await files.keep_message(message("elsewhere", session="cli:other"))
    await files.close()
    loaded = open_files().history("cli:direct", limit=3)
    assert loaded == [
        {"role": "assistant", "content": "answer 28", "time": "2026-02-16T14:49:33.120+08:00"},
        {"role": "user", "content": "question 29", "time": "2026-02-16T14:50:33.120+08:00"},
        {"role": "assistant", "content": "answer 29", "time": "2026-02-16T14:50:33.120+08:00"},
    ]
    assert len(open_files().history("cli:direct")) == 50
    assert open_files().history("cli:new") == []


@pytest.mark.accept("V5-03")
async def test_the_base_context_is_the_long_term_file_and_the_entries_and_synchronous(open_files: Opener) -> None:
    files = open_files()
    assert files.base_context() == ""
    files.paths.memory.mkdir()
    files.paths.long_term.write_bytes("\ufeff# 长期\n用 sqlite\n".encode())
    await files.keep_note(Note("a day's note"), scope=Scope())
    await files.keep_message(message("what was said"))
    assert files.base_context() == "# 长期\n用 sqlite\n"
    files.paths.entries.write_text(
        "## Active Memories\n\n### [a1] fact | 0.60 | 2026-02-16 | 0\n喜欢喝茶\n", encoding="utf-8"
    )
    assert files.base_context().startswith("# 长期\n用 sqlite\n\n## Active Memories")
    assert files.base_context().endswith("喜欢喝茶\n")


async def test_an_undecodable_long_term_file_is_read_with_one_warning(open_files: Opener, warnings: list[str]) -> None:
    files = open_files()
    files.paths.memory.mkdir()
    files.paths.long_term.write_bytes(b"caf\xe9 \xff")
    assert [files.base_context(), files.base_context()] == ["caf\ufffd \ufffd"] * 2
    assert len(warnings) == 1
    files.paths.long_term.unlink()
    files.paths.long_term.mkdir()
    assert files.base_context() == ""


async def test_every_value_is_redacted_before_it_is_encoded(open_files: Opener) -> None:
    secret = 'to\npk"ey'  # its encoded form differs
    files = open_files(redact=lambda text: text.replace(secret, "[KEY]"))
    note = Note(f"a {secret}", f"b {secret}", tags=(secret,), title=secret)
    first = await files.keep_note(note, scope=Scope())
    second = await files.keep_message(TranscriptRecord("tool", secret, "s", Scope(), Origin.TOOL, name=secret))
    for receipt in (first, second):
        assert receipt.path is not None
        text = receipt.path.read_text()
        assert "[KEY]" in text
        assert "pk" not in text


async def test_a_cancelled_call_is_written_all_the_same(open_files: Opener) -> None:
    go_on = threading.Event()

    def redact(text: str) -> str:
        assert go_on.wait(30)
        return text

    files = open_files(redact=redact)
    tasks = [asyncio.create_task(files.keep_message(message(f"m{i}"))) for i in range(3)]
    await asyncio.sleep(0.01)
    for task in tasks[:2]:
        task.cancel()
    results = await asyncio.gather(*tasks[:2], return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results)
    go_on.set()
    assert (await tasks[2]).line == 3
    assert [m["content"] for m in files.history("cli:direct")] == ["m0", "m1", "m2"]


async def test_a_torn_last_line_does_not_swallow_the_next_record(open_files: Opener) -> None:
    files = open_files()
    files.paths.sessions.mkdir(parents=True)
    files.paths.transcript("cli:direct").write_bytes(
        b'{"id":"1","role":"user","text":"whole","session":"cli:direct"}\n{"id":"2","ro'
    )
    receipt = await files.keep_message(message("next"))
    assert receipt.line == 3
    assert [m["content"] for m in files.history("cli:direct")] == ["whole", "next"]


async def test_lone_surrogates_and_nul_are_kept_readable(open_files: Opener) -> None:
    files = open_files()
    receipt = await files.keep_note(Note("a\ud800\0", "b\udfff", tags=("\ud83d\ude00",)), scope=Scope(user="\ud800"))
    assert receipt.path is not None
    (entry,) = entries(receipt.path)
    assert (entry.tldr, entry.details, entry.tags) == ("a\ufffd\ufffd", "b\ufffd", ("😀",))
    assert (await files.keep_message(message("x\ud800\0y", "\ud800"))).stored
    assert files.history("\ud800")[0]["content"] == "x\ufffd\0y"
    assert files.history("\ufffd") == []


async def test_a_large_message_is_written_whole_and_blocks_nobody(open_files: Opener) -> None:
    files = open_files(redact=lambda text: text, longest_wait=60.0)
    text = "记忆x\n" * 5_000_000  # 50 MB in UTF-8, and more as JSON
    before = time.perf_counter()
    assert json.dumps(text, ensure_ascii=False).encode()
    in_one_go = time.perf_counter() - before
    lag = 0.0

    async def measure() -> None:
        nonlocal lag
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0)
            lag = max(lag, time.perf_counter() - before)

    measuring = asyncio.create_task(measure())
    receipt = await files.keep_message(message(text))
    measuring.cancel()
    assert receipt.stored
    assert files.history("cli:direct", limit=1)[0]["content"] == text
    assert lag < in_one_go


async def test_listeners_hear_of_every_append(open_files: Opener, warnings: list[str]) -> None:
    heard: list[tuple[Path, bool]] = []

    def listen(path: Path) -> None:
        heard.append((path, threading.current_thread() is threading.main_thread()))
        if len(heard) == 1:
            raise ValueError("x")

    files = open_files(on_append=listen)
    first = await files.keep_note(Note("a"), scope=Scope())
    second = await files.keep_message(message("b"))
    assert heard == [(first.path, False), (second.path, False)]
    assert first.stored
    assert len(warnings) == 1


async def test_everything_is_for_its_owner_only(open_files: Opener) -> None:
    files = open_files()
    await files.keep_note(Note("a"), scope=Scope())
    await files.keep_message(message("b"))
    for path in [files.paths.memory, *files.paths.memory.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)


def threads() -> set[threading.Thread]:
    """Return the threads that run, without those that idle for a second after other tests."""
    return {thread for thread in threading.enumerate() if thread.name != "memory-work"}


async def test_after_closing_nothing_runs_and_nothing_is_accepted(open_files: Opener) -> None:
    before = threads()
    files = open_files()
    waiting = [asyncio.create_task(files.keep_message(message(f"m{i}"))) for i in range(50)]
    await asyncio.sleep(0)
    await asyncio.gather(files.close(), files.close())
    assert threads() <= before
    assert all(receipt.stored for receipt in await asyncio.gather(*waiting))
    late = await files.keep_note(Note("late"), scope=Scope())
    assert (late.stored, late.reason) == (False, "The memory files are closed.")
    assert await files.merge_spills() == 0
    await files.close()


async def test_memory_files_that_nobody_closed_end_their_thread(tmp_path: Path) -> None:
    before = threads()  # some of other tests may end meanwhile
    files = MemoryFiles(tmp_path, redact=lambda text: text)
    await files.keep_message(message("a"))
    (own,) = threads() - before
    del files
    gc.collect()
    await asyncio.to_thread(own.join, 30)  # it may still be letting go of the last record
    assert not own.is_alive()


async def test_the_files_are_synced_soon_after(
    open_files: Opener, monkeypatch: pytest.MonkeyPatch, clock: ManualClock
) -> None:
    synced: list[int] = []
    real = os.fsync

    def watched(descriptor: int) -> None:
        real(descriptor)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            synced.append(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    files = open_files()
    for number in range(20):
        await files.keep_message(message(str(number)))
    assert len(synced) < 20  # not one for each
    for _ in range(600):  # 30 s, for what takes one
        if synced:
            break
        await asyncio.sleep(0.05)
    assert synced


def test_two_event_loops_may_use_the_files_one_after_the_other(tmp_path: Path) -> None:
    files = MemoryFiles(tmp_path, redact=lambda text: text)
    for number in range(2):
        assert asyncio.run(files.keep_message(message(str(number)))).stored
    asyncio.run(files.close())


async def test_a_day_starts_at_local_midnight(open_files: Opener, clock: ManualClock) -> None:
    files = open_files()
    clock.set(datetime(2026, 2, 16, 15, 59, 59, tzinfo=UTC))
    before = await files.keep_note(Note("a"), scope=Scope())
    clock.set(clock.now() + timedelta(seconds=1))
    after = await files.keep_note(Note("b"), scope=Scope())
    assert before.path == files.paths.memory / "2026-02-16.md"
    assert after.path == files.paths.memory / "2026-02-17.md"
