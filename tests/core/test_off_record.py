"""Off the record: what is said so, or while a conversation is paused, is in no file of ours, nor shown to a model."""

import asyncio
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.text import fold
from nanobot_memory_plugins.core.text.off_record import RESUMED
from tests.support.files_of import contents_of

pytestmark = pytest.mark.leaving

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30, "start_limit": 60},
        "plugins": {"storage": {"embedding_provider": "none"}, "consolidation": {"consolidation_schedule": False}},
    }
)
SECRET = "My therapist Quorvex Imbrasil told me to leave Harald"


@pytest.mark.parametrize("word", RESUMED, ids=lambda word: word.example)
def test_memory_is_resumed_by_all_of_a_message(word: Any):
    assert re.fullmatch(word.pattern, fold(word.example))
    assert not re.fullmatch(word.pattern, fold(word.counter_example))


class Model:
    """Writes down what it is shown, and hands all of it back as worth keeping."""

    def __init__(self) -> None:
        self.shown = ""

    async def __call__(self, messages: Any, *, max_tokens: int, purpose: str) -> str:
        self.shown += "\n".join(str(one.get("content")) for one in messages)
        return "Nothing was said."


def files_with(folder: Path, words: bytes) -> list[str]:
    return [name for name, data in contents_of(folder).items() if words.lower() in data.lower()]


async def walk(memory: MemoryHost, history: list[dict[str, str]]) -> None:
    """Let a host do with its own history what it does in a day."""
    await memory.session_idle(session_key="cli:a", history=history)
    await memory.before_compaction(session_key="cli:a", messages=history, context_window=4_000, reason="token_pressure")
    await memory.turn_finished(session_key="cli:a", messages=history, context_window=4_000)
    await memory.session_idle(session_key="cli:a", history=history, ended=True)
    await memory.flush_index()


@pytest.mark.parametrize("paused", [False, True])
async def test_nothing_of_it_stands_in_any_file_of_ours_nor_before_a_model(tmp_path: Path, paused: bool):
    model = Model()
    history: list[dict[str, str]] = []

    async def say(memory: MemoryHost, text: str, answer: str) -> str:
        context = await memory.message_received(session_key="cli:a", text=text, history=list(history))
        await memory.message_sent(session_key="cli:a", text=answer)
        history.extend([{"role": "user", "content": text}, {"role": "assistant", "content": answer}])
        return context.block or ""

    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        await say(memory, "I keep bees in Lund near the harbour.", "Lovely.")
        if paused:
            assert "paused" in await say(memory, "memory pause", "It is paused.")
        told = await say(
            memory,
            f"{SECRET}. {'Remember that.' if paused else 'Please do not save this.'}",
            "I am sorry to hear that Quorvex Imbrasil told you to leave Harald.",
        )
        assert "not kept" in told or "off the record" in told
        result = f"Notes of the day: {SECRET}, as she said on the phone this morning."
        await memory.tool_executed(session_key="cli:a", tool_name="read_file", arguments={}, result=result)
        for name, more in (("remember", {}), ("remember", {"kind": "note"})):
            await memory.tool(name).run({"text": SECRET, **more}, session_key="cli:a")
        assert files_with(tmp_path, b"imbrasil") == []
        await walk(memory, history)
    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        if paused:
            assert "on again" in await say(memory, "memory resume", "It is on.")
        assert "not kept" not in await say(memory, "I take the ferry to work on Mondays.", "Good.")
        await walk(memory, history)
    assert files_with(tmp_path, b"imbrasil") == []
    assert "Imbrasil" not in model.shown
    assert files_with(tmp_path, b"the ferry to work on mondays")
    assert files_with(tmp_path, b"bees in lund")


async def said(memory: MemoryHost, text: str, session: str = "cli:a") -> tuple[str, bool]:
    context = await memory.message_received(session_key=session, text=text)
    return context.block or "", context.receipt.stored


async def test_two_processes_pause_a_conversation_each_and_neither_takes_the_others_back(tmp_path: Path):
    async with MemoryHost(tmp_path, config=CONFIG) as one, MemoryHost(tmp_path, config=CONFIG) as other:
        await asyncio.gather(*(said(host, "memory pause", f"cli:{n}") for n in range(8) for host in (one, other)))
        await said(other, "memory resume", "cli:0")
        kept = [(await said(one, "I keep bees in Lund.", f"cli:{n}"))[1] for n in range(9)]
        assert kept == [True, *[False] * 7, True]


@pytest.mark.skipif(os.name != "posix", reason="links in the place of folders are tried where everybody may make them")
async def test_a_conversation_that_cannot_be_paused_is_said_to_go_on_being_kept(tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace = tmp_path / "workspace"
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await said(memory, "I keep bees in Lund.")
        (workspace / "memory" / ".erasure").mkdir(exist_ok=True)
        (workspace / "memory" / ".erasure" / "paused").symlink_to(elsewhere)
        told, stored = await said(memory, "memory pause")
        assert not stored
        assert "could not be paused" in told
        assert "goes on being kept" in told
        assert (await said(memory, "I take the ferry to work on Mondays."))[1]
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("heard", [True, False], ids=["heard", "in turns that had no time for memory"])
async def test_what_a_host_dates_by_the_end_of_its_turn_stays_off_the_record_when_memory_is_on_again(
    tmp_path: Path, heard: bool
):
    model = Model()
    history: list[dict[str, str]] = []

    async def say(memory: MemoryHost | None, text: str, answer: str) -> None:
        if memory is not None:
            await memory.message_received(session_key="cli:a", text=text, history=list(history))
            await memory.message_sent(session_key="cli:a", text=answer)
        saved = (datetime.now(UTC) + timedelta(seconds=40)).isoformat()
        history.append({"role": "user", "content": text, "timestamp": saved})
        history.append({"role": "assistant", "content": answer, "timestamp": saved})

    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        await say(memory, "I keep bees in Lund near the harbour.", "Lovely.")
        await say(memory, "memory pause", "It is paused.")
        while_paused = memory if heard else None
        await say(while_paused, f"{SECRET}.", "I am sorry that Quorvex Imbrasil said so.")
        await say(while_paused, "My locker is number 7.", "OK.")
        await say(memory, "memory resume", "It is on.")
        await say(memory, f"I swim on Fridays. {SECRET} is off the record, please don't save that.", "Imbrasil, I see.")
        await say(memory, "I take the ferry to work on Mondays.", "Good.")
        await walk(memory, history)
    assert files_with(tmp_path, b"imbrasil") == []
    assert files_with(tmp_path, b"locker") == []
    assert "Imbrasil" not in model.shown
    assert "locker" not in model.shown
    assert files_with(tmp_path, b"bees in lund")
    assert files_with(tmp_path, b"the ferry to work on mondays")
