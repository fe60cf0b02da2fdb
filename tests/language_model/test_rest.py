"""A purpose that fails again and again rests."""

from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.errors import LanguageModelError, NotAskedError
from nanobot_memory_plugins.core.language_model.access import LanguageModel
from nanobot_memory_plugins.core.language_model.ledger import UsageLedger
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions
from nanobot_memory_plugins.core.state import StateDatabase

NOW = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


class Asked:
    """A model that answers, or fails, and counts."""

    def __init__(self) -> None:
        self.purposes: list[str] = []
        self.fails = False

    async def __call__(self, messages, *, max_tokens, purpose):
        self.purposes.append(purpose)
        if self.fails:
            raise ValueError("no")
        return "answer"


def access(folder, complete, clock, **options) -> LanguageModel:
    """Build one anew, as every process does."""
    settings = LanguageModelOptions(attempts=1, **options)
    return LanguageModel(
        complete, plugin="example", options=settings, ledger=UsageLedger(StateDatabase.of(folder)), clock=clock
    )


async def ask(model: LanguageModel, text: str = "the same", purpose: str = "flush") -> str:
    return await model([{"role": "user", "content": text}], max_tokens=10, purpose=purpose)


async def test_a_trial_that_fails_begins_the_rest_again(tmp_path):
    complete, clock = Asked(), ManualClock(NOW.replace(hour=12))
    complete.fails = True
    model = access(tmp_path, complete, clock)
    for number in range(10):
        with pytest.raises(LanguageModelError):
            await ask(model, f"question {number}")
    clock.advance(601)
    with pytest.raises(LanguageModelError, match="ValueError"):
        await ask(model, "the trial")
    with pytest.raises(NotAskedError):
        await ask(model, "after it")


async def test_what_stands_behind_a_colon_is_for_the_host_alone(tmp_path):
    complete = Asked()
    model = access(tmp_path, complete, ManualClock(NOW), daily_tokens=25)
    await ask(model, "one", purpose="summary:deepseek")
    assert complete.purposes == ["summary:deepseek"]
    assert UsageLedger(StateDatabase.of(tmp_path)).tokens("summary", NOW.date()) > 0
    with pytest.raises(LanguageModelError, match="budget"):
        await ask(model, "a longer question, so that the budget of the day is used up by it", purpose="summary:x")
