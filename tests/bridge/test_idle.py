"""Sessions that go quiet, in this process or before it."""

import asyncio
from datetime import datetime, timedelta

from nanobot_memory_plugins.bridge.idle import IdleMarks
from nanobot_memory_plugins.core.state import StateDatabase
from tests.behaviour.kit.waiting import until

NOW = datetime(2026, 5, 1, 12, 0)


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


def test_a_session_is_due_until_it_was_dealt_with_and_again_after_more_was_said(tmp_path):
    marks = IdleMarks(StateDatabase.of(tmp_path))
    marks.due([], now=NOW, at_most=9)
    saved = NOW + timedelta(hours=1)
    assert marks.due([("a", saved)], now=NOW, at_most=9) == [("a", saved)]
    marks.note("a", saved)
    assert IdleMarks(StateDatabase.of(tmp_path)).due([("a", saved)], now=NOW, at_most=9) == []
    later = saved + timedelta(minutes=5)
    assert marks.due([("a", later)], now=NOW, at_most=9) == [("a", later)]
