"""What happens before nanobot cuts history."""

import json

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule

NANOBOTS_OWN = "nanobot's own summary"


def archiving(request) -> bool:
    """Recognise nanobot's own request for a summary."""
    return "Continue the active task" not in request.last_user and "checkpoint" in request.last_user


def history_of(nanobot) -> str:
    return "".join(
        json.loads(line)["content"]
        for line in (nanobot.workspace / "memory" / "history.jsonl").read_text(encoding="utf-8").splitlines()
    )


@pytest.mark.parametrize(("command", "reason"), [("/compact", "archive"), ("/new", "session_ended")])
async def test_a_summary_of_ours_replaces_nanobots_and_reaches_dream(install, recorder, server, command, reason):
    calls = recorder(summary="We chose PostgreSQL.")
    server.rules = [ReplyRule(archiving, Reply(NANOBOTS_OWN))]
    nanobot = install()
    loop = nanobot.loop()
    await loop.process_direct("We choose PostgreSQL, not MySQL.")
    await loop.process_direct(command)
    await loop.process_direct("what now?")
    await loop.aclose()
    (call,) = calls.calls("compaction")
    assert call["reason"] == reason
    assert call["window"] == 200_000
    assert call["messages"] == [["user", "We choose PostgreSQL, not MySQL."], ["assistant", "Understood."]]
    assert "We chose PostgreSQL." in history_of(nanobot)
    assert NANOBOTS_OWN not in history_of(nanobot)
    if command == "/compact":
        assert "We chose PostgreSQL." in server.requests[-1].text
        assert "not MySQL" not in server.requests[-1].text


async def test_trap_6_a_flush_asks_the_model_in_the_middle_of_a_compaction(install, recorder, server):
    """Through the session's own loop it would wait for itself for ever."""
    calls = recorder(ask="what matters?")
    server.rules = [ReplyRule(lambda request: request.last_user == "what matters?", Reply("PostgreSQL matters."))]
    loop = install().loop()
    await loop.process_direct("We choose PostgreSQL.")
    await loop.process_direct("/compact")
    await loop.aclose()
    (call,) = calls.calls("compaction")
    assert call["answer"] == "PostgreSQL matters."


async def test_dream_and_timers_are_compacted_without_us(install, recorder):
    calls = recorder(summary="no")
    loop = install().loop()
    await loop.process_direct("job", session_key="cron:1")
    await loop.process_direct("/compact", session_key="cron:1")
    await loop.aclose()
    assert calls.calls() == []
