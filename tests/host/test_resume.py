"""Histories of hosts that memory did not see: taken in once, redacted, with their own times, and not recalled for."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ScriptedServer
from tests.support.files_of import holders_of

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


async def test_a_history_is_taken_in_once_redacted_with_its_own_times(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        assert await memory.resume(session_key="s", messages=HISTORY) == 4
        assert texts(memory) == SPOKEN
        assert [datetime.fromisoformat(one["time"]).astimezone(UTC).day for one in lines(memory)] == [1, 1, 2, 2]
        assert [one["origin"] for one in lines(memory)] == ["user", "assistant", "user", "assistant"]
        assert await memory.resume(session_key="s", messages=HISTORY) == 0
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        assert await memory.resume(session_key="s", messages=HISTORY) == 0
        await memory.flush_index()
        assert (await memory.search(Query("what is the dog called"))).hits
        assert texts(memory) == SPOKEN
    assert holders_of(tmp_path / "memory", KEY) == []


async def test_only_what_is_missing_is_taken_in_however_the_host_wraps_what_was_said(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        long = "The meeting of the gardeners begins at nine and ends at ten in the hall behind the church. " * 3
        await memory.message_received(session_key="s", text="My dog is called Rex.")
        await memory.message_sent(session_key="s", text=long)
        await memory.tool_executed(session_key="s", tool_name="vault", arguments={}, result="seen live")
        history = [
            {"role": "user", "content": [{"type": "text", "text": "  My dog is\ncalled Rex. "}]},
            {"role": "assistant", "content": "Let me look.", "tool_calls": [{"id": "c"}]},
            {"role": "tool", "tool_call_id": "c", "content": "seen live"},
            {"role": "assistant", "content": long[:150]},
            {"role": "user", "content": "And my cat is Tom."},
        ]
        assert await memory.resume(session_key="s", messages=history) == 1
        assert texts(memory) == ["My dog is called Rex.", long, "And my cat is Tom."]
        assert day_notes(memory).count("### ") == 1


async def test_the_same_words_said_again_are_another_message(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        said = ["The port is 1.", "The port is 2.", "The port is 1."]
        for text in said[:2]:
            await memory.message_received(session_key="s", text=text)
        assert await memory.resume(session_key="s", messages=[{"role": "user", "content": text} for text in said]) == 1
        assert texts(memory) == said


async def test_a_fork_begins_with_what_its_parent_has(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        parent = f"chat of {KEY}"  # what a session is called holds a secret, and is written otherwise
        await memory.resume(session_key=parent, messages=HISTORY)
        longer = [*HISTORY, {"role": "user", "content": "Only the fork heard this."}]
        assert await memory.resume(session_key="fork", messages=longer, parent=parent) == 1
        assert texts(memory, "fork") == ["Only the fork heard this."]
        await memory.message_received(session_key="hers", text="Hello.", scope={"user": "ana"})
        await memory.resume(session_key="her fork", messages=longer[-1:], parent="hers")
        assert lines(memory, "her fork")[0]["user"] == "ana"


async def test_two_at_once_take_it_in_once(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as one, MemoryHost(tmp_path, config=CONFIG) as other:
        hosts = [one, other, one, other]
        taken = await asyncio.gather(*(memory.resume(session_key="s", messages=HISTORY) for memory in hosts))
        assert sum(taken) == 4
        assert texts(one) == SPOKEN


SHORT = [{"role": "user", "content": "The boat is called Mistral."}, {"role": "assistant", "content": "Noted."}]
OVERSIZED = [{"role": "user", "content": "word " * 60_000 + "The boat is called Mistral. " + "word " * 60_000}]
CHINESE = [{"role": "user", "content": "我的船叫米斯特拉尔。"}, {"role": "assistant", "content": "好的。"}]
PARTS = [{"role": "user", "content": [{"type": "text", "text": "The boat is called Mistral."}, {"type": "image"}]}]
MODELS = {"fine": "- The boat is called Mistral.", "no reply": "NO_REPLY", "junk": "}{"}


HISTORIES = {"short": SHORT, "oversized": OVERSIZED, "chinese": CHINESE, "parts": PARTS}


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("short", "fine"),
        ("short", "slow"),
        ("oversized", "down"),
        ("chinese", "no reply"),
        ("parts", "junk"),
    ],
)
async def test_what_is_cut_and_was_never_seen_is_found_afterwards_once(tmp_path, monkeypatch, kind, model):
    history = HISTORIES[kind]
    monkeypatch.delenv("NANOBOT_MEMORY_PLUGINS")
    with ScriptedServer() as server:
        status, delay = 500 if model == "down" else 200, 4 if model == "slow" else 0
        server.rules = [ReplyRule(lambda _: True, Reply(MODELS.get(model, ""), status=status, delay=delay))]
        core = CONFIG.core.model_copy(update={"compaction_limit": 1.0} if model == "slow" else {})
        config = CONFIG.model_copy(update={"core": core})
        async with MemoryHost(tmp_path, config=config, llm=server.complete) as memory:
            for _ in range(2):
                await memory.before_compaction(
                    session_key="s", messages=history, context_window=9_000, reason="token_pressure"
                )
            await memory.flush_index()
            found = await memory.search(Query("boat Mistral 船 米斯特拉尔", limit=20))
    name = "米斯特拉尔" if history is CHINESE else "Mistral"
    assert any(name in hit.text for hit in found.hits)
    kept = list((tmp_path / "memory").glob("sessions/*.jsonl"))
    assert sum(path.read_text().count(name) for path in kept) == 1


async def test_a_close_waits_for_no_long_history_and_what_is_left_is_taken_in_later_once(tmp_path):
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
