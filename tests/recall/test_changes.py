"""A question is answered with what was told last, also where that shares no word with the question."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Scope
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.text import fold, tells_change
from nanobot_memory_plugins.core.text.changes import CHANGES
from nanobot_memory_plugins.recall.cli.examination import examine
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from tests.recall.test_need import CONFIG
from tests.support.chinese import in_both_scripts
from tests.support.each import each

CHANGED = in_both_scripts(
    [
        "The course is in Ghent now.",
        "They had the dates wrong.",
        "The match was moved to Thursday.",
        "The fair is put off by a fortnight.",
        "The arch goes up to 710 a month.",
        "The doctor took me off it.",
        "From June I rent in Mumbles.",
        "婚礼改到十月三号了",
        "这个月起店租变两万二",
        "粤菜不学了",
        "工作室搬到了星湖街",
    ]
)
NOT_CHANGED = in_both_scripts(
    ["I know a nice place.", "We went to the lake.", "She is from Leeds.", "我们一起吃饭", "改天再说", "这菜不错"]
)


@pytest.mark.leaving
@each(("text", "expected"), [*((t, True) for t in CHANGED), *((t, False) for t in NOT_CHANGED)])
def test_what_tells_of_a_change_is_known_by_its_words(text: str, expected: bool):
    assert tells_change(text) is expected


@pytest.mark.leaving
@each("word", CHANGES)
def test_each_pattern_finds_its_example_and_not_its_counter_example(word):
    (one,) = [word]
    pattern = type(CHANGES)((one,))
    assert pattern.search(fold(simplified(word.example)))
    assert not pattern.search(fold(simplified(word.counter_example)))


@pytest.mark.parametrize(
    ("earlier", "later", "question", "is_shown"),
    [
        (
            "My brother marries in Lisbon on Sunday 30 August, and Avi is nervous.",
            "Avi rang, so Lisbon is on Sunday 18 October now.",
            "When does my brother marry?",
            True,
        ),
        (
            "My brother marries in Lisbon on Sunday 30 August, and Avi is nervous.",
            "Avi says that Lisbon is lovely on a Sunday.",
            "When does my brother marry?",
            False,
        ),
        (
            "My brother marries in Lisbon on Sunday 30 August, and Avi is nervous.",
            "I want a walk through Lisbon for my brother and Avi on a Sunday in August, with the castle, the tiles, "
            "the tram, a lunch by the river and a bar with music, three hours at most, no hills, since he is nervous "
            "on stairs now, and a list of what all of it costs, please.",
            "When does my brother marry?",
            False,
        ),
        (
            "工作室在平江路，月租两千六。",
            "平江路漏水，搬去园区了，月租三千一，不是两千六。",
            "我的工作室在哪里？",
            True,
        ),
        ("工作室在平江路，月租两千六。", "平江路开了家月租的书店，两千本书。", "我的工作室在哪里？", False),
    ],
)
async def test_what_the_user_told_later_of_a_change_stands_above_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: str, later: str, question: str, is_shown: bool
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    clock = ManualClock(datetime(2026, 3, 2, 10, tzinfo=UTC))
    async with MemoryHost(tmp_path, config=CONFIG, clock=clock) as memory:
        for number, text in enumerate((earlier, later)):
            await memory.message_received(session_key=f"cli:{number}", text=text)
            await memory.message_sent(session_key=f"cli:{number}", text="Understood.")
            clock.advance(86_400.0)
        await memory.flush_index()
        block = (await memory.message_received(session_key="cli:asked", text=question)).block or ""
    assert earlier in block
    assert (later in block) is is_shown
    if is_shown:
        assert block.index(later) < block.index(earlier)


async def test_why_says_that_it_is_there_for_what_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    clock = ManualClock(datetime(2026, 3, 2, 10, tzinfo=UTC))
    told = (
        "My brother marries in Lisbon on Sunday 30 August, and Avi is nervous.",
        "Avi rang, so Lisbon is on Sunday 18 October now.",
    )
    async with MemoryHost(tmp_path, config=CONFIG, clock=clock) as memory:
        for number, text in enumerate(told):
            await memory.message_received(session_key=f"cli:{number}", text=text)
            clock.advance(86_400.0)
        await memory.flush_index()
    found = await examine(tmp_path, CONFIG, "When does my brother marry?", recent=[], scope=Scope())
    reasons = {one.hit.text: one.found_by for one in found.candidates() if one.injected}
    assert reasons[told[1]] == "tells what has changed since"
