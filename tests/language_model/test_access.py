"""The language model as plugins use it: retries, time limits, budgets, tokens for reasoning."""

import asyncio
import time
from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.errors import CompletionTimeoutError, LanguageModelError, NotAskedError
from nanobot_memory_plugins.core.language_model.access import LanguageModel, hook_deadline
from nanobot_memory_plugins.core.language_model.ledger import UsageLedger
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions
from nanobot_memory_plugins.core.state import StateDatabase

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASK = [{"role": "user", "content": "summarise this"}]


class StatusError(Exception):
    def __init__(self, status_code: int) -> None:
        super().__init__("secret-in-the-text")
        self.status_code = status_code


CLOCK = ManualClock(NOW)


def model(tmp_path, complete, **options) -> LanguageModel:
    return LanguageModel(
        complete,
        plugin="example",
        options=LanguageModelOptions(**options),
        ledger=UsageLedger(StateDatabase.of(tmp_path)),
        clock=CLOCK,
    )


@pytest.mark.parametrize("error", [ConnectionResetError(), StatusError(429), StatusError(503)])
async def test_temporary_errors_are_retried(tmp_path, error):
    calls = []

    async def complete(messages, *, max_tokens, purpose):
        calls.append(1)
        if len(calls) < 3:
            raise error
        return "third time"

    assert await model(tmp_path, complete)(ASK, max_tokens=5, purpose="flush") == "third time"


@pytest.mark.parametrize("error", [ValueError("x"), StatusError(401), KeyError("y")])
async def test_permanent_errors_are_not_retried_and_their_text_is_hidden(tmp_path, error):
    calls = []

    async def complete(messages, *, max_tokens, purpose):
        calls.append(1)
        raise error

    with pytest.raises(LanguageModelError) as caught:
        await model(tmp_path, complete)(ASK, max_tokens=5, purpose="flush")
    assert len(calls) == 1
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


async def test_one_use_gets_at_most_two_fifths_of_the_hooks_remaining_time(tmp_path):
    async def complete(messages, *, max_tokens, purpose):
        assert CLOCK.alarms == [pytest.approx(20.0, abs=5.0)]
        CLOCK.advance(20.0)
        await asyncio.Event().wait()

    token = hook_deadline.set(time.monotonic() + 50.0)
    try:
        with pytest.raises(CompletionTimeoutError):
            await model(tmp_path, complete)(ASK, max_tokens=5, purpose="flush")
        hook_deadline.set(time.monotonic() - 1)
        with pytest.raises(CompletionTimeoutError, match="No time is left"):
            await model(tmp_path, complete)(ASK, max_tokens=5, purpose="flush")
    finally:
        hook_deadline.reset(token)


async def test_a_reasoning_model_gets_additional_tokens_after_its_first_empty_answer(tmp_path):
    given = []

    async def complete(messages, *, max_tokens, purpose):
        given.append(max_tokens)
        return "<think>long" if max_tokens < 1_000 else "<think>long</think>short"

    ask = model(tmp_path, complete)
    assert await ask(ASK, max_tokens=300, purpose="summary") == "<think>long</think>short"
    await ask(ASK, max_tokens=400, purpose="summary")
    assert given == [300, 2_300, 2_400]


async def test_only_the_host_sees_the_suffix_of_a_purpose(tmp_path):
    purposes = []

    async def complete(messages, *, max_tokens, purpose):
        purposes.append(purpose)
        return "answer"

    ask = model(tmp_path, complete, daily_tokens=25)
    await ask(ASK, max_tokens=5, purpose="summary:deepseek")
    assert purposes == ["summary:deepseek"]
    assert UsageLedger(StateDatabase.of(tmp_path)).tokens("summary", NOW.date()) > 0
    with pytest.raises(NotAskedError, match="budget"):
        await ask(ASK, max_tokens=20, purpose="summary:x")
