"""Sessions that go quiet, in this process or before it."""

import asyncio

from tests.behaviour.kit.waiting import until


async def test_what_an_earlier_process_left_is_told_of_at_the_next_start(install, recorder):
    calls = recorder()
    nanobot = install({"core": {"idleSeconds": 0.2}})
    first = nanobot.loop()
    await first.process_direct("left behind", session_key="cli:old")
    await first.aclose()
    assert calls.calls("idle") == []
    await asyncio.sleep(0.5)  # more than two idle times pass between the processes
    second = nanobot.loop()
    await second.process_direct("hello", session_key="cli:new")
    await until(lambda: calls.calls("idle"))
    await asyncio.sleep(0.5)  # then it is written down that it was told of
    await second.aclose()
    assert calls.calls("idle")[0]["session"] == "cli:old"
    assert calls.calls("idle")[0]["history"] == [["user", "left behind"], ["assistant", "Understood."]]
    await asyncio.sleep(0.5)
    third = nanobot.loop()
    await third.process_direct("again", session_key="cli:new")
    await third.aclose()
    assert [call["session"] for call in calls.calls("idle")].count("cli:old") == 1
