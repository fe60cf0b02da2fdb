"""All plugins together, without a host: what was said and done is found again after a restart."""

import asyncio
import threading
import time

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.storage.embedding.local_provider import LocalEmbedder
from tests.support.patient import patient_config

CONFIG = patient_config(storage={"embedding_provider": "fastembed"})


@pytest.mark.slow
@pytest.mark.accept("V3-10")
async def test_embedding_does_not_block_the_event_loop(tmp_path, builtin_model, monkeypatch):
    loop, lags, encode = asyncio.get_running_loop(), [], LocalEmbedder.encode

    def encode_once_the_loop_answers(model, texts):
        answered, asked = threading.Event(), time.perf_counter()
        loop.call_soon_threadsafe(answered.set)
        answered.wait(10)  # in the loop itself, or while it waits for the vectors, there is no answer
        lags.append(time.perf_counter() - asked)
        return encode(model, texts)

    monkeypatch.setattr(LocalEmbedder, "encode", encode_once_the_loop_answers)
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_sent(session_key="cli:one", text="We moved to a house by the harbour in May.")
        deadline = time.monotonic() + 60
        while not memory.store.status().vectors and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        embedded = len(lags)
        await memory.message_received(session_key="cli:two", text="Where did we say that we live now?")
    assert 0 < embedded < len(lags)
    assert max(lags) < 5
