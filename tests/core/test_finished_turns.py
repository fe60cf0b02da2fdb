"""What follows a turn costs the turn nothing, and ends with the host."""

import asyncio

from nanobot_memory_plugins.core import MemoryHost

SLOW = """
    import asyncio
    from nanobot_memory_plugins.core import hookimpl

    @hookimpl
    async def on_turn_finished():
        await asyncio.Event().wait()
"""


async def test_it_returns_at_once_and_what_runs_ends_with_the_host(tmp_path, third_party):
    third_party("slow", SLOW)
    async with MemoryHost(tmp_path / "w") as memory:
        said = [{"role": "user", "content": "one"}]
        task = memory.turn_finished(session_key="s", messages=said, context_window=900, context_tokens=7)
        await asyncio.sleep(0)
        assert not task.done()
    assert task.cancelled()
