"""A message of any length is kept whole, judged by its two ends, and costs the host's loop next to nothing."""

import json
import os
import time

import pytest

from nanobot_memory_plugins.core import MemoryHost
from tests.support.hostile_repetitions import repeated

KINDS = {
    "paragraphs": "My code is:\n\nfoo bar\n\n> said\n",
    "one run": "key:",
}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_long_message_costs_the_loop_next_to_nothing(tmp_path, kind, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,consolidation")
    text = repeated(KINDS[kind], 60_000)
    async with MemoryHost(tmp_path) as memory:
        await memory.message_received(session_key="a", text="Hello there, how are you?")
        began = time.thread_time()
        context = await memory.message_received(session_key="a", text=text)
        used = time.thread_time() - began
    assert context.receipt.stored or context.receipt.pending
    assert used < 0.1  # 3 to 9 ms where it is measured beside little else


def _transcript(workspace, first: str) -> list[str]:
    """Give the lines of the transcript that begins with a message."""
    texts = [path.read_text("utf-8") for path in (workspace / "memory" / "sessions").glob("*.jsonl")]
    return next(text for text in texts if f'"{first}' in text[:2_000]).splitlines()


@pytest.mark.skipif(not os.environ.get("NANOBOT_MEMORY_LONG"), reason="takes half a minute: NANOBOT_MEMORY_LONG=1")
@pytest.mark.parametrize("token", ["the password is a1b2c3d4! ", "pwd=a;", "| password | a1b2c3d4! |\n"])
async def test_no_turn_waits_for_a_megabyte_that_is_costly_to_redact(tmp_path, token):
    """Five times what it takes beside little else; the text is written all the same, redacted and in order."""
    async with MemoryHost(tmp_path) as memory:
        await memory.message_received(session_key="a", text="Hello there, how are you?")
        began = time.monotonic()
        context = await memory.message_received(session_key="a", text=repeated(token, 1_000_000))
        await memory.message_sent(session_key="a", text="What is it?")
        await memory.message_received(session_key="b", text="Something else.")
        assert time.monotonic() - began < 10
        assert context.receipt.pending
    lines = _transcript(tmp_path, "Hello")
    texts = [json.loads(line)["text"] for line in lines]
    assert [text[:5] for text in texts[::2]] == ["Hello", "What "]
    assert "a1b2c3d4!" not in texts[1]
