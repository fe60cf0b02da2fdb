"""The memory continues from its files after a restart, and records histories that it has never seen."""

import asyncio
import json

import pytest

from nanobot_memory_plugins.tools.scripted_model import ToolCall
from tests.behaviour.kit.life import KEY, Conversation, Life
from tests.behaviour.kit.model import ReadingModel


@pytest.mark.accept("NC-14")
async def test_the_last_messages_of_a_session_are_loaded_after_a_restart(life: Life):
    async with life.host() as memory:
        for number in range(5):
            life.clock.advance(60)
            await Conversation(memory).turn(f"question {number}", f"answer {number}")
            await memory.message_sent(session_key="cli:other", text="elsewhere")
    async with life.host() as memory:
        loaded = memory.history(KEY, limit=3)
        assert [(one["role"], one["content"]) for one in loaded] == [
            ("assistant", "answer 3"),
            ("user", "question 4"),
            ("assistant", "answer 4"),
        ]
        assert memory.history("cli:new") == []


HISTORY = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "My dog is called Rex.", "timestamp": "2026-02-01T10:00:00+00:00"},
    {"role": "assistant", "content": "What a name.", "timestamp": "2026-02-01T10:00:05+00:00"},
    {"role": "user", "content": "He is afraid of umbrellas.", "timestamp": "2026-02-02T11:00:00+00:00"},
    {"role": "assistant", "content": "Poor Rex."},
]


async def test_an_unknown_history_is_recorded_once_and_recalled(life: Life):
    spoken = [one["content"] for one in HISTORY[1:]]
    for _ in range(2):  # again after a restart
        async with life.host() as memory:
            await memory.resume(session_key=KEY, messages=HISTORY)
            assert [one["text"] for one in life.transcript()] == spoken
    assert life.transcript()[0]["time"].startswith("2026-02-01")
    async with life.host() as memory:
        # The host goes on, and tells of its next turn as well as of its longer history.
        await memory.message_received(session_key=KEY, text="He likes snow.", history=HISTORY)
        await memory.message_sent(session_key=KEY, text="Good.")
        longer = [*HISTORY, {"role": "user", "content": "He likes snow."}, {"role": "assistant", "content": "Good."}]
        await memory.resume(session_key=KEY, messages=longer)
        await memory.flush_index()
        assert "umbrellas" in await Conversation(memory, "cli:new").hear("Do you remember what Rex is afraid of?")
    assert [one["text"] for one in life.transcript()] == [*spoken, "He likes snow.", "Good."]


async def test_redacted_messages_are_recognised_in_a_long_history_and_stay_redacted(life: Life):
    said = [
        ("My password is Xk9#mQ2vLp7w.", "Noted."),
        ("Please try Xk9#mQ2vLp7w once more.", "I have tried Xk9#mQ2vLp7w there."),
        ("Who runs the flower shop?", "Ana runs it, ana@flowers-shop.com."),
        ("I will write to ana@flowers-shop.com then.", "Good."),
        *((f"What does plant number {number} want?", "Water.") for number in range(60)),
    ]
    async with life.host() as memory:
        for asked, answered in said:
            await memory.message_received(session_key=KEY, text=asked)
            await memory.message_sent(session_key=KEY, text=answered)
    before = life.transcript()
    history = [
        {"role": role, "content": text} for turn in said for role, text in zip(("user", "assistant"), turn, strict=True)
    ]
    async with life.host() as memory:  # neither knows what was a secret then, nor whose address it was
        assert await memory.resume(session_key=KEY, messages=history) == 0
    assert life.transcript() == before
    assert life.files_with("Xk9#mQ2vLp7w") == []


async def test_messages_recorded_by_a_compaction_are_not_kept_twice(life: Life):
    question, answer = "He is afraid of umbrellas, is he?", "Poor Rex."
    expected = ["My dog is called Rex.", "What a name.", question, answer]
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn(*expected[:2])
        talk.history.append({"role": "user", "content": question})
        await talk.compact(keep=False)
        received = await memory.message_received(session_key=KEY, text=question, history=talk.history[:-1])
        assert received.receipt.stored
        talk.history.append({"role": "assistant", "content": answer})
        await talk.compact(keep=False)
        assert (await memory.message_sent(session_key=KEY, text=answer)).stored
        assert [one["text"] for one in life.transcript()] == expected
        await talk.turn(question, answer)  # in a turn of its own it is said again
    assert [one["text"] for one in life.transcript()] == [*expected, question, answer]


async def test_the_newest_message_stays_last_when_a_long_history_is_recorded_later(life: Life, model: ReadingModel):
    model.learn("The user's dog is called Rex", "My dog is called Rex.")
    history = [
        {
            "role": "user",
            "content": f"The plant number {n} wants water.",
            "timestamp": f"2026-01-02T{n // 60:02}:{n % 60:02}+00:00",
        }
        for n in range(500)
    ]
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.hear("My dog is called Rex.")
        await memory.resume(session_key=KEY, messages=history, precedes_turn=True)
        await talk.answer("What a name.")
        last = [one["content"] for one in memory.history(KEY, limit=3)]
        assert last == ["The plant number 499 wants water.", "My dog is called Rex.", "What a name."]
        await talk.idle()
    assert "called Rex" in str(life.entries())


async def test_a_history_that_precedes_a_turn_stays_before_it_when_the_next_turn_begins(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.hear("My dog is called Rex.")
        life.clock.advance(60)
        history = [{"role": "user", "content": "He likes snow."}]
        taking = asyncio.create_task(memory.resume(session_key=KEY, messages=history, precedes_turn=True))
        await asyncio.sleep(0)
        await talk.hear("And umbrellas?")
        await taking
        said = [one["content"] for one in memory.history(KEY)]
        assert said == ["He likes snow.", "My dog is called Rex.", "And umbrellas?"]


@pytest.mark.accept("V5-03")
async def test_the_base_context_contains_only_the_long_term_file_and_the_entries(life: Life):
    life.memory.mkdir(parents=True)
    (life.memory / "MEMORY.md").write_text("# Facts\n\nLikes tea.\n", encoding="utf-8")
    async with life.host() as memory:
        said = "I am allergic to peanuts."
        call = ToolCall("remember", {"text": "The user is allergic to peanuts.", "said": said, "kind": "fact"})
        await Conversation(memory).turn(said, "Noted.", call)
        await Conversation(memory, "cli:old").turn("The telescope stands in the attic.")
        await memory.flush_index()
        assert "attic" in await Conversation(memory, "cli:new").hear("Do you remember where my telescope stands?")
        base = memory.base_context()
        assert "Likes tea." in base
        assert "allergic to peanuts" in base
        assert "attic" not in base


async def test_a_torn_line_does_not_affect_the_other_lines(life: Life):
    async with life.host() as memory:
        receipt = await memory.message_sent(session_key="cli:direct", text="the first")
    with receipt.path.open("ab") as file:
        file.write(b'{"id":"2","role":"user","te')
    async with life.host() as memory:
        receipt = await memory.message_sent(session_key="cli:direct", text="the next")
        assert [one["content"] for one in memory.history("cli:direct", limit=9)] == ["the first", "the next"]
        assert json.loads(receipt.path.read_text("utf-8").splitlines()[receipt.line - 1])["text"] == "the next"
