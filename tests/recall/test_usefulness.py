"""Which of the hits help: the newer of two, and what somebody told before what somebody asked for."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core import Hit, MemoryConfig, MemoryHost, Origin
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.recall.usefulness import usefulness

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30},
        "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recallTimeout": 20}},
    }
)


async def block_after(folder: Path, said: list[str], question: str) -> str:
    """Say something each week, then ask in another session."""
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
async def test_the_newer_of_two_stands_first(tmp_path: Path, older: str, newer: str, question: str):
    for order in ([older, newer], [newer, older]):
        folder = tmp_path / str(order.index(newer))
        block = await block_after(folder, [*order, "The cat sleeps all day.", "猫整天睡觉。"], question)
        first, second = ("214", "377") if order[0] == older else ("377", "214")
        assert block.index(second) < block.index(first)


async def test_what_was_told_stands_before_what_was_asked_for(tmp_path: Path):
    said = ["The garage in Lund repairs my bicycle.", "Write a limerick about a bicycle in the garage in Lund."]
    block = await block_after(tmp_path, said, "Which garage repairs my bicycle?")
    assert "repairs my bicycle" in block
    assert "limerick" not in block or block.index("repairs") < block.index("limerick")


SCORES = st.lists(st.tuples(st.floats(1e-6, 1), st.floats(0, 1), st.integers(0, 500)), min_size=1, max_size=8)


@given(SCORES, st.floats(0.01, 1))
def test_only_how_scores_compare_counts(rows: list[tuple[float, float, int]], factor: float):
    def hits(scale: float) -> list[Hit]:
        return [
            Hit(
                id=str(n),
                text="a text",
                path="memory/x.md",
                line=n + 1,
                score=score * scale,
                origin=Origin.USER,
                coverage=coverage,
                time=START + timedelta(days=days),
            )
            for n, (score, coverage, days) in enumerate(rows)
        ]

    whole, scaled = usefulness(hits(1.0)), usefulness(hits(factor))
    assert scaled == pytest.approx(whole)
    assert all(0 < one < 1 for one in whole)
