"""A user's turn on a real AgentLoop: the messages that are stored, and the block that recall adds."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from nanobot_memory_plugins.bridge.connection import bridge_of
from nanobot_memory_plugins.core.host.turn_records import missed_turns
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule

FACT = "The build server is called Brunhilde."


async def test_a_streamed_reply_is_remembered_whole(install, recorder, server):
    recorder()
    server.default = "A reply that arrives in pieces."
    nanobot = install()
    loop = nanobot.loop()
    pieces: list[str] = []

    async def on_stream(delta: str) -> None:
        pieces.append(delta)

    async def on_end(*_: object, **__: object) -> None:
        """Take the end of the stream."""

    await loop.process_direct("go on", on_stream=on_stream, on_stream_end=on_end)
    await loop.aclose()
    assert len(pieces) > 1
    assert [r["text"] for r in nanobot.transcript()] == ["go on", "A reply that arrives in pieces."]


async def test_trap_3_a_recall_that_breaks_does_not_end_the_turn(install, recorder, server):
    recorder(recall=FACT)
    loop = install().loop()
    bridge = bridge_of(loop)
    bridge.turns._memory = None  # makes every call of the memory fail
    response = await loop.process_direct("still there?")
    await loop.aclose()
    assert response.content == "Understood."


async def test_nothing_is_kept_of_a_turn_that_nanobot_does_not_keep(install, recorder, server):
    calls = recorder(recall=FACT)
    nanobot = install()
    loop = nanobot.loop()
    await loop.process_direct("do not keep this", ephemeral=True)
    loop.sessions.get_or_create_transient("cli:temporary")
    await loop.process_direct("nor this", session_key="cli:temporary")
    await loop.aclose()
    assert calls.calls() == []
    assert nanobot.transcript() == []
    assert FACT not in server.requests[-1].text


@pytest.mark.accept("V3-19")
async def test_recall_has_begun_while_the_host_is_still_building_its_context(install, recorder, server):
    calls = recorder(recall=FACT)
    loop = install().loop()
    compact = loop._compact_session

    async def slow_compact(turn):
        """Simulate a host that is busy before it requests context, and wait there until recall has begun."""
        for _ in range(500):
            if calls.calls("message"):
                return await compact(turn)
            await asyncio.sleep(0.01)
        raise AssertionError("recall has not begun")

    loop._compact_session = slow_compact
    await loop.process_direct("what is the build server called?")
    await loop.aclose()
    assert FACT in server.requests[-1].last_user
    assert len(calls.calls("message")) == 1


async def test_a_follow_up_in_the_middle_of_a_turn_is_recalled_for_and_nothing_is_kept_twice(install, recorder, server):
    from nanobot.bus.events import InboundMessage
    from nanobot.bus.queue import MessageBus

    recorder(recall=FACT)
    server.rules = [
        ReplyRule(lambda request: "follow-up" in request.last_user, Reply("Answer to both.")),
        ReplyRule(lambda request: "first" in request.last_user, Reply("Answer to the first.", delay=0.5)),
    ]
    nanobot = install()
    bus = MessageBus()
    loop = nanobot.loop(bus=bus)
    running = asyncio.create_task(loop.run())
    await bus.publish_inbound(InboundMessage("telegram", "ann", "7", "first"))
    while not server.requests:
        await asyncio.sleep(0.02)
    await bus.publish_inbound(InboundMessage("telegram", "ann", "7", "follow-up"))
    async with asyncio.timeout(20):
        while (await bus.consume_outbound()).content != "Answer to both.":
            pass
    loop.stop()
    await running
    assert FACT in server.requests[-1].last_user
    assert sorted(r["text"] for r in nanobot.transcript()) == [
        "Answer to both.",
        "Answer to the first.",
        "first",
        "follow-up",
    ]


async def test_a_memory_that_does_not_start_holds_the_turn_for_the_start_limit_only(install, plugins, server):
    plugins(
        "sleeper",
        """
        import asyncio
        from nanobot_memory_plugins.core.hookspecs import hookimpl

        @hookimpl
        async def on_start():
            await asyncio.sleep(30)
        """,
    )
    nanobot = install({"nanobot": {"startLimit": 0.2}, "core": {"messageLimit": 0.2}})
    loop = nanobot.loop()
    began = asyncio.get_running_loop().time()
    response = await loop.process_direct("are you there?")
    took = asyncio.get_running_loop().time() - began
    await loop.aclose()
    assert response.content == "Understood."
    assert took < 5  # 0.9 s of ours, and a margin for the machine; the plugin sleeps for 30 s
    assert json.dumps(server.requests[-1].last_user) == '"are you there?"'
    # It is recorded for the doctor, with the reason.
    (missed,) = missed_turns(StateDatabase.of(nanobot.workspace), since=datetime.now(UTC) - timedelta(minutes=1))
    assert missed[1] == "no answer within 0.9 s, the start of the memory included"
