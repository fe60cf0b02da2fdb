"""A message of any length is kept whole, judged by its two ends, and does not block the host's event loop."""

import time

import pytest

from nanobot_memory_plugins.core import MemoryHost

KINDS = {
    "paragraphs": "My code is:\n\nfoo bar\n\n> said\n",
    "one run": "key:",
}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_long_message_costs_the_loop_next_to_nothing(tmp_path, kind, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,consolidation")
    text = (KINDS[kind] * 15_000)[:60_000]
    async with MemoryHost(tmp_path) as memory:
        await memory.message_received(session_key="a", text="Hello there, how are you?")
        began = time.thread_time()
        context = await memory.message_received(session_key="a", text=text)
        used = time.thread_time() - began
    assert context.receipt.stored or context.receipt.pending
    assert used < 0.1  # 3 to 9 ms where it is measured beside little else
