"""A session that goes quiet gets one summary as a note, with or without the model."""

import pytest

from nanobot_memory_plugins.core import Note, estimate_tokens
from nanobot_memory_plugins.tools.scripted_model import Reply
from tests.behaviour.kit.command import option
from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.long_talk import chat, day_notes
from tests.behaviour.kit.model import ReadingModel

SENSIBLE = "The user wanted the Bluebird database on port 5433; it was moved, and the health check passes."
TALK = chat(
    "Please move the Bluebird database to port 5433.",
    "I have changed the configuration.",
    "Restart it as well, please.",
    "It was restarted on port 5433.",
    "Does the health check pass?",
    "Yes, the health check passes.",
)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load no other plugin that asks about a session."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "summary,compaction,storage,recall")


async def idle(memory, history, *, key="cli:direct", ended=False) -> None:
    await Conversation(memory, key, history=list(history)).idle(ended=ended)


@pytest.mark.accept("V3-13")
async def test_a_quiet_session_is_summarised_once_from_three_turns_on(life: Life, model: ReadingModel):
    model.summary = SENSIBLE
    async with life.host() as memory:
        talked = Conversation(memory)
        for n in (0, 2):
            await talked.turn(TALK[n]["content"], TALK[n + 1]["content"])
            await talked.idle()
        assert model.asked("reading") == []  # neither after each message nor after two
        await talked.turn(TALK[4]["content"], TALK[5]["content"])
        await talked.idle()
        await talked.idle()
    async with life.host() as memory:
        await idle(memory, TALK)
        assert len(model.asked("reading")) == 1
        assert day_notes(life.memory).count("health check passes") == 1
        life.clock.advance(3_600)
        more = [*TALK, *chat("Now the cache for Bluebird.", "Which size?")]
        await idle(memory, more)
        assert len(model.asked("reading")) == 1  # one turn that is new is too little
        more += chat("512 MB for it.", "Set to 512 MB.", "Restart that too.", "The cache is restarted.")
        model.summary = "The Bluebird cache was set to 512 MB and restarted."
        await idle(memory, more)
    asked = model.asked("reading")
    assert "512 MB" in asked[1].last_user
    assert "health check" not in asked[1].last_user
    assert "512 MB" in day_notes(life.memory)


@pytest.mark.accept("V3-13")
async def test_a_summary_is_short_and_made_of_the_last_twenty_messages(life: Life, model: ReadingModel):
    model.summary = "The port of the Bluebird database is 5433. " * 60
    async with life.host() as memory:
        await idle(memory, TALK)
        assert 50 < estimate_tokens(day_notes(life.memory)) < 400
        await idle(memory, chat(*(f"remark number {n} on the database" for n in range(50))), key="cli:long")
        model.summary = "数据库端口是5433，" * 60
        await idle(memory, chat(*("把数据库端口改成5433", "改好了。") * 3), key="cli:zh")
    first, second, third = model.asked("reading")
    assert "what the user wanted, what was done and what came of it" in first.text
    assert "remark number 30 " in second.text
    assert "最多 200 字" in third.text


@pytest.mark.accept("V5-10")
async def test_a_useless_answer_is_replaced_by_excerpts_of_the_messages(life: Life, model: ReadingModel):
    faults = {
        "error": Reply(status=500),
        "empty": Reply(""),
        "sorry": Reply("I'm sorry, I can't do that."),
        "junk": Reply("zebra obelisk marmalade trombone"),
        "late": Reply(SENSIBLE, delay=0.5),
    }
    for name, fault in faults.items():
        model.fails["reading"] = fault
        limits = {"attempts": 1, **({"purposeTimeouts": {"summary": 0.1}} if name == "late" else {})}
        async with life.host(core={"languageModel": limits}) as memory:
            await idle(memory, TALK, key=f"cli:{name}")
    asked = len(model.asked("reading"))
    async with life.host(summary={"summaryMode": "concat"}) as memory:
        await idle(memory, TALK, key="cli:concat")
    assert len(model.asked("reading")) == asked
    async with life.host(model=False) as memory:
        await idle(memory, TALK, key="cli:offline")
    text = day_notes(life.memory)
    assert text.count("move the Bluebird database to port 5433") >= len(faults) + 2
    assert "zebra" not in text
    assert SENSIBLE not in text


@pytest.mark.accept("V5-10")
def test_the_model_has_ten_seconds_for_a_summary_by_default():
    assert option("core.languageModel.purposeTimeouts")["summary"] == 10


@pytest.mark.accept("NC-05")
async def test_a_short_session_that_ends_without_notes_gets_one_summary(life: Life, model: ReadingModel):
    model.summary = "The user asked to move the Bluebird database to port 5433, which was done."
    async with life.host() as memory:
        await idle(memory, TALK[:2])
        assert day_notes(life.memory) == ""
        await idle(memory, TALK[:2], ended=True)
        await idle(memory, TALK[:2], ended=True)
        assert day_notes(life.memory).count(model.summary) == 1
        # Where something of it was noted nothing is written, nor of a session in which nothing was said.
        before = len(model.asked("reading"))
        await Conversation(memory, "cli:noted").turn(TALK[0]["content"], TALK[1]["content"])
        life.clock.advance(60)
        await memory.keep(Note(tldr="Bluebird moves to port 5433"), session_key="cli:noted")
        await idle(memory, TALK[:2], key="cli:noted", ended=True)
        await idle(memory, [], key="cli:empty", ended=True)
        await idle(memory, chat("Hello!", "Hi, how can I help?", "Thanks, bye!"), key="cli:polite", ended=True)
        assert len(model.asked("reading")) == before
