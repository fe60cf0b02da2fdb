"""What is worth remembering is saved before history is cut, silently and once per cycle, even if the model fails."""

from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.tools.scripted_model import Reply
from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.long_talk import chat, day_notes, tool_turn
from tests.behaviour.kit.model import ReadingModel
from tests.behaviour.kit.waiting import until

SAID = "We decided to use PostgreSQL 16 on port 5433 for the Bluebird project."
KEPT = "They decided to use PostgreSQL 16 on port 5433 for Bluebird."
TALK = chat(SAID, "Understood, PostgreSQL 16 on port 5433.", "Marta reviews the migrations.", "Noted.")
MORE = chat("The release is planned for 12 May.", "Noted: 12 May.")
# A failure is not tried again, and the model answers at once or not at all.
ONCE: dict[str, Any] = {"core": {"languageModel": {"attempts": 1}}}


async def filled(memory: MemoryHost, history: list[dict[str, Any]], tokens: int, window: int, key: str = "cli:direct"):
    """Report a turn after which the context has ``tokens`` tokens."""
    await memory.turn_finished(session_key=key, messages=history, context_tokens=tokens, context_window=window)


async def cut(memory: MemoryHost, history: list[dict[str, Any]], key: str = "cli:direct") -> Any:
    return await Conversation(memory, key, history=list(history)).compact(window=200_000)


@pytest.mark.accept("FL-01")
async def test_a_context_is_flushed_at_its_trigger_and_not_below(life: Life, model: ReadingModel):
    async with life.host() as memory:
        for window, trigger in ((200_000, 176_000), (65_536, 41_536), (16_000, 9_600), (8_000, 4_800)):
            before, key = len(model.asked("reading")), f"cli:{window}"
            history = chat(f"{SAID} It is for window {window}.", "Fine.")
            await filled(memory, history, trigger - 1, window, key)
            assert len(model.asked("reading")) == before
            await filled(memory, history, trigger, window, key)
            assert len(model.asked("reading")) == before + 1


@pytest.mark.accept("FL-02", "FL-03", "FL-04")
async def test_notes_of_the_silent_turn_are_on_disk_before_the_cut_and_recalled_after_it(
    life: Life, model: ReadingModel
):
    model.learn(KEPT, SAID, kind="decision")
    async with life.host() as memory:
        talk = Conversation(memory)
        for one in range(0, len(TALK), 2):
            await talk.turn(TALK[one]["content"], TALK[one + 1]["content"])
        await filled(memory, talk.history, 180_000, 200_000)
        assert KEPT in day_notes(life.memory)
        said = [record.get("text") for record in life.transcript()]
        summary = await talk.compact(window=200_000)
        assert len(model.asked("reading")) == 1
        assert [record.get("text") for record in life.transcript()] == said  # nobody hears of the turn
        asked = model.asked("reading")[0].system.splitlines()[0]
        assert asked not in summary.text
        await memory.flush_index()
        block = await Conversation(memory, "cli:next").hear("Do you remember which database Bluebird uses?")
        assert "5433" in block
        assert asked not in block


@pytest.mark.accept("FL-05")
async def test_a_model_that_has_nothing_to_keep_stores_nothing(life: Life, model: ReadingModel):
    async with life.host() as memory:
        for number, answer in enumerate(("NO_REPLY", "  no_reply\n", "No_Reply.", "```\nNO_REPLY\n```")):
            model.fails["reading"] = Reply(answer)
            history, key = chat(f"What is {number} times 7?", f"{number * 7}."), f"cli:{number}"
            await filled(memory, history, 180_000, 200_000, key)
            assert await cut(memory, history, key) is not None
    assert len(model.asked("reading")) == 4
    assert day_notes(life.memory) == ""


@pytest.mark.accept("FL-06")
async def test_a_cycle_has_one_silent_turn_across_restarts_and_nothing_new_means_no_call(
    life: Life, model: ReadingModel
):
    model.learn(KEPT, SAID, kind="decision")
    for _ in range(3):
        async with life.host() as memory:
            await filled(memory, TALK, 180_000, 200_000)
    assert len(model.asked("reading")) == 1
    async with life.host() as memory:
        await filled(memory, [*TALK, *MORE], 181_000, 200_000)
        await cut(memory, [*TALK, *MORE])
    assert len(model.asked("reading")) == 1
    assert day_notes(life.memory).count(KEPT) == 1
    assert "12 May" in str(life.transcript())  # what came after the turn of the cycle
    async with life.host() as memory:
        await cut(memory, [*TALK, *MORE])
        await cut(memory, [*TALK, *MORE])
        await cut(memory, [])
    # Not while it looks at what was cut: that has so many seconds of this clock.
    life.clock.advance(3_600)
    async with life.host() as memory:
        await filled(memory, chat("The deadline moved to 30 June.", "Noted."), 180_000, 200_000)
    assert len(model.asked("reading")) == 2
    assert day_notes(life.memory).count(KEPT) == 1


async def test_only_the_new_part_of_a_continued_history_is_shown(
    life: Life, model: ReadingModel, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "flush,compaction")
    async with life.host() as memory:
        await cut(memory, TALK)
        await until(lambda: len(model.asked("reading")) == 1)
        await cut(memory, [*TALK[2:], *MORE])
        await until(lambda: len(model.asked("reading")) == 2)
    shown = model.asked("reading")[1].last_user
    assert "12 May" in shown
    assert "5433" not in shown


@pytest.mark.accept("FL-07")
async def test_a_failing_model_does_not_block_compaction_and_messages_are_still_kept(life: Life, model: ReadingModel):
    faults = {
        "error": Reply(status=500),
        "refused": Reply(status=400),
        "junk": Reply(junk=b"\xff{{{"),
        "broken": Reply(cut=True),
        "garbled": Reply("{'rows': [[[, 7"),
        "invented": Reply('[{"text": "The user bought a boat in Portugal.", "said": "a boat"}]'),
        "late": Reply("NO_REPLY", delay=0.5),
    }
    for number, (name, fault) in enumerate(faults.items()):
        model.fails["reading"] = fault
        patience = {"timeout": 0.1, "purposeTimeouts": {}} if name == "late" else {}
        async with life.host(core={"languageModel": {"attempts": 1, **patience}}) as memory:
            summary = await cut(
                memory, chat(f"We decided to take port 70{number}7 for {name}.", "Fine."), f"cli:{name}"
            )
            assert summary.text, name
            assert f"70{number}7" in str(life.transcript(f"cli:{name}")), name
        assert "origin: user\ntl;dr: The user bought" not in day_notes(life.memory)
    async with life.host(model=False) as memory:
        await cut(memory, chat("We decided to take port 8088 for the offline one.", "Fine."), "cli:offline")
    assert "8088" in str(life.transcript("cli:offline"))
    assert "8088" not in day_notes(life.memory)  # once is enough


async def test_without_a_model_messages_in_the_middle_of_a_turn_are_only_in_the_transcript(life: Life):
    async with life.host(model=False) as memory:
        talk = Conversation(memory)
        await talk.turn("We decided to take port 8088 for Bluebird.")
        await talk.hear("Go on.")
        talk.history += [one for number in range(6) for one in tool_turn(number)[1:4]]
        await talk.compact(window=200_000)
    assert "8088" in str(life.transcript())
    assert "8088" not in day_notes(life.memory)


async def test_a_failed_flush_is_repeated_at_the_cut_and_not_before(life: Life, model: ReadingModel):
    model.learn(KEPT, SAID, kind="decision")
    model.fails["reading"] = Reply(status=400)
    async with life.host(**ONCE) as memory:
        for _ in range(4):
            await filled(memory, TALK, 180_000, 200_000)
        assert len(model.asked("reading")) == 1
        del model.fails["reading"]
        await cut(memory, TALK)
        await until(lambda: KEPT in day_notes(life.memory), seconds=20)
    assert len(model.asked("reading")) == 2
    assert KEPT in day_notes(life.memory)


async def test_a_short_session_that_ends_with_a_cut_is_noted_once(life: Life, model: ReadingModel):
    model.learn("The staging host is db-7.", "We decided that the staging host is db-7.", kind="decision")
    async with life.host() as memory:
        talked = Conversation(memory)
        await talked.turn("We decided that the staging host is db-7. The old one was too slow.", "Noted.")
        given = {"messages": talked.history, "context_window": 32_000, "reason": "session_ended"}
        await memory.before_compaction(session_key=talked.key, **given)
        await talked.idle(ended=True)
    assert day_notes(life.memory).count("### ") == 1
