"""Private words leave no byte: with tags, a command, a pause, or a wish that the model understands."""

from typing import Any

import pytest

from nanobot_memory_plugins.core import Note
from nanobot_memory_plugins.tools.scripted_model import ToolCall
from tests.behaviour.kit.life import DAY, Conversation, Life
from tests.behaviour.kit.model import ReadingModel, remember_call, search_call

# Words that stand in nothing but what is not to be kept.
WORDS = ("Quorvex", "Zindelmoor", "薛定谔娃")
SAID = "My therapist Quorvex has his practice in Zindelmoor, 他叫薛定谔娃。"
REPLY = "I see: Quorvex in Zindelmoor, 薛定谔娃."
# What is said before and after it, and has to be there at the end.
BEFORE = ("I keep bees in Lund.", "我的猫叫团团。")
LONG = "By the way, the weather was fine and the road was dry. " * 60
AFTER = (
    "The ferry to Bornholm leaves at nine.",
    "I take the tram on Mondays.",
    "我每周三去游泳。",
    "My new bicycle is as green as a frog.",
)
PAUSES = {"memory pause": "memory resume", "暫停記憶": "恢復記憶"}
ANN = {"user": "ann", "channel": "cli"}
WAYS = ("tags", "tags alone", "command", *PAUSES, "this_message", "last_message", "from_now_on")


def off_record(scope: str) -> ToolCall:
    return ToolCall("off_record", {"scope": scope})


async def use_words_everywhere(talk: Conversation) -> None:
    """Let a tool, the model and a plugin handle the words in this turn, and index everything."""
    tool: dict[str, Any] = {"session_key": talk.key, "tool_name": "exec", "arguments": {"say": SAID}}
    await talk.memory.tool_executed(**tool, result=SAID, scope=talk.scope)
    await talk.memory.tool_executed(**tool, error=SAID, scope=talk.scope)
    await talk.call(remember_call("The user's therapist is Quorvex", SAID))
    await talk.call(remember_call("Zindelmoor is where the user feels at home"))
    await talk.call(remember_call("Zindelmoor was easy to find.", kind="note"))
    await talk.memory.keep(Note(tldr="Quorvex lives in Zindelmoor"), session_key=talk.key, scope=talk.scope)
    await talk.memory.turn_finished(
        session_key=talk.key, messages=talk.history, context_window=32_000, scope=talk.scope
    )
    await talk.memory.flush_index()


async def say_in_busy_turn(talk: Conversation, text: str = SAID, *calls: ToolCall) -> None:
    """Say something in a busy turn, at whose end the model calls tools."""
    await talk.hear(text)
    await use_words_everywhere(talk)
    for call in calls:
        await talk.call(call)
    await talk.answer(REPLY)


async def say_off_record(talk: Conversation, way: str) -> None:
    if way == "tags":
        await talk.turn(f"I eat rye bread. <private>{SAID}</private> And figs.", "Fine.")
    elif way == "tags alone":
        await talk.turn(f"<private>{SAID}", "Fine.")
    elif way == "command":
        await say_in_busy_turn(talk, f"/private {SAID}")
    elif way in PAUSES:
        await talk.turn(way, "It is paused.")
        await say_in_busy_turn(talk)
        await say_in_busy_turn(talk, SAID, off_record("resume"))  # which does not end the pause of an exact command
        await say_in_busy_turn(talk)
        await talk.turn(PAUSES[way], "It is on again.")
    elif way == "last_message":
        await say_in_busy_turn(talk)
        await talk.idle()
        await talk.turn("Better leave that out of it.", "It is out.", off_record(way))
    elif way == "from_now_on":
        await say_in_busy_turn(talk, SAID, off_record(way))
        await talk.idle()
        await say_in_busy_turn(talk)
        await talk.turn("You may take notes again.", "I do.", off_record("resume"))
    else:
        await say_in_busy_turn(talk, SAID, off_record(way))


@pytest.mark.parametrize(("way", "scope"), [*((way, ANN) for way in WAYS), ("from_now_on", None)])
async def test_off_record_words_leave_no_byte_and_never_come_back(
    life: Life, model: ReadingModel, way: str, scope: dict[str, str] | None
):
    for sentence in (*BEFORE, *AFTER):
        model.learn(f"They said: {sentence}", sentence)
    for word in WORDS:
        model.learn(f"They know {word}", word)
    model.summary = "They spoke about bees, a cat and the ferry."
    async with life.host() as memory:
        talk = Conversation(memory, "cli:a", scope=scope)
        await talk.turn(BEFORE[0], "Lovely.")
        await talk.turn(BEFORE[1], "好。")
        await say_off_record(talk, way)
        assert life.files_with(*WORDS) == [], "at once"
        before = len(model.requests)
        await talk.turn(f"{AFTER[0]} {LONG}", "Good.")
        await talk.idle()
        summary = await talk.compact(window=1_500, keep=False)
        assert not any(word in str(summary) for word in WORDS)
        await memory.flush_index()
        assert life.files_with(*WORDS) == [], "after a compaction"
    life.clock.advance(DAY)
    async with life.host() as memory:
        talk = Conversation(memory, "cli:a", scope=scope, history=talk.history)
        await talk.turn(AFTER[1], "Fine.")
        await memory.turn_finished(session_key=talk.key, messages=talk.history, context_window=700, scope=scope)
        await talk.idle()
        await talk.turn(f"{AFTER[2]} {LONG}", "好。")
        await talk.compact(window=1_500)
        await talk.turn(AFTER[3], "Nice.")
        await talk.idle(ended=True)
        await memory.flush_index()
        other = Conversation(memory, "cli:b", scope=scope)
        shown = await other.hear("Do you remember what my therapist is called?") + other.prompt()
        shown += await other.call(search_call("therapist practice"))
    assert not any(word in shown for word in WORDS)
    assert life.files_with(*WORDS) == []
    later = model.requests[before if way == "last_message" else 0 :]
    assert not any(word in request.text for request in later for word in WORDS)
    assert len(model.asked("compaction")) >= 2
    said = str(life.transcript("cli:a"))
    assert [one for one in (*BEFORE, *AFTER) if one not in said] == [], "nothing else is lost"
    assert len(life.entries()) == len(BEFORE) + len(AFTER)


@pytest.mark.parametrize("keeps", [True, False], ids=["transcripts", "none"])
async def test_a_private_conversation_is_not_recorded_from_the_hosts_history(
    life: Life, model: ReadingModel, keeps: bool
):
    model.learn("They know Quorvex", "Quorvex")
    for number, way in enumerate(("command", "memory pause", "this_message", "from_now_on")):
        async with life.host(core={"keepTranscripts": keeps}) as memory:
            talk = Conversation(memory, f"cli:{number}")
            await say_off_record(talk, way)
            await talk.idle(ended=True)
            await talk.compact(window=400)
        async with life.host(core={"keepTranscripts": keeps}) as memory:
            await Conversation(memory, f"cli:{number}", history=talk.history).idle(ended=True)
            await memory.flush_index()
        assert life.files_with(*WORDS) == [], way
    assert not any(word in request.text for request in model.requests for word in WORDS)


async def test_nothing_is_kept_while_the_privacy_marks_are_unreadable_and_doctor_explains_it(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn(BEFORE[0])
        (life.memory / ".privacy.json").write_text("{damaged", encoding="utf-8")
        await talk.turn(SAID, REPLY)
        assert "cannot be read" in await talk.hear("And this?")
    assert not life.files_with(*WORDS)
    found = {one["subject"]: one for one in life.command("doctor", "--all", "--json").json["findings"]}
    assert ".privacy.json" in found["pause"]["hint"]
    (life.memory / ".privacy.json").unlink()
    async with life.host() as memory:
        await Conversation(memory).turn(AFTER[0])
    assert life.files_with("Bornholm")


async def test_a_late_answer_to_a_private_message_is_not_kept(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory, "cli:a")
        await say_in_busy_turn(talk, f"/private {SAID}", off_record("resume"))
        await talk.hear(f"/private {SAID}")
        await talk.hear(AFTER[0])  # while the assistant thinks
        await talk.answer(REPLY)
        await talk.answer("At nine, then.")
        await talk.turn(AFTER[1], "I see.")
        await memory.flush_index()
    assert life.files_with(*WORDS) == []
    assert [one["text"] for one in life.transcript("cli:a")] == [AFTER[0], AFTER[1], "I see."]


@pytest.mark.parametrize("way", ["this_message", "last_message"])
async def test_off_record_erases_the_newest_turn_despite_a_history_recorded_later(life: Life, way: str):
    told = [f"The plant number {number} wants water." for number in range(300)]
    history = [
        {"role": "user", "content": text, "timestamp": f"2026-01-02T10:{number // 60:02}:{number % 60:02}+00:00"}
        for number, text in enumerate(told)
    ]
    async with life.host() as memory:
        talk = Conversation(memory, "cli:a")
        await talk.hear(SAID)
        await memory.resume(session_key="cli:a", messages=history, precedes_turn=True)
        if way == "last_message":
            await talk.answer(REPLY)
            await talk.hear("Better leave that out of it.")
        assert "taken out" in await talk.call(off_record(way))
        await memory.flush_index()
    assert life.files_with(*WORDS) == []
    assert [one["text"] for one in life.transcript("cli:a")][: len(told)] == told


@pytest.mark.parametrize("way", ["this_message", "last_message"])
async def test_off_record_in_another_process_erases_messages_and_notes(life: Life, way: str):
    async with life.host() as memory, life.host() as other:
        talk = Conversation(memory, "cli:a")
        await talk.turn(BEFORE[0], "Lovely.")
        life.clock.advance(60)
        await talk.hear(SAID)
        await use_words_everywhere(talk)
        await memory.flush_index()
        if way == "last_message":
            await talk.answer(REPLY)
            life.clock.advance(60)
            await talk.hear("Better leave that out of it.")
        assert "taken out" in await Conversation(other, "cli:a").call(off_record(way))
        await memory.flush_index()
    assert life.files_with(*WORDS) == []


async def test_repeated_off_record_calls_leave_earlier_messages(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory, "cli:a")
        await talk.turn(BEFORE[0], "Lovely.")
        await say_in_busy_turn(talk, SAID, off_record("this_message"), off_record("this_message"))
        await say_in_busy_turn(talk, f"/private {SAID}", off_record("this_message"))
        assert [one["text"] for one in life.transcript("cli:a")] == [BEFORE[0], "Lovely."]
        await talk.turn(AFTER[0], "Good.")
        await say_in_busy_turn(talk, "/private Better leave that out of it.", off_record("last_message"))
        assert [one["text"] for one in life.transcript("cli:a")] == [BEFORE[0], "Lovely."]


async def test_off_record_erases_notes_of_the_same_second(life: Life):
    life.clock.advance(0.7)
    async with life.host() as memory:
        await say_in_busy_turn(Conversation(memory, "cli:a"), SAID, off_record("this_message"))
        await memory.flush_index()
    assert life.files_with(*WORDS) == []
