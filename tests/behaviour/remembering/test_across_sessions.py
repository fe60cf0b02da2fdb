"""What was said in one session is there in the next, after a restart too."""

import pytest

from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.model import ReadingModel, remember_call


@pytest.mark.parametrize(
    ("said", "asked", "part"),
    [
        ("My favourite editor is Helix, with the gruvbox theme.", "Which editor did I say I prefer?", "Helix"),
        ("The staging database listens on port 6543.", "Do you remember the port of the staging database?", "6543"),
        ("我们决定用 Cloudflare 免费计划部署", "之前决定怎么部署？", "Cloudflare"),
    ],
)
async def test_a_later_session_is_told_what_was_said_before_a_restart(life: Life, said: str, asked: str, part: str):
    async with life.host() as memory:
        await Conversation(memory, "cli:old").turn(said)
    async with life.host() as memory:
        await memory.flush_index()
        assert part in await Conversation(memory, "cli:new").turn(asked)


async def test_what_the_model_keeps_by_its_tool_stands_in_every_prompt_from_then_on(life: Life):
    said = "I am allergic to peanuts."
    async with life.host() as memory:
        await Conversation(memory).turn(said, "Noted.", remember_call("The user is allergic to peanuts.", said))
        assert "allergic to peanuts" in Conversation(memory, "cli:other").prompt()
    async with life.host() as memory:
        assert "allergic to peanuts" in Conversation(memory, "cli:third").prompt()


async def test_what_the_model_reads_behind_a_session_is_an_entry_of_the_next(life: Life, model: ReadingModel):
    model.learn("The user works as a nurse in Oslo.", "I am a nurse in Oslo now")
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn("I left the school, I am a nurse in Oslo now.")
        await talk.turn("How cold does it get there in winter?")
        await talk.turn("Then I need a better coat for the bike.")
        await talk.idle(ended=True)
        assert "nurse in Oslo" in Conversation(memory, "cli:next").prompt()
    (entry,) = life.entries()
    assert "nurse in Oslo" in str(entry)
