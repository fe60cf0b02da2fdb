"""What follows a turn costs the turn nothing, and ends with the host."""

import asyncio
import time

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.testing import install_plugin

SLOW = """
    import asyncio
    from nanobot_memory_plugins.core import Note, hookimpl

    @hookimpl
    async def on_turn_finished(messages, context_tokens, context_window):
        await asyncio.sleep(WAIT)
        return Note(tldr=f"{len(messages)} messages, {context_tokens} of {context_window}; {messages[-1].text}")
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    def install(wait: float) -> None:
        site = tmp_path / "site"
        site.mkdir()
        install_plugin(site, monkeypatch, "slow", SLOW.replace("WAIT", str(wait)))
        monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "slow")

    return install


def chat(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


async def test_it_returns_at_once_and_what_runs_ends_with_the_host(tmp_path, plugin):
    plugin(30)
    began = time.monotonic()
    async with MemoryHost(tmp_path / "w") as memory:
        task = memory.turn_finished(session_key="s", messages=chat("one"), context_window=900, context_tokens=7)
        await asyncio.sleep(0.3)
        assert not task.done()
    assert task.cancelled()
    assert time.monotonic() - began < 10
