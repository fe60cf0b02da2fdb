"""Sessions that go quiet, in this process or before it."""

import asyncio
import threading
from datetime import datetime, timedelta

import pytest

from nanobot_memory_plugins.bridge.idle_marks import IdleMarks

NOW = datetime(2026, 5, 1, 12, 0)


def memory_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "nanobot-memory"}


async def until(condition, seconds: float = 10.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_a_quiet_session_is_told_of_once_with_its_history(install, recorder):
    calls = recorder()
    loop = install({"core": {"idleSeconds": 2.0}}).loop()  # longer than a turn takes on a busy machine
    await loop.process_direct("one")
    await loop.process_direct("two")
    await until(lambda: calls.calls("idle"))
    await asyncio.sleep(2.5)
    await loop.aclose()
    (call,) = calls.calls("idle")
    assert call["session"] == "cli:direct"
    assert call["ended"] is False
    assert [text for _, text in call["history"]] == ["one", "Understood.", "two", "Understood."]


async def test_trap_5_a_running_idle_clock_does_not_hold_up_the_end(install, recorder):
    calls = recorder()
    others = memory_threads()  # those of earlier tests, whose plugins may block them
    loop = install({"core": {"idleSeconds": 600}}).loop()
    await loop.process_direct("one")
    began = asyncio.get_running_loop().time()
    await loop.aclose()
    assert asyncio.get_running_loop().time() - began < 5
    # The thread says that it has ended, and then ends.
    await until(lambda: not memory_threads() - others)
    assert calls.calls("idle") == []


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
    await second.aclose()
    assert calls.calls("idle")[0]["session"] == "cli:old"
    assert calls.calls("idle")[0]["history"] == [["user", "left behind"], ["assistant", "Understood."]]
    await asyncio.sleep(0.5)
    third = nanobot.loop()
    await third.process_direct("again", session_key="cli:new")
    await third.aclose()
    assert [call["session"] for call in calls.calls("idle")].count("cli:old") == 1


async def test_a_session_that_the_user_ends_is_told_of_as_ended(install, recorder):
    calls = recorder()
    loop = install().loop()
    await loop.process_direct("one")
    await loop.process_direct("/new")
    await loop.aclose()
    (call,) = calls.calls("idle")
    assert call["ended"] is True
    assert call["history"] == [["user", "one"], ["assistant", "Understood."]]


def test_sessions_from_before_the_installation_are_not_due(tmp_path):
    marks = IdleMarks(tmp_path / "marks.json")
    assert marks.due([("old", NOW - timedelta(days=3))], now=NOW, at_most=9) == []
    assert marks.due([("new", NOW + timedelta(hours=1))], now=NOW + timedelta(days=1), at_most=9) != []


def test_a_session_is_due_until_it_was_dealt_with_and_again_after_more_was_said(tmp_path):
    marks = IdleMarks(tmp_path / "marks.json")
    marks.due([], now=NOW, at_most=9)
    saved = NOW + timedelta(hours=1)
    assert marks.due([("a", saved)], now=NOW, at_most=9) == [("a", saved)]
    marks.note("a", saved)
    assert IdleMarks(tmp_path / "marks.json").due([("a", saved)], now=NOW, at_most=9) == []
    later = saved + timedelta(minutes=5)
    assert marks.due([("a", later)], now=NOW, at_most=9) == [("a", later)]


def test_a_session_whose_catching_up_never_ends_is_given_up(tmp_path):
    marks = IdleMarks(tmp_path / "marks.json")
    marks.due([], now=NOW, at_most=9)
    saved = NOW + timedelta(hours=1)
    tries = [bool(marks.due([("a", saved)], now=NOW, at_most=9)) for _ in range(5)]
    assert tries == [True, True, True, False, False]


def test_marks_that_cannot_be_read_are_begun_anew(tmp_path):
    file = tmp_path / "marks.json"
    file.write_text("{broken", encoding="utf-8")
    marks = IdleMarks(file)
    marks.due([], now=NOW, at_most=9)
    assert marks.due([("a", NOW + timedelta(hours=1))], now=NOW, at_most=9)
