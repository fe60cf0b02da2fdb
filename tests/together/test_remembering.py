"""The whole set together, without a host: what was said and done is found again, in a new process's place."""

import asyncio
import time

import pytest

from nanobot_memory_plugins.core import MemoryHost
from tests.support.loop_lag import loop_lags
from tests.support.patient import patient_config

CONFIG = patient_config(storage={"embedding_provider": "fastembed"})


@pytest.mark.slow
@pytest.mark.accept("V3-10")
async def test_embedding_does_not_block_the_event_loop(tmp_path, builtin_model):
    async with MemoryHost(tmp_path, config=CONFIG) as memory, loop_lags() as gaps:
        await memory.start()
        gaps.clear()
        for number in range(300):
            await memory.message_sent(
                session_key="cli:one", text=f"paragraph {number} " + "about many different things " * 30
            )
        deadline = time.monotonic() + 60
        while memory.store.status().vectors < 300 and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        status = memory.store.status()
        seen = sorted(gaps)
    assert status.vectors >= 300
    # Bare embedding of these texts in the loop would block it for more than a second in one piece; loading the model
    # holds the interpreter for about 0.2 s.
    assert seen[int(len(seen) * 0.99)] < 0.25
    assert seen[-1] < 2.0
