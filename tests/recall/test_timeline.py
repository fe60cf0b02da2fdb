"""Questions about a time are answered from that time, end to end."""

import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Scope
from nanobot_memory_plugins.core.clock import ManualClock

CONFIG = {
    "core": {"message_limit": 60},
    "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recall_timeout": 60}},
}
NOW = datetime(2026, 6, 24, 10, tzinfo=UTC)
SAID = (
    (datetime(2026, 6, 23, 9, tzinfo=UTC), "a", "The boiler was serviced, it lost pressure."),
    (datetime(2026, 6, 23, 11, tzinfo=UTC), "b", "Elsie wants to learn the cello."),
    (datetime(2026, 6, 17, 9, tzinfo=UTC), "c", "I handed in my notice at the mill."),
    (datetime(2026, 5, 6, 9, tzinfo=UTC), "d", "Yesterday the boiler cost us ninety pounds."),
)


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MemoryHost]:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    clock = ManualClock(NOW)
    async with MemoryHost(tmp_path, config=MemoryConfig.model_validate(CONFIG), clock=clock) as host:
        for moment, session, text in SAID:
            clock.set(moment)
            await host.message_received(session_key=session, text=text)
            await host.message_sent(session_key=session, text="Thank you, noted.")
        await host.flush_index()
        clock.set(NOW)
        yield host


async def block(memory: MemoryHost, text: str, **more: object) -> str:
    return (await memory.message_received(session_key="now", text=text, **more)).block or ""


async def test_a_question_about_a_day_gets_what_was_said_on_it_in_order(memory: MemoryHost):
    told = await block(memory, "what did we talk about yesterday?")
    assert 0 < told.index("boiler was serviced") < told.index("cello")
    assert "ninety pounds" not in told  # it has the word, and is of another day
    assert "notice" not in told
    assert "notice" in await block(memory, "上周我们聊了什么？")


async def test_a_period_with_nothing_gives_nothing(memory: MemoryHost):
    assert await block(memory, "what did we talk about in April?") == ""


async def test_a_subject_is_searched_within_its_time(memory: MemoryHost):
    told = await block(memory, "what did I say about the boiler in May?")
    assert "ninety pounds" in told
    assert "serviced" not in told
    assert "cello" in await block(memory, "what did I say about the cello in May?")  # rather than nothing


async def test_a_follow_up_asks_the_same_of_another_period(memory: MemoryHost):
    history = [{"role": "user", "content": "what did we do yesterday?"}, {"role": "assistant", "content": "A lot."}]
    assert "notice" in await block(memory, "and last week?", history=history)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be set")
async def test_the_days_are_those_of_the_users_zone(memory: MemoryHost, zone: Callable[[str], None]):
    zone("Pacific/Kiritimati")  # 14 hours ahead: it is the 25th, and the 24th began at 10:00
    told = await block(memory, "what did we talk about yesterday?")
    assert "cello" in told
    assert "serviced" not in told


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch):
    def put(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield put
    monkeypatch.undo()
    time.tzset()


async def test_nobody_is_told_of_the_time_of_others(memory: MemoryHost, tmp_path: Path):
    config = MemoryConfig.model_validate({**CONFIG, "core": {"message_limit": 60, "share": "session"}})
    async with MemoryHost(tmp_path, config=config, clock=ManualClock(NOW)) as host:
        for session, seen in (("a", "serviced"), ("b", "cello"), ("x", "")):
            found = await host.message_received(
                session_key=session, text="what did we talk about yesterday?", scope=Scope(session=session)
            )
            others = {"serviced", "cello"} - {seen}
            assert seen in (found.block or "")
            assert not any(word in (found.block or "") for word in others)
