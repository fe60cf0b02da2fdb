"""While a conversation is paused nothing of it is kept, in words that are exact, in both languages."""

import pytest

from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.model import ReadingModel, remember_call

SECRET = "My therapist Quorvex told me to leave Harald."


@pytest.mark.parametrize(
    ("pause", "resume"), [("memory pause", "memory resume"), ("暂停记忆", "恢复记忆"), ("暫停記憶", "恢復記憶")]
)
async def test_a_paused_conversation_leaves_no_trace_until_it_is_resumed(
    life: Life, model: ReadingModel, pause: str, resume: str
):
    model.learn("The user's therapist is Quorvex.", "My therapist Quorvex")
    async with life.host() as memory:
        talk = Conversation(memory, "cli:a")
        await talk.turn("I keep bees in Lund.", "Lovely.")
        await talk.turn(pause, "It is paused.")
        await talk.turn(SECRET, "Quorvex may be right.", remember_call(SECRET, SECRET))
        await memory.tool_executed(session_key="cli:a", tool_name="exec", arguments={"say": SECRET}, result=SECRET)
        await talk.idle()
        assert life.files_with("Quorvex") == []
        await Conversation(memory, "cli:b").turn("The ferry leaves at nine.", "Good.")
    async with life.host() as memory:  # a restart ends no pause
        talk = Conversation(memory, "cli:a", history=talk.history)
        await talk.turn(f"Once more: {SECRET}", "I heard it.")
        await talk.turn(resume, "It is on again.")
        await talk.turn("I take the tram on Mondays.", "Good.")
        await talk.idle()
        await talk.compact(window=400, keep=False)
        await talk.idle(ended=True)
        await memory.flush_index()
    assert life.files_with("Quorvex") == []
    assert not any("Quorvex" in request.text for request in model.requests)
    said = str(life.transcript("cli:a"))
    assert "bees in Lund" in said
    assert "tram on Mondays" in said
    assert "ferry leaves at nine" in str(life.transcript("cli:b"))
