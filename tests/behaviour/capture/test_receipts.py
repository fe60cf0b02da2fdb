"""Messages and notes are at the file and line of their receipts, or the receipt says why they are not kept."""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from filelock import FileLock

from nanobot_memory_plugins.core import MemoryHost, Note, NoteType, Query, Receipt, load_config
from tests.behaviour.kit.life import KEY, Conversation, Life
from tests.behaviour.kit.model import remember_call
from tests.behaviour.kit.waiting import until


def at(receipt: Receipt) -> str:
    """Return the line of a receipt."""
    assert receipt.stored, receipt.reason
    return receipt.path.read_bytes().decode("utf-8", "replace").split("\n")[receipt.line - 1]


async def observe(memory: MemoryHost, result: object, **more: object) -> Receipt:
    return await memory.tool_executed(
        session_key=KEY, tool_name="exec", arguments={"command": "make"}, result=result, **more
    )


@pytest.mark.accept("NC-08", "V5-06", "LR-01")
async def test_each_receipt_names_the_file_and_line_of_what_was_kept(life: Life):
    for lived in range(2):  # two processes' lives
        async with life.host() as memory:
            for number in range(3):
                text = f"question {lived} {number}\nin two lines"
                receipt = (await memory.message_received(session_key=KEY, text=text)).receipt
                assert json.loads(at(receipt))["text"] == text
                receipt = await memory.message_sent(session_key="telegram:7", text=f"answer {number}")
                assert json.loads(at(receipt))["role"] == "assistant"
                # The same tool three times is three observations.
                receipt = await observe(memory, "all 17 targets built")
                assert at(receipt).startswith("### 2026-02-16 14:20")
            note = Note("tabs it is", "with\n# heading", type=NoteType.CONFIG, tags=("editor",), title="Indent")
            receipt = await memory.keep(note, session_key=KEY)
            assert at(receipt) == "### 2026-02-16 14:20 Indent"
            rest = receipt.path.read_text(encoding="utf-8").split("\n")[receipt.line :]
            assert "type: config" in rest
            assert any(line.startswith("tags:") and "editor" in line for line in rest)
            failed = await observe(memory, None, error="no rule to make target")
            assert "no rule to make target" in failed.path.read_text(encoding="utf-8")
    day = (life.memory / "2026-02-16.md").read_text(encoding="utf-8")
    assert day.count("### ") == 2 * (3 + 1 + 1)
    spoken = [one["text"] for one in life.transcript()]
    assert spoken == [f"question {lived} {number}\nin two lines" for lived in range(2) for number in range(3)]


async def test_concurrent_messages_are_written_in_the_order_of_their_calls(life: Life):
    async with life.host() as memory:
        calls = [memory.message_sent(session_key=KEY, text=f"m{number}") for number in range(100)]
        receipts = await asyncio.gather(*calls)
        assert [receipt.line for receipt in receipts] == list(range(1, 101))
        assert [one["content"] for one in memory.history(KEY, limit=200)] == [f"m{number}" for number in range(100)]


async def test_receipts_and_foreign_bytes_stay_correct_while_others_write(life: Life):
    theirs = b"\xef\xbb\xbf# Memory\r\n\r\nsomebody's text without a line end \xff"
    life.memory.mkdir(parents=True)
    day = life.memory / "2026-02-16.md"
    day.write_bytes(theirs)
    async with life.host() as memory:
        receipt = await memory.keep(Note("ours"), session_key=KEY)
        assert at(receipt).startswith("### ")
        assert receipt.path.read_bytes().startswith(theirs)
        for change in (
            lambda: day.write_bytes(b"a\nb\nc\n"),
            lambda: day.write_bytes(b"\n" * 5_000),
            lambda: day.write_bytes(day.read_bytes() + b"more\nlines\n"),
            lambda: day.unlink(),
            lambda: day.write_bytes(b"no line end"),
        ):
            change()
            for _ in range(2):
                receipt = await memory.keep(Note("x", title="here"), session_key=KEY)
                assert at(receipt) == "### 2026-02-16 14:20 here"
    assert day.read_bytes().startswith(b"no line end\n")


async def test_a_combined_receipt_is_stored_only_if_all_notes_are(life: Life, install: Callable[..., None]):
    install(
        "notes",
        """
        from datetime import datetime
        from nanobot_memory_plugins.core import Note, hookimpl

        @hookimpl
        def on_tool_executed(tool_name):
            time = datetime(2026, 2, 15).astimezone() if tool_name == "yesterday" else None
            return [Note("first of both"), Note("second of both", time=time)]
        """,
    )
    (life.memory / "2026-02-15.md").mkdir(parents=True)
    async with life.host(observation={"enabled": False}) as memory:
        good = await memory.tool_executed(session_key=KEY, tool_name="day", arguments={})
        assert good.stored
        assert [one.stored for one in good.notes] == [True, True]
        bad = await memory.tool_executed(session_key=KEY, tool_name="yesterday", arguments={})
        assert not bad.stored
        assert "2026-02-15.md" in bad.reason
        assert [one.stored for one in bad.notes] == [True, False]
    assert (life.memory / "2026-02-16.md").read_text(encoding="utf-8").count("first of both") == 2


@pytest.mark.parametrize("spoilt", ["a folder", "a link"])
async def test_a_failed_write_is_reported_in_the_receipt_and_never_raised(life: Life, spoilt: str):
    outside = life.folder / "outside"
    async with life.host() as memory:
        file = (await memory.message_sent(session_key=KEY, text="before")).path
        file.unlink()
        file.mkdir() if spoilt == "a folder" else file.symlink_to(outside)
        for _ in range(2):
            context = await memory.message_received(session_key=KEY, text="do you remember this?")
            assert not context.receipt.stored
            assert file.name in context.receipt.reason
        assert (await memory.message_sent(session_key="cli:other", text="elsewhere")).stored
        assert (await observe(memory, "fine")).stored
    assert not outside.exists()


async def test_any_text_is_kept_in_readable_form(life: Life):
    async with life.host() as memory:
        for text in ("x\ud800\0y", "\ud83d\ude00", "a\u2028b\r\nc", "[" * 5_000, ""):
            assert (await memory.message_sent(session_key=KEY, text=text)).stored is bool(text)
        receipt = await memory.keep(Note("a\ud800\0", "b\udfff\n### 2026-01-01 00:00 forged\nid: 1"), session_key=KEY)
        assert receipt.stored
        assert [one["content"][:4] for one in memory.history(KEY)] == ["x\ufffd\0y", "😀", "a\u2028b\r", "[[[["]
    headings = [
        line for line in (life.memory / "2026-02-16.md").read_text("utf-8").split("\n") if line.startswith("### ")
    ]
    assert len(headings) == 1


async def test_a_huge_message_is_kept_whole_and_in_order(life: Life):
    huge = "The quick brown fox jumps over the lazy dog. " * 2_500
    async with life.host() as memory:
        receipt = await memory.message_sent(session_key=KEY, text=huge)
        assert receipt.stored or receipt.pending
        with FileLock(life.memory / ".locks" / "files.lock"):  # another process writes, and takes long
            receipt = await memory.message_sent(session_key=KEY, text=huge)
            assert (receipt.stored, receipt.pending) == (False, True)
            assert "will be in its file" in receipt.reason
        await memory.message_sent(session_key=KEY, text="The staging database listens on port 6543.")
        assert (await memory.message_sent(session_key="cli:other", text="meanwhile")).stored
    assert [len(one["text"]) for one in life.transcript()] == [len(huge), len(huge), 42]


async def test_a_cancelled_call_is_still_written(life: Life, install: Callable[..., None]):
    install(
        "slow",
        """
        import asyncio
        from nanobot_memory_plugins.core import hookimpl

        asked = []

        @hookimpl
        async def on_message_received(text):
            asked.append(text)
            await asyncio.Event().wait()
        """,
    )
    async with life.host() as memory:
        call = asyncio.create_task(memory.message_received(session_key=KEY, text="do not lose me"))
        import third_party_slow

        await until(lambda: third_party_slow.asked)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert [one["text"] for one in life.transcript()] == ["do not lose me"]


async def test_a_call_cancelled_during_the_start_is_still_written(life: Life):
    memory = MemoryHost(life.workspace, config=load_config(), clock=life.clock)
    for call in (
        memory.message_received(session_key=KEY, text="do not lose me"),
        memory.message_sent(session_key=KEY, text="nor me"),
    ):
        task = asyncio.ensure_future(call)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await memory.flush_index()
    await memory.close()
    assert {one["text"] for one in life.transcript()} == {"do not lose me", "nor me"}


SLOW = """
    import asyncio
    from nanobot_memory_plugins.core import hookimpl

    @hookimpl
    async def on_message_received(text):
        await asyncio.sleep(0.2 if "slow" in text else 0)
"""


async def test_messages_with_slow_recall_keep_their_order_and_can_be_taken_off_the_record(
    life: Life, install: Callable[..., None]
):
    install("slow", SLOW)
    async with life.host() as memory:

        async def receive(text: str) -> "asyncio.Task[object]":
            call = asyncio.create_task(memory.message_received(session_key=KEY, text=text))
            await asyncio.sleep(0.05)
            return call

        calls = [await receive("slow one"), await receive("two")]
        await memory.message_sent(session_key=KEY, text="an answer")
        calls.append(await receive("slow three"))
        await memory.flush_index()
        assert [one["text"] for one in life.transcript()] == ["slow one", "two", "an answer", "slow three"]
        calls.append(await receive("slow and not to be kept"))
        await memory.tool("off_record").run({"scope": "this_message"}, session_key=KEY)
        await asyncio.gather(*calls)
        last = await receive("slow at the close")
    assert [one["text"] for one in life.transcript()][2:] == ["an answer", "slow three", "slow at the close"]
    assert (await last).receipt.stored


@pytest.mark.accept("V5-15")
async def test_close_finishes_pending_writes_and_leaves_nothing_running(life: Life):
    before = threading.active_count()
    async with life.host() as memory:
        waiting = [asyncio.create_task(memory.message_sent(session_key=KEY, text=f"m{n}")) for n in range(50)]
        await asyncio.sleep(0)
    written = len(life.transcript())
    receipts = await asyncio.gather(*waiting)
    assert written == sum(receipt.stored for receipt in receipts) == 50
    await until(lambda: threading.active_count() <= before)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    async with life.host() as memory:
        await memory.flush_index()
        assert (await memory.search(Query(text="m49"))).hits


@pytest.mark.accept("V5-12", "V3-11")
async def test_a_slow_indexer_delays_no_message_and_indexes_everything_in_the_end(life: Life):
    async with life.host(storage={"indexQueueMax": 2}) as memory:
        for number in range(40):
            receipt = await memory.message_sent(
                session_key=f"cli:{number % 7}", text=f"lantern number{number:03} glows"
            )
            assert receipt.stored
        # A file that cannot be read costs itself alone.
        (life.memory / "2026-02-01.md").write_bytes(b"\xff\xfe\x00 broken \xc3\x28")
        await memory.flush_index()
        for number in range(40):
            assert f"number{number:03}" in (await memory.search(Query(text=f"number{number:03}"))).hits[0].text


@pytest.mark.accept("V5-04")
async def test_the_start_indexes_new_files_and_skips_unchanged_ones(life: Life):
    life.memory.mkdir(parents=True)
    (life.memory / "MEMORY.md").write_text("# Home\n\nThe cat is called Miga.\n", encoding="utf-8")
    (life.memory / "2026-01-05.md").write_text("The boiler was serviced.\n", encoding="utf-8")
    (life.workspace / "notes").mkdir()
    async with life.host() as memory:
        await memory.flush_index()
        first = {words: (await memory.search(Query(text=words))).hits[0] for words in ("Miga", "boiler")}
    index = life.workspace / ".storage" / "memory.db"
    written = index.stat().st_mtime_ns
    async with life.host() as memory:
        await memory.flush_index()
        assert {words: (await memory.search(Query(text=words))).hits[0].id for words in first} == {
            words: hit.id for words, hit in first.items()
        }
    assert index.stat().st_mtime_ns == written


async def test_a_day_begins_at_local_midnight(life: Life):
    async with life.host() as memory:
        local = datetime(2026, 2, 16, 23, 59, 59).astimezone()
        life.clock.set(local.astimezone(UTC))
        before = await memory.keep(Note("a"), session_key=KEY)
        life.clock.advance(1)
        after = await memory.keep(Note("b"), session_key=KEY)
    assert [one.path.name for one in (before, after)] == ["2026-02-16.md", "2026-02-17.md"]


@pytest.fixture
def no_umask() -> Iterator[None]:
    """Set the umask to zero, so that files get the requested modes."""
    before = os.umask(0)
    yield
    os.umask(before)


async def test_our_files_are_private_and_the_modes_of_a_persons_files_stay(life: Life, no_umask: None):
    for folder in (life.memory / "sessions", life.memory / ".locks", life.workspace / ".storage"):
        folder.mkdir(parents=True)
    (life.memory / "MEMORY.md").write_text("# Long term\n\nThe user likes plums.\n", encoding="utf-8")
    (life.workspace / ".storage" / "memory.db").touch()
    async with life.host() as memory:
        talk = Conversation(memory)
        for number in range(4):
            said = f"My dog number {number} is called Rex{number}."
            await talk.turn(said, "I see.", remember_call(said, said))
        await observe(memory, "x")
        await memory.keep(Note("The cat sleeps"), session_key=KEY)
        await talk.compact(window=400)
        await talk.idle(ended=True)
        await memory.flush_index()
    wide = {
        str(path.relative_to(life.workspace))
        for path in life.workspace.rglob("*")
        if path.lstat().st_mode & 0o777 & ~(0o700 if path.is_dir() else 0o600)
    }
    assert wide == {"memory", "memory/MEMORY.md"}


async def test_plugins_are_called_before_the_message_is_written(life: Life, install):
    install(
        "reader",
        """
        from nanobot_memory_plugins.core import ContextBlock, hookimpl

        @hookimpl
        def on_message_received(text, context):
            files = (context.workspace / "memory" / "sessions").glob("*.jsonl")
            return ContextBlock(f"known {sum(file.read_text().count(text) for file in files)} times")
        """,
    )
    async with life.host() as memory:
        for times in range(2):
            context = await memory.message_received(session_key=KEY, text="The quagga is extinct.", history=[])
            assert f"known {times} times" in context.block
            assert "quagga" in at(context.receipt)
