"""A run that goes on in another turn: what it asks is known again, recalled for, and not kept twice."""

import asyncio

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryService
from nanobot_memory_plugins.core.host.framework_calls import guarded

TOLD = "Our staging database listens on port 5433."
ASKED = "Which port does our staging database listen on? The key is sk-proj-"
SECRET = "Qx7Lm2Vb9Tz4Rk8Wp1Nd6Hs3Jf5Gc0Ya"


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    config = MemoryConfig(
        core={"message_limit": 10},
        plugins={"storage": {"embedding": {"provider": "none"}}, "recall": {"needThreshold": 0.0}},
    )
    with MemoryService(tmp_path, config=config) as service:
        service.turn("told").received(TOLD).now()
        service.call(lambda host: host.flush_index(), limit=20).now()
        yield service


def transcript(memory: MemoryService, session: str) -> list[str]:
    async def read(host):
        await host.flush_index()
        return [one["content"] for one in host.history(session)]

    return memory.call(read, limit=20).now()


async def test_a_message_of_the_transcript_is_recalled_for_again_and_kept_once_also_redacted(memory):
    asked = ASKED + SECRET
    first = await memory.turn("asked").received(asked)
    assert await asyncio.to_thread(transcript, memory, "asked")
    turn = memory.turn("asked")
    await memory.go_on(turn, [{"role": "user", "content": asked}])
    again = turn.block
    assert "5433" in first
    assert "5433" in again
    assert turn.beside([{"role": "user", "content": asked}])[0]["content"].endswith(again)
    assert len(await asyncio.to_thread(transcript, memory, "asked")) == 1


async def test_what_nobody_said_in_the_session_is_neither_recalled_for_nor_kept(memory):
    turn = memory.turn("asked")
    prompt = "Which port does our staging database listen on?"
    request = [{"role": "user", "content": prompt}]
    await memory.go_on(turn, request)
    await memory.go_on(turn, [])
    assert turn.block is None
    assert turn.beside(request) == request
    assert await asyncio.to_thread(transcript, memory, "asked") == []


async def test_a_guarded_callback_answers_none_where_it_fails_and_passes_a_cancellation_on():
    @guarded
    async def callback(error):
        raise error

    assert await callback(ValueError("no")) is None
    with pytest.raises(asyncio.CancelledError):
        await callback(asyncio.CancelledError())
