"""One use of the language model on behalf of a plugin."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from loguru import logger
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import (
    BudgetExceededError,
    CompletionTimeoutError,
    LanguageModelError,
)
from nanobot_memory_plugins.core.language_model.ledger import Usage, UsageLedger
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.core.tokens import estimate_tokens

# Share of a hook's remaining time that one use may take: the rest is for the fallback and for writing.
HOOK_SHARE = 0.4

# ``time.monotonic()`` at which the running hook ends; set by the host for the hook's task.
hook_deadline: ContextVar[float | None] = ContextVar("hook_deadline", default=None)


class LanguageModel:
    """The host's ``complete`` function with limits around it; called like that function."""

    def __init__(
        self,
        complete: Complete,
        *,
        plugin: str,
        options: LanguageModelOptions,
        ledger: UsageLedger,
        clock: Clock,
    ) -> None:
        self._complete = complete
        self._plugin = plugin
        self._options = options
        self._ledger = ledger
        self._clock = clock

    async def __call__(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Return the model's answer.

        ``messages`` are chat messages, ``max_tokens`` bounds the answer. Connection errors, rate limits and
        server errors are tried again inside the time limit; the first time-out is final.

        Raises `BudgetExceededError` before anything is sent, `CompletionTimeoutError`, or `LanguageModelError`.
        """
        prompt_tokens = sum(estimate_tokens(str(message.get("content") or "")) for message in messages)
        today = self._clock.now().date()
        budget = self._options.daily_tokens_for(purpose)
        if self._ledger.tokens(purpose, today) + prompt_tokens + max_tokens > budget:
            raise BudgetExceededError(
                f"The budget of {budget} tokens a day for {purpose!r} is used up.",
                mend="Raise core.languageModel.dailyTokens, or wait until tomorrow (UTC).",
            )
        started = self._clock.monotonic()
        answer, outcome = "", "cancelled"
        try:
            answer = await self._ask(messages, max_tokens=max_tokens, purpose=purpose)
            outcome = "answered"
        except LanguageModelError as error:
            outcome = type(error).__name__
            raise
        finally:
            self._ledger.record(
                Usage(
                    time=self._clock.now().isoformat(),
                    plugin=self._plugin,
                    purpose=purpose,
                    prompt_tokens=prompt_tokens,
                    answer_tokens=estimate_tokens(answer),
                    seconds=round(self._clock.monotonic() - started, 3),
                    outcome=outcome,
                ),
                today,
            )
        return answer

    async def _ask(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        limit = self._limit(purpose)
        if limit <= 0:
            raise CompletionTimeoutError(f"No time is left for {purpose!r} in this hook.")
        try:
            async with asyncio.timeout(limit):
                async for attempt in AsyncRetrying(
                    stop=stop_after_attempt(self._options.attempts),
                    wait=wait_random_exponential(multiplier=0.2, max=5),
                    retry=retry_if_exception(is_worth_retrying),
                    reraise=True,
                ):
                    with attempt:
                        answer = await self._complete(list(messages), max_tokens=max_tokens, purpose=purpose)
        except TimeoutError:
            raise CompletionTimeoutError(f"No answer for {purpose!r} within {limit:.1f} s.") from None
        except Exception as error:
            # The text of a provider's error can carry the prompt or a key: only its type is passed on.
            logger.warning("the language model failed for {} of {}: {}", purpose, self._plugin, type(error).__name__)
            raise LanguageModelError(f"The language model failed: {type(error).__name__}.") from None
        if not isinstance(answer, str):
            raise LanguageModelError(f"The language model answered with {type(answer).__name__}, not with text.")
        return answer

    def _limit(self, purpose: str) -> float:
        """Return the seconds for this use: the purpose's own limit, at most 40 % of the hook's remaining time."""
        limit = self._options.timeout_for(purpose)
        deadline = hook_deadline.get()
        if deadline is None:
            return limit
        return min(limit, HOOK_SHARE * (deadline - time.monotonic()))


def is_worth_retrying(error: BaseException) -> bool:
    """Say whether a failed use may succeed when tried again: lost connections, rate limits, server errors."""
    if isinstance(error, TimeoutError):
        return False
    if isinstance(error, ConnectionError):
        return True
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and (status == 429 or status >= 500)
