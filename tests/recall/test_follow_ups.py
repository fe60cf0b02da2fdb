"""Follow-ups find what they speak of, and those that need nothing stay silent."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.recall.follow_ups import points_back
from tests.support.each import each

CONFIG = {
    "core": {"message_limit": 60},
    "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recall_timeout": 60}},
}
SAID = (
    "My cat Quibble gets half a tin twice a day.",
    "We picked the red tiles for the bathroom because the blue ones were out of stock.",
    "The lease of the Zephyr costs 240 a month, that of the Corvo 210.",
    "Our server in Falkenstein runs on port 8443 since the move.",
    "我儿子乐乐九岁，三月过的生日。",
    "水管工孙师傅上门费一百二。",
)


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MemoryHost]:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    clock = ManualClock(datetime(2026, 6, 1, 10, tzinfo=UTC))
    async with MemoryHost(tmp_path, config=MemoryConfig.model_validate(CONFIG), clock=clock) as host:
        for number, text in enumerate(SAID):
            await host.message_received(session_key=f"s{number}", text=text)
        await host.flush_index()
        clock.advance(86_400)
        yield host


async def block(memory: MemoryHost, *talk: str) -> str:
    """Return what the last of some messages gets, which the user and the assistant said by turns."""
    roles = ("user", "assistant") * len(talk)
    history = [{"role": role, "content": text} for role, text in zip(roles, talk[:-1], strict=False)]
    return (await memory.message_received(session_key="now", text=talk[-1], history=history)).block or ""


@pytest.mark.parametrize(("talk", "needed"), [
    (("My sister will look after Quibble.", "That is kind of her.", "how much does he eat?"), "half a tin"),
    (("Let's look at the bathroom tiles again.", "You chose the red ones.", "and why?"), "out of stock"),
    (("Help me choose a car.", "You had it down to the Zephyr and the Corvo.", "which of the two is cheaper?"), "210"),
    (("Let's move house", "Is Falkenstein still up?", "no idea, yes. What port did it run on?"), "8443"),
    (("给乐乐买双球鞋", "好呀，想买什么牌子？", "他多大了？"), "九岁"),
    (("水龙头又漏了", "不是约了孙师傅吗？", "对，他收多少钱？"), "一百二"),
])  # fmt: skip
async def test_what_a_follow_up_speaks_of_stands_in_a_turn_before_or_in_the_last_answer(
    memory: MemoryHost, talk: tuple[str, ...], needed: str
):
    assert needed in await block(memory, *talk)


@pytest.mark.parametrize(
    "last", ["thanks!", "go on", "make it shorter", "继续", "好的，谢谢", "ok, please do", "yes please"]
)
async def test_a_follow_up_that_needs_nothing_stays_silent(memory: MemoryHost, last: str):
    assert await block(memory, "My sister will look after Quibble.", "Shall I write her a note?", last) == ""


async def test_a_new_subject_is_not_searched_with_the_old_one(memory: MemoryHost):
    talk = ("My sister will look after Quibble.", "That is kind of her.")
    assert "Quibble" not in await block(memory, *talk, "which port does the server in Falkenstein have?")
    assert await block(memory, *talk, "what is the capital of Mongolia?") == ""


@each(("points", "whole"), [
    ("how old is she?", "does Ann like her job?"),
    ("where's the password there?", "is there a password?"),
    ("which of the two is cheaper?", "which of the shops is cheaper?"),
    ("did we take that one?", "is that right?"),
    ("what does the second one cost?", "who won the second world war?"),
    ("yes, but what did we pay?", "did Bob say yes, or what?"),
    ("那两个哪个便宜？", "两个苹果多少钱？"),
    ("第二个要多少钱？", "第二次世界大战哪年结束？"),
    ("对，收多少钱？", "对数怎么算？"),
    ("他多大了？", "乐乐多大了？"),
    ("多久来着？", "锅炉的保修期是多久来着？"),
])  # fmt: skip
def test_a_message_points_back_by_words_that_name_nothing(points: str, whole: str):
    assert points_back(points)
    assert not points_back(whole)


def test_a_statement_does_not_point_back():
    assert not points_back("she is nine now")
