"""A turn that an adapter reports, no matter how often its hooks fire, and even if the memory fails."""

import asyncio
import json
import threading
import time
from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryService, is_fenced
from nanobot_memory_plugins.core.testing import ManualClock
from tests.behaviour.kit.waiting import until, until_now
from tests.host.conftest import QUESTION, notes, store_the_port, transcript


async def test_a_message_received_several_times_is_kept_once_with_one_block(memory):
    store_the_port(memory)
    turn = memory.turn("asked")
    first, second = await asyncio.gather(turn.received(QUESTION), turn.received(f"  {QUESTION}\n"))
    third = await turn.received(f"{QUESTION}\n\n{first}")
    assert "5433" in first
    assert is_fenced(first)
    assert first == second == third == turn.block
    assert not turn.was_late
    assert transcript(memory, "asked") == [("user", QUESTION)]


def test_with_block_extends_the_users_message_in_a_copy(memory):
    store_the_port(memory)
    turn = memory.turn("asked")
    block = turn.received(QUESTION).now()
    results = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "no"}]}
    for content, kind in (
        (QUESTION, None),
        ([{"type": "text", "text": QUESTION}], "text"),
        ([{"type": "input_text", "text": QUESTION}], "input_text"),
        ([{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": "data:"}}], "text"),
    ):
        history = [{"role": "user", "content": "Hello"}, {"role": "user", "content": content}, results]
        before = json.dumps(history)
        request = turn.with_block(history)
        assert json.dumps(history) == before
        assert request[0] == history[0]
        assert request[2] == results
        expected = f"{QUESTION}\n\n{block}" if kind is None else [*content, {"type": kind, "text": block}]
        assert request[1] == {"role": "user", "content": expected}


async def test_a_tool_is_noted_once_and_its_exception_is_raised(memory):
    turn = memory.turn("s")
    async with turn.tool("deploy", {"to": "staging"}, call_id="1") as call:
        call.result = "deployed build 77 to staging"
    await turn.tool_finished("1", "deploy", {"to": "staging"}, result="deployed build 77 to staging")
    with pytest.raises(ValueError, match="quota"):
        async with turn.tool("deploy", '{"to": "production"}', call_id="2"):
            raise ValueError("quota of 12 machines is exceeded")
    written = notes(memory)
    assert written.count("build 77") >= 1
    assert written.count("### ") == 2
    assert "quota of 12 machines" in written


async def test_replies_are_kept_once_from_texts_and_message_lists(memory):
    turn = memory.turn("s")
    await turn.received("Which day is it?")
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "An answer of an earlier turn."},
        {"role": "user", "content": "Which day is it?"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "Monday"},
        {"role": "assistant", "content": "It is Monday."},
    ]
    await turn.replied(messages)
    await turn.replied("It is Monday.")
    messages.append({"role": "assistant", "content": "The whole day."})
    await turn.replied(messages)
    expected = [("user", "Which day is it?"), ("assistant", "It is Monday."), ("assistant", "The whole day.")]
    assert transcript(memory, "s") == expected


async def test_a_cancelled_turn_keeps_its_message_and_tool_failure(memory):
    turn = memory.turn("s")
    task = asyncio.ensure_future(turn.received("Begin the long job."))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(asyncio.CancelledError):
        async with turn.tool("job", {}, call_id="1"):
            raise asyncio.CancelledError
    turn.finished()
    await until(lambda: transcript(memory, "s") and notes(memory))
    assert transcript(memory, "s") == [("user", "Begin the long job.")]
    assert "CancelledError" in notes(memory)


def test_a_turn_survives_a_memory_that_cannot_start(tmp_path, monkeypatch):
    (tmp_path / "memory").write_text("in the way")
    memory = MemoryService(tmp_path / "memory" / "below", start_limit=0.5)
    memory._open = _failing_open
    turn = memory.turn("s")
    assert turn.received("Hello").now() is None
    turn.tool_finished("1", "x", {}, result="y").now()
    turn.replied("Hi").now()
    turn.finished()
    assert memory.close()


@pytest.mark.parametrize(
    ("message", "plugins", "notices"),
    [("记住钥匙在花盆下面", None, ("没来得及查找记忆",)), ("Where is the key?", "", ())],
)
def test_a_turn_with_a_late_memory_gets_a_notice(tmp_path, monkeypatch, message, plugins, notices):
    if plugins is not None:
        monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", plugins)
    with MemoryService(tmp_path, config=MemoryConfig.model_validate({"core": {"message_limit": 0.2}})) as memory:
        memory.submit(_blocking(1.3))
        turn = memory.turn("s")
        block = turn.received(message).now() or ""
        assert block == (turn.block or "")
        assert [text for text in LATE_NOTICES if text in block] == list(notices)
        until_now(lambda: ("user", message) in transcript(memory, "s"), "the message is kept")


LATE_NOTICES = ("could not be searched in time", "没来得及查找记忆")


async def _failing_open():
    raise OSError("no such disk")


async def test_a_late_recall_is_awaited_only_once(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
    clock, go_on = ManualClock(datetime(2026, 3, 1, tzinfo=UTC)), threading.Event()
    config = MemoryConfig.model_validate({"core": {"message_limit": 500.0}})

    async def block_the_loop(_memory):
        go_on.wait()  # as a plugin might

    async with MemoryService(tmp_path, config=config, clock=clock) as memory:
        memory.submit(block_the_loop)
        turn = memory.turn("s")
        receiving = asyncio.ensure_future(turn.received("Hello"))
        while not clock.alarms:
            await asyncio.sleep(0)
        assert 500.0 <= clock.alarms[0] <= 520.0
        clock.advance(clock.alarms[0])
        assert await receiving is None
        again = asyncio.ensure_future(turn.received("Hello"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert again.done()
        assert turn.was_late
        go_on.set()


def _blocking(seconds: float):
    async def block_the_loop(_memory):
        time.sleep(seconds)  # noqa: ASYNC251  # as a plugin might

    return block_the_loop


async def test_plugins_are_told_once_when_the_idle_timer_ends(tmp_path, monkeypatch, installed_plugin):
    source = """
        from nanobot_memory_plugins.core import Note, hookimpl

        @hookimpl
        def on_session_idle(session_key, history, ended, **_):
            return Note(f"{session_key} was quiet after {len(history)} messages, ended: {ended}")
    """
    installed_plugin("quiet", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "quiet")
    config = MemoryConfig.model_validate({"core": {"idle_seconds": 5_000.0}})
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    async with MemoryService(tmp_path, config=config, clock=clock) as memory:
        for text in ("one", "two"):
            turn = memory.turn("s")
            await turn.received(text)
            clock.advance(4_000.0)
            turn.finished()
            while clock.alarms[-1:] != [5_000.0]:
                await asyncio.sleep(0)
        assert "was quiet" not in notes(memory)
        clock.advance(5_000.0)
        while "was quiet" not in notes(memory):
            await asyncio.sleep(0)
        assert notes(memory).count("s was quiet after 2 messages, ended: False") >= 1
        assert notes(memory).count("### ") == 1


async def test_a_tool_accepts_the_json_text_of_a_model(memory):
    (search,) = (tool for tool in memory.tools() if tool.name == "memory_search")
    store_the_port(memory)
    assert "5433" in await search.run('{"query": "port of the database"}', session_key="told")
    for text in ("{", "[1]", "[" * 100_000):
        assert (await search.run(text, session_key="s")).startswith("Error: the arguments are no JSON object")
