"""The language model on behalf of a plugin, and where a command without a host gets one."""

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
        # Whether the model thinks before it answers, once that is known: it needs room for both.
        self._thinks: bool | None = None

    async def __call__(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Return the model's answer.

        ``messages`` are chat messages, ``max_tokens`` bounds the answer, without the thoughts of a model that thinks:
        one whose first answer holds nothing is asked once more with room for them. Connection errors, rate limits and
        server errors are tried again inside the time limit; the first time-out is final. What follows a colon in
        ``purpose`` is for the host alone.

        Raises `NotAskedError` before anything is sent, `CompletionTimeoutError`, or
        `LanguageModelError`.
        """
        messages = [_printable(message) for message in messages]
        room = self._options.thinking_tokens
        answer = await self._use(messages, max_tokens + (room if self._thinks else 0), purpose)
        if room and self._thinks is None and not without_reasoning(answer):
            with suppress(LanguageModelError):
                self._thinks = False
                answer = await self._use(messages, max_tokens + room, purpose)
                self._thinks = bool(without_reasoning(answer))
        return answer

    async def _use(self, messages: Sequence[Mapping[str, Any]], max_tokens: int, purpose: str) -> str:
        """Ask once, within the budget, and write down what it cost."""
        prompt_tokens = sum(estimate_tokens(str(message.get("content") or "")) for message in messages)
        spent_on = purpose_of(purpose)
        await self._refuse(spent_on, prompt_tokens + max_tokens)
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
                    purpose=spent_on,
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

    async def _refuse(self, purpose: str, tokens: int) -> None:
        """Raise `NotAskedError` where the day's budget does not allow it, or what was used cannot be known."""
        day, budget = self._clock.now().date(), self._options.daily_tokens
        try:
            spent = await run_in_daemon_thread(self._ledger.tokens, purpose, day)
        except StoreError as error:
            raise NotAskedError(
                Sentence("What was used today cannot be read: {why}", why=error.cause), hint=error.hint
            ) from None
        if spent + tokens > budget:
            raise NotAskedError(
                Sentence(
                    "The budget of {budget} tokens a day for {purpose!r} is used up.", budget=budget, purpose=purpose
                ),
                hint="Raise core.languageModel.dailyTokens, or wait until tomorrow (UTC).",
            )

    async def _ask(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        limit = self._limit(purpose)
        if limit <= 0:
            raise CompletionTimeoutError(Sentence("No time is left for {purpose!r} in this hook.", purpose=purpose))
        try:
            async with time_limit(self._clock, limit):
                tries = AsyncRetrying(
                    stop=stop_after_attempt(self._options.attempts),
                    wait=wait_random_exponential(multiplier=0.2, max=5),
                    retry=retry_if_exception(is_worth_retrying),
                    reraise=True,
                )
                answer: Any = await tries(self._complete, list(messages), max_tokens=max_tokens, purpose=purpose)
        except TimeoutError:
            raise CompletionTimeoutError(
                Sentence("No answer for {purpose!r} within {limit:.1f} s.", purpose=purpose, limit=limit)
            ) from None
        except (Exception, SystemExit, GeneratorExit, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
                raise
            # The text of a provider's error can carry the prompt or a key: only its type is passed on.
            logger.warning("the language model failed for {} of {}: {}", purpose, self._plugin, type(error).__name__)
            raise LanguageModelError(
                Sentence("The language model failed: {kind}.", kind=type(error).__name__)
            ) from None
        if not isinstance(answer, str):
            raise LanguageModelError(
                Sentence("The language model answered with {kind}, not with text.", kind=type(answer).__name__)
            )
        return answer

    def _limit(self, purpose: str) -> float:
        """Return the seconds for this use: the purpose's own limit, at most 40 % of the hook's remaining time."""
        limit = self._options.timeout_for(purpose)
        deadline = hook_deadline.get()
        if deadline is None:
            return limit
        return min(limit, HOOK_SHARE * (deadline - time.monotonic()))


def _printable(message: Mapping[str, Any]) -> Mapping[str, Any]:
    content = message.get("content")
    return {**message, "content": printable(content)} if isinstance(content, str) else message


def is_worth_retrying(error: BaseException) -> bool:
    """Return whether a failed use may succeed when tried again: lost connections, rate limits, server errors."""
    if isinstance(error, TimeoutError):
        return False
    if isinstance(error, ConnectionError):
        return True
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and (status == 429 or status >= 500)
