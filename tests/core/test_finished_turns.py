"""Hooks that run after a turn do not delay it, and end with the host."""

import asyncio

from nanobot_memory_plugins.core import MemoryHost

SLOW_PLUGIN = """
    import asyncio
    from nanobot_memory_plugins.core import hookimpl

    @hookimpl
    async def on_turn_finished():
        await asyncio.Event().wait()
"""


async def test_turn_finished_returns_at_once_and_its_hooks_end_with_the_host(tmp_path, third_party):
    third_party("slow", SLOW_PLUGIN)
    async with MemoryHost(tmp_path / "w") as memory:
        said = [{"role": "user", "content": "one"}]
        task = memory.turn_finished(session_key="s", messages=said, context_window=900, context_tokens=7)
        await asyncio.sleep(0)
        assert not task.done()
    assert task.cancelled()
