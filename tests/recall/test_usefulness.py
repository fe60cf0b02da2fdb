"""Which hits are useful: the newer of two, and none that helps far less than the best."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import Hit, MemoryHost, Origin
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.recall.learned import select_helpful, usefulness
from nanobot_memory_plugins.recall.options import RecallOptions
from tests.support.patient import patient_config

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
CONFIG = patient_config()


async def block_after(folder: Path, said: list[str], question: str) -> str:
    """Send a message each week, then ask in another session."""
    clock = ManualClock(START)
    async with MemoryHost(folder, config=CONFIG, clock=clock) as memory:
        for number, text in enumerate(said):
            await memory.message_received(session_key=f"cli:{number}", text=text)
            clock.set(clock.now() + timedelta(days=7))
        await memory.flush_index()
        return (await memory.message_received(session_key="cli:now", text=question)).block or ""


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("My office is room 214.", "My office is room 377.", "Which room is my office?"),
        ("我的办公室在214房间。", "我的办公室在377房间。", "我的办公室在哪个房间？"),
    ],
)
async def test_a_block_shows_the_newer_of_two_first(tmp_path: Path, older: str, newer: str, question: str):
    for order in ([older, newer], [newer, older]):
        folder = tmp_path / str(order.index(newer))
        block = await block_after(folder, [*order, "The cat sleeps all day.", "猫整天睡觉。"], question)
        block = block.partition("\n")[2]  # the nonce of the first line may hold the numbers, too
        first, second = ("214", "377") if order[0] == older else ("377", "214")
        assert block.index(second) < block.index(first)


def told(id_: str, text: str, coverage: float, days: int, *, score: float = 1.0, origin: Origin = Origin.USER) -> Hit:
    when = START + timedelta(days=days)
    return Hit(id=id_, text=text, path="memory/x.md", line=1, score=score, origin=origin, coverage=coverage, time=when)


BEST = told("best", "My locker at the pool is number 58.", 0.9, 10)
BESIDE = told("beside", "The pool has a new slide.", 0.1, 5, score=0.05)
LATER = told("later", "I changed to locker 91 today.", 0.1, 12, score=0.001)
ANSWER = told("answer", "Lockers are cleaned on Mondays.", 0.1, 12, score=0.001, origin=Origin.ASSISTANT)
WORDLESS = told("wordless", "We repainted the fence.", 0.0, 3, score=0.003)
WISH = told("wish", "I can't swim at all.", 0.0, 1, score=0.0003)
# In the order of a search, whose first two are shown anyway.
ALSO = [told(f"also {n}", "My locker at the pool has a new lock.", 0.8, 10) for n in (1, 2)]
HITS = [BEST, *ALSO, BESIDE, LATER, ANSWER, WORDLESS, WISH]
EVEN_THE_LEAST = RecallOptions(min_usefulness=0.0)


def test_much_less_useful_hits_are_dropped_except_possible_replacements():
    shown = select_helpful(HITS, usefulness(HITS), EVEN_THE_LEAST)
    assert {hit.id for hit in shown} == {"best", "also 1", "also 2", "later"}
    assert len({*usefulness([BEST, replace(BEST, id="answered", origin=Origin.ASSISTANT)]).values()}) == 1


def test_summaries_come_last_and_do_not_set_the_threshold():
    asked = [told(f"asked {n}", "The user wanted: which locker?", 1.0, 20, origin=Origin.SUMMARY) for n in range(8)]
    hits = [*asked, replace(BEST, coverage=0.2, score=0.01)]
    assert [hit.id for hit in select_helpful(hits, usefulness(hits), RecallOptions())] == [
        "best",
        *(hit.id for hit in asked),
    ]


@pytest.mark.parametrize(
    ("question", "kept", "left"),
    [
        ("Which day is the choir?", "The choir is on Thursday evenings.", "Tessa sang beautifully last year."),
        ("合唱团是星期几？", "合唱团是星期四晚上。", "去年桂花开得特别早。"),
    ],
)
async def test_a_block_with_an_answer_contains_no_unrelated_memory(tmp_path: Path, question: str, kept: str, left: str):
    also = ["The choir meets on Thursday evenings in the hall.", "合唱团星期四晚上在礼堂。", "Thursday is choir day."]
    block = await block_after(tmp_path, [left, *also, kept], question)
    assert kept[:8] in block
    assert left[:8] not in block
