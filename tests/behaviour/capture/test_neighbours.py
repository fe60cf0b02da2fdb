"""No plugin costs a message its place in the file: none that raises, exits, answers garbage, or never comes back."""

from collections.abc import Callable

import pytest

from tests.behaviour.kit.life import KEY, Conversation, Life

RAISING = """
import sys
from nanobot_memory_plugins.core import hookimpl

@hookimpl(tryfirst=True)
def on_message_received(text):
    sys.exit(3)

@hookimpl(tryfirst=True)
async def on_tool_executed():
    raise KeyboardInterrupt

@hookimpl(tryfirst=True)
def on_session_idle():
    raise RecursionError

@hookimpl(tryfirst=True)
def before_compaction():
    return object()
"""
HANGING = """
import asyncio
import threading
from nanobot_memory_plugins.core import hookimpl

@hookimpl(tryfirst=True)
async def on_message_received(text):
    await asyncio.Event().wait()

@hookimpl(tryfirst=True)
def on_tool_executed():
    threading.Event().wait()
"""


@pytest.mark.accept("V3-09")
@pytest.mark.parametrize("kind", ["raises", "hangs"])
async def test_what_is_said_and_done_is_kept_and_recalled_beside_a_plugin_that(
    life: Life, install: Callable[..., None], kind: str
):
    install("bad", RAISING if kind == "raises" else HANGING)
    limits = {} if kind == "raises" else {"messageLimit": 1, "toolLimit": 1}
    async with life.host(core=limits) as memory:
        talk = Conversation(memory)
        context = await memory.message_received(session_key=KEY, text="The staging database listens on port 6543.")
        assert context.receipt.stored
        assert (await memory.message_sent(session_key=KEY, text="Noted.")).stored
        receipt = await memory.tool_executed(session_key=KEY, tool_name="exec", arguments={}, result="17 targets")
        assert receipt.stored
        assert "17 targets" in receipt.path.read_text(encoding="utf-8")
        if kind == "raises":
            talk.history = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}] * 40
            await talk.idle(ended=True)
            assert (await talk.compact()).text
        await memory.flush_index()
        asked = "Do you remember the port of the staging database?"
        if kind == "raises":
            assert "6543" in await Conversation(memory, "cli:new").hear(asked)
    assert [one["text"] for one in life.transcript()][:2] == ["The staging database listens on port 6543.", "Noted."]
