"""What was said in jest is no memory by itself; where it is asked for it stands as what it is."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.text import only_jokes
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30},
        "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recallTimeout": 20}},
    }
)
IN_JEST = [
    "I'm the king of France, obviously.",
    "I am the queen of Sheba, and my subjects bring me honey.",
    "I own ten yachts lol jk",
    "I've sold the house and bought a submarine. Just kidding!",
    "I'm a pirate, arr!",
    "我是乾隆皇帝，下江南来视察。",
    "我家有十个孩子，逗你玩呢",
    "我要辞职去月球种菜，哈哈哈开玩笑",
    "我买了一艘潜艇，我开玩笑的啦。",
]
IN_EARNEST = [
    "Just kidding!",
    "Just kidding, I have three cats.",
    "I'm not joking, I sold the house.",
    "My brother is always kidding.",
    "My boss was only joking.",
    "I'm afraid of the pope.",
    "I'm the president of the chess club.",
    "I'm a wizard with spreadsheets and work at a grocer's.",
    "开玩笑的，我哪有十个孩子",
    "我没开玩笑，房子真的卖了",
    "我不是开玩笑",
    "他老跟我开玩笑",
    "我是财神庙的讲解员。",
]


@each("text", in_both_scripts(IN_JEST))
def test_what_says_that_it_is_in_jest_is_known(text: str):
    assert only_jokes(text)


@each("text", in_both_scripts(IN_EARNEST))
def test_what_takes_a_joke_back_or_speaks_of_joking_is_none(text: str):
    assert not only_jokes(text)


async def block_after(folder: Path, said: list[str], question: str) -> str:
    clock = ManualClock(START)
    async with MemoryHost(folder, config=CONFIG, clock=clock) as memory:
        for number, text in enumerate(said):
            await memory.message_received(session_key=f"cli:{number}", text=text)
            clock.set(clock.now() + timedelta(days=7))
        await memory.flush_index()
        return (await memory.message_received(session_key="cli:now", text=question)).block or ""


@pytest.mark.parametrize(
    ("joke", "fact", "question", "apart"),
    [
        (
            "I live in Venice with three sons, obviously, and I'm the pope. Just kidding!",
            "I live in Porto since March.",
            "Do you remember in which city I live at the moment?",
            "Venice",
        ),
        (
            "我住在天上的宫殿里，养了七条龙，开玩笑的哈哈。",
            "我住在厦门的一个老小区。",
            "你还记得我现在住在哪个城市的哪里吗？",
            "宫殿",
        ),
    ],
)
async def test_a_joke_does_not_answer_for_the_fact(tmp_path: Path, joke: str, fact: str, question: str, apart: str):
    block = await block_after(tmp_path, [joke, fact], question)
    assert fact[:9] in block
    assert apart not in block


@pytest.mark.parametrize(
    ("joke", "question", "mark"),
    [
        ("I've bought a submarine. Just kidding!", "Do you remember the submarine?", "(hypothetical or a joke): I've"),
        ("我买了一艘潜水艇，开玩笑的。", "我买了潜水艇吗？", "（玩笑或假设）: 我买了"),
    ],
)
async def test_a_joke_that_is_asked_for_says_what_it_is(tmp_path: Path, joke: str, question: str, mark: str):
    assert mark in await block_after(tmp_path, [joke], question)
