"""The budget of the language model, by purpose and day, which survives restarts."""

from datetime import UTC, datetime

from nanobot_memory_plugins.core.testing import ManualClock
from tests.behaviour.kit.life import DAY, Conversation, Life
from tests.behaviour.kit.long_talk import chat, day_notes
from tests.behaviour.kit.model import ReadingModel


def session(number: int) -> list[dict]:
    said = f"The code of room {number} is {number}17."
    return chat(said, "Noted.", "It has a window.", "Fine.", "And a door.", "Of course.")


async def test_a_used_up_budget_lasts_until_tomorrow_and_everything_else_still_works(life: Life, model: ReadingModel):
    model.summary = "The code of room 1 is 117, and it has a window and a door."
    life.options["core"] = {"languageModel": {"dailyTokens": 3_000}}
    for number in range(5):
        async with life.host() as memory:
            await Conversation(memory, f"cli:{number}", history=session(number)).idle(ended=True)
    used = len(model.asked("reading"))
    assert 1 <= used < 5
    assert all(f"{number}17" in day_notes(life.memory) for number in range(used, 5))
    life.clock.advance(DAY)
    async with life.host() as memory:
        await Conversation(memory, "cli:tomorrow", history=session(6)).idle(ended=True)
    assert len(model.asked("reading")) > used


async def test_the_usage_is_reported_by_purpose(life: Life, model: ReadingModel):
    life.clock = ManualClock(datetime.now(UTC))  # the command counts days back from now
    async with life.host() as memory:
        await Conversation(memory, history=session(1)).idle(ended=True)
    (row,) = life.command("stats", "--json").json["cost"]["uses"]
    assert (row["purpose"], row["uses"]) == ("reading", 1)
    assert row["prompt_tokens"] > 0
    assert "reading" in life.command("stats").text
