"""Histories that the memory has never seen are recorded once, redacted, with their own times."""

import asyncio
import json
import threading
import time

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.files.appending import acquire_lock
from nanobot_memory_plugins.core.host.history import plain_history
from nanobot_memory_plugins.core.host.recorded_messages import RecordedMessages
from tests.behaviour.kit.waiting import until

CONFIG = MemoryConfig(plugins={"storage": {"embedding": {"provider": "none"}}})
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HISTORY = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "My dog is called Rex.", "timestamp": "2026-03-01T10:00:00+01:00"},
    {"role": "assistant", "content": "What a name.", "timestamp": "2026-03-01T10:00:05+01:00"},
    {"role": "user", "content": f"The key is {KEY}, keep it.", "timestamp": "2026-03-02T11:00:00+01:00"},
    {"role": "assistant", "content": "", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "vault", "arguments": '{"for": "Rex"}'}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "stored in drawer 17"},
    {"role": "assistant", "content": "I have put it away."},
]  # fmt: skip
SPOKEN = ["My dog is called Rex.", "What a name.", "The key is [API_KEY], keep it.", "I have put it away."]


@pytest.fixture(autouse=True)
def _plugins(monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,observation")


def lines(memory: MemoryHost, session: str = "s") -> list[dict[str, str]]:
    path = memory._files.paths.transcript(session)
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def texts(memory: MemoryHost, session: str = "s") -> list[str]:
    return [one["text"] for one in lines(memory, session)]


def day_notes(memory: MemoryHost) -> str:
    return "".join(path.read_text() for path in (memory.workspace / "memory").glob("20*.md"))


async def test_resume_records_only_missing_messages_despite_host_formatting(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        long = "The meeting of the gardeners begins at nine and ends at ten in the hall behind the church. " * 3
        await memory.message_received(session_key="s", text="My dog is called Rex.")
        await memory.message_sent(session_key="s", text=long)
        await memory.tool_executed(session_key="s", tool_name="vault", arguments={}, result="seen live")
        history = [
            {"role": "user", "content": [{"type": "text", "text": "[image: rex.png]\n  My dog is\ncalled Rex. "}]},
            {"role": "assistant", "content": "Let me look.", "tool_calls": [{"id": "c"}]},
            {"role": "tool", "tool_call_id": "c", "content": "seen live"},
            {"role": "assistant", "content": long[:150]},
            {"role": "user", "content": "And my cat is Tom."},
        ]
        assert await memory.resume(session_key="s", messages=history) == 1
        assert texts(memory) == ["My dog is called Rex.", long, "And my cat is Tom."]
        assert day_notes(memory).count("### ") == 1


async def test_a_forked_session_records_only_what_its_parent_lacks(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        parent = f"chat of {KEY}"  # the session key contains a secret, which is redacted
        await memory.resume(session_key=parent, messages=HISTORY)
        longer = [*HISTORY, {"role": "user", "content": "Only the fork heard this."}]
        assert await memory.resume(session_key="fork", messages=longer, parent=parent) == 1
        assert texts(memory, "fork") == ["Only the fork heard this."]
        await memory.message_received(session_key="hers", text="Hello.", scope={"user": "ana"})
        await memory.resume(session_key="her fork", messages=longer[-1:], parent="hers")
        assert lines(memory, "her fork")[0]["user"] == "ana"


async def test_two_processes_record_a_slowly_redacted_history_once(tmp_path, monkeypatch):
    monkeypatch.setattr("nanobot_memory_plugins.core.files.memory_files._SHORT_WAIT", 0.0)
    history = [{"role": "user", "content": f"message {number} " + "and so on " * 200} for number in range(60)]
    async with MemoryHost(tmp_path, config=CONFIG) as one, MemoryHost(tmp_path, config=CONFIG) as other:
        await asyncio.gather(*(memory.resume(session_key="s", messages=history) for memory in (one, other)))
        assert len(texts(one)) == len(history)


async def test_histories_of_one_process_wait_for_each_other_beyond_the_lock_timeout(tmp_path, monkeypatch):
    monkeypatch.setattr("nanobot_memory_plugins.core.host.history_calls._LOCK_SECONDS", 0.2)
    read = RecordedMessages.read

    def read_slowly(*given):
        time.sleep(0.5)
        return read(*given)

    monkeypatch.setattr(RecordedMessages, "read", read_slowly)
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await asyncio.gather(
            memory.resume(session_key="s", messages=HISTORY),
            memory.before_compaction(session_key="s", messages=HISTORY, context_window=1_000, reason="pressure"),
            memory.resume(session_key="other", messages=HISTORY),
        )
        assert texts(memory) == texts(memory, "other") == SPOKEN


async def test_only_a_compaction_ignores_the_lock_of_another_process(tmp_path, monkeypatch):
    monkeypatch.setattr("nanobot_memory_plugins.core.host.history_calls._LOCK_SECONDS", 0.1)
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        with acquire_lock(memory._files.paths, "work", 0.0):
            assert await memory.resume(session_key="s", messages=HISTORY[:3]) == 0
            cut = {"messages": HISTORY[:3], "context_window": 9_000, "reason": "token_pressure"}
            await memory.before_compaction(session_key="cut", **cut)
        assert texts(memory, "cut") == SPOKEN[:2]
        await memory.session_idle(session_key="s", history=HISTORY[:3])
        assert texts(memory) == SPOKEN[:2]


async def test_a_compacted_history_is_recorded_even_if_the_host_cancels(tmp_path, monkeypatch):
    begun, given_up = threading.Event(), threading.Event()

    def read_slowly(history):
        begun.set()
        given_up.wait(60)
        return plain_history(history)

    monkeypatch.setattr("nanobot_memory_plugins.core.host.message_calls.plain_history", read_slowly)
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        cutting = asyncio.create_task(
            memory.before_compaction(session_key="s", messages=HISTORY, context_window=1_000, reason="pressure")
        )
        await asyncio.to_thread(begun.wait, 60)
        cutting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cutting
        given_up.set()
        await until(lambda: texts(memory) == SPOKEN)


async def test_a_close_interrupts_a_long_history_which_is_completed_later(tmp_path):
    history = [{"role": "user", "content": f"The plant number {n} wants water."} for n in range(3_000)]
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        taking = asyncio.ensure_future(memory.resume(session_key="s", messages=history))
        while not texts(memory):
            await asyncio.sleep(0.01)
    taken = await taking
    assert 0 < taken < 3_000
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        assert texts(memory) == [one["content"] for one in history[:taken]]
        few = history[: taken + 20]
        assert await memory.resume(session_key="s", messages=few) == 20
        assert texts(memory) == [one["content"] for one in few]
