"""Messages that no host should send: every hook takes them, says so at most once, and keeps what can be read."""

import os
from collections import Counter

import pytest
from loguru import logger

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query

FACT = "The spare key of the boathouse hangs behind the green barometer."
MEGABYTE = 1_000_000
# NANOBOT_MEMORY_LONG=1 takes 50 MB, for a minute.
LARGE = 50 if os.environ.get("NANOBOT_MEMORY_LONG") else 5
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 60, "tool_limit": 60, "idle_limit": 120, "compaction_limit": 120},
        "plugins": {"recall": {"recall_timeout": 60}, "storage": {"embedding_provider": "none"}},
    }
)
BAD = {
    "no role": {"content": "no role at all"},
    "no content": {"role": "user"},
    "None": {"role": "assistant", "content": None},
    "no message": None,
    "bytes": {"role": "user", "content": b"\xff\xfe bytes of a user"},
    "numbers": {"role": 7, "content": 12.5},
    "surrogates": {"role": "user", "content": "half \ud83d of a pair \x00 and NUL"},
    "parts": {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}, None, {"text": "a part"}]},
    "calls": {"role": "assistant", "content": "", "tool_calls": ["junk", {"function": None}, None]},
    "orphan": {"role": "tool", "content": {"deep": [{"er": b"\x80"}]}, "tool_call_id": None},
    "large": {"role": "user", "content": "wind and waves again " * (LARGE * MEGABYTE // 21)},
}


@pytest.mark.parametrize("kind", BAD)
async def test_each_hook_takes_it_says_so_once_and_loses_nothing(tmp_path, kind):
    said: Counter[str] = Counter()
    listening = logger.add(lambda message: said.update([message.record["message"]]), level="WARNING")
    messages = [{"role": "user", "content": FACT}, BAD[kind], {"role": "assistant", "content": "Noted."}] * 2
    try:
        async with MemoryHost(tmp_path, config=CONFIG) as memory:
            for _ in range(2):
                await memory.message_received(session_key="s", text="hello there", history=messages)
                await memory.turn_finished(session_key="s", messages=messages, context_window=32_000)
                summary = await memory.before_compaction(
                    session_key="s", messages=messages, context_window=32_000, reason="token_pressure", room=8_000
                )
                assert summary is not None
                assert summary.text.strip()
                await memory.session_idle(session_key="s", history=messages, ended=True)
            content = (BAD[kind] or {}).get("content")
            receipt = await memory.tool_executed(
                session_key="s", tool_name="read", arguments={"x": content}, result=content
            )
            assert receipt.stored
            await memory.flush_index()
            hits = (await memory.search(Query(text="Where does the spare key of the boathouse hang?"))).hits
    finally:
        logger.remove(listening)
    assert any("green barometer" in hit.text for hit in hits)
    assert [text for text, times in said.items() if times > 1] == []
    assert [text for text in said if text.startswith("plugin ")] == []  # none raised, none ran out of time
