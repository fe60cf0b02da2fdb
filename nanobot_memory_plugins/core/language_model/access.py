"""The host's language model as plugins use it: with time limits, retries, a daily budget and a ledger."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from nanobot_memory_plugins.core.clock import Clock, time_limit
from nanobot_memory_plugins.core.errors import (
    CompletionTimeoutError,
    LanguageModelError,
    NotAskedError,
    StoreError,
)
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.language_model.ledger import ANSWERED, CANCELLED, Usage, UsageLedger
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions, purpose_of
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.core.text.evidence import without_reasoning
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.redaction.script.printable import printable

# The share of a hook's remaining time that one use may take; the rest is for the fallback and for writing.
HOOK_SHARE = 0.4

# The value of ``time.monotonic()`` at which the running hook ends, set by the host in the hook's task.
hook_deadline: ContextVar[float | None] = ContextVar("hook_deadline", default=None)


class LanguageModel:
    """The host's ``complete`` function with limits; it is called in the same way."""

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
        # Whether the model reasons before it answers, and needs tokens for that too; None until it is known.
        self._needs_reasoning: bool | None = None

    async def __call__(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Return the model's answer.

        ``messages`` are chat messages. ``max_tokens`` limits the answer without reasoning: if the first answer holds
        nothing else, the model is asked once more with additional tokens. Connection errors, rate limits and server
        errors are retried within the time limit; a timeout is final. Only the host sees what follows a colon in
        ``purpose``.

        Raises `NotAskedError` before anything is sent, `CompletionTimeoutError`, or `LanguageModelError`.
        """
        messages = [_printable(message) for message in messages]
        extra_tokens = self._options.thinking_tokens
        answer = await self._use(messages, max_tokens + (extra_tokens if self._needs_reasoning else 0), purpose)
        if extra_tokens and self._needs_reasoning is None and not without_reasoning(answer):
            with suppress(LanguageModelError):
                self._needs_reasoning = False
                answer = await self._use(messages, max_tokens + extra_tokens, purpose)
                self._needs_reasoning = bool(without_reasoning(answer))
        return answer

    async def _use(self, messages: Sequence[Mapping[str, Any]], max_tokens: int, purpose: str) -> str:
        """Ask once within the budget, and record the usage."""
        prompt_tokens = sum(estimate_tokens(str(message.get("content") or "")) for message in messages)
        budget_purpose = purpose_of(purpose)
        await self._check_budget(budget_purpose, prompt_tokens + max_tokens)
        started = self._clock.monotonic()
        answer, outcome = "", CANCELLED
        try:
            answer = await self._ask(messages, max_tokens=max_tokens, purpose=purpose)
            outcome = ANSWERED
        except LanguageModelError as error:
            outcome = type(error).__name__
            raise
        finally:
            await self._record(
                Usage(
                    time=self._clock.now(),
                    plugin=self._plugin,
                    purpose=budget_purpose,
                    prompt_tokens=prompt_tokens,
                    answer_tokens=estimate_tokens(answer),
                    seconds=round(self._clock.monotonic() - started, 3),
                    outcome=outcome,
                )
            )
        return answer

    async def _record(self, usage: Usage) -> None:
        try:
            await run_in_daemon_thread(lambda: self._ledger.record(usage))
        except StoreError as error:
            logger.warning("the use of the language model could not be recorded: {}", error.cause)

    async def _check_budget(self, purpose: str, tokens: int) -> None:
        """Raise `NotAskedError` if the day's budget does not allow the tokens, or the usage cannot be read."""
        day, budget = self._clock.now().date(), self._options.daily_tokens
        try:
            used = await run_in_daemon_thread(self._ledger.tokens, purpose, day)
        except StoreError as error:
            raise NotAskedError(
                Sentence("What was used today cannot be read: {why}", why=error.cause), hint=error.hint
            ) from None
        if used + tokens > budget:
            raise NotAskedError(
                Sentence(
                    "The budget of {budget} tokens a day for {purpose!r} is used up.", budget=budget, purpose=purpose
                ),
                hint="Raise core.languageModel.dailyTokens, or wait until tomorrow (UTC).",
            )

    async def _ask(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        limit = self._time_limit(purpose)
        if limit <= 0:
            raise CompletionTimeoutError(Sentence("No time is left for {purpose!r} in this hook.", purpose=purpose))
        try:
            async with time_limit(self._clock, limit):
                retrying = AsyncRetrying(
                    stop=stop_after_attempt(self._options.attempts),
                    wait=wait_random_exponential(multiplier=0.2, max=5),
                    retry=retry_if_exception(is_worth_retrying),
                    reraise=True,
                )
                answer: Any = await retrying(self._complete, list(messages), max_tokens=max_tokens, purpose=purpose)
        except TimeoutError:
            raise CompletionTimeoutError(
                Sentence("No answer for {purpose!r} within {limit:.1f} s.", purpose=purpose, limit=limit)
            ) from None
        except (Exception, SystemExit, GeneratorExit, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
                raise
            # A provider's error message may contain the prompt or a key, so only its type is passed on.
            logger.warning("the language model failed for {} of {}: {}", purpose, self._plugin, type(error).__name__)
            raise LanguageModelError(
                Sentence("The language model failed: {kind}.", kind=type(error).__name__)
            ) from None
        if not isinstance(answer, str):
            raise LanguageModelError(
                Sentence("The language model answered with {kind}, not with text.", kind=type(answer).__name__)
            )
        return answer

    def _time_limit(self, purpose: str) -> float:
        """Return the seconds for one use: the limit of its purpose, and at most 40 % of the hook's remaining time."""
        limit = self._options.timeout_for(purpose)
        deadline = hook_deadline.get()
        if deadline is None:
            return limit
        return min(limit, HOOK_SHARE * (deadline - time.monotonic()))


def _printable(message: Mapping[str, Any]) -> Mapping[str, Any]:
    content = message.get("content")
    return {**message, "content": printable(content)} if isinstance(content, str) else message


def is_worth_retrying(error: BaseException) -> bool:
    """Return whether a retry may succeed: after lost connections, rate limits and server errors."""
    if isinstance(error, TimeoutError):
        return False
    if isinstance(error, ConnectionError):
        return True
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and (status == 429 or status >= 500)
