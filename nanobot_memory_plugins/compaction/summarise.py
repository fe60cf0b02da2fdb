"""Summarises messages in up to three steps.

1. The model summarises all messages, chunk by chunk, updating its summary; of oversized messages it sees excerpts.
2. If that fails, it tries again without the oversized messages, and with less of the long ones.
3. If that fails too, or without a model or time, sentences are extracted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from nanobot_memory_plugins.compaction.extract import extract, missing_values
from nanobot_memory_plugins.compaction.history import Unit
from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.token_budget import Limits, chunk_ratio, is_oversized, pack
from nanobot_memory_plugins.compaction.transcript import note_left_out, render_message
from nanobot_memory_plugins.core import Complete, Message, estimate_tokens, logger
from nanobot_memory_plugins.core.errors import CompletionTimeoutError
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.language_model.prompts import PromptFile
from nanobot_memory_plugins.core.text.conversation import day_label, fair_limit, message_time
from nanobot_memory_plugins.core.text.evidence import clean_summary, summary_fault
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.tokens import cut
from nanobot_memory_plugins.redaction.script.messages import Sentence

PURPOSE = "compaction"
COMPACTION = PromptFile(Path(__file__).parent / "templates", "compaction")

_EARLIER: dict[Language, str] = {"en": "Notes so far:", "zh": "已有笔记："}
_NEW: dict[Language, str] = {"en": "notes of this conversation", "zh": "这段对话的笔记"}
_UPDATED: dict[Language, str] = {
    "en": "the notes so far again, updated with this conversation",
    "zh": "更新后的完整笔记",
}
# Words, or Chinese characters, per estimated token.
_UNITS_PER_TOKEN: dict[Language, float] = {"en": 0.6, "zh": 0.8}
# Shorter pieces of a prompt also occur in genuine notes.
_LEAST_ECHO_CHARS = 25
# A smaller chunk, in tokens, is not worth a call.
_LEAST_CONTENT = 80
# The tokens of a message besides its text: its label, the line break, the name of a call.
_LABEL_TOKENS = 12
# The tokens of an oversized message that the model sees.
_OVERSIZED_EXCERPT = 300
# Calls that the first step leaves to the second, and the second step's share of the input.
_CALLS_FOR_SECOND = 2
_SECOND_INPUT_SHARE = 0.5
# The largest share of a call's tokens for the summary so far.
_EARLIER_SHARE = 0.3
# The largest share of the summary for the note about messages that were left out.
_NOTE_SHARE = 0.25
# The share of the summary for exact values that the model left out.
_VALUES_SHARE = 0.3
# The model's answer takes at most the rest. In a small window it is shorter, since a call must have room for it: the
# larger of a share of the summary and a share of the smallest call.
_LEAST_ANSWER_SHARE, _ANSWER_OF_CALL = 0.65, 0.3
# The shares of the input that are tried in turn until the chunks fit into the calls that are left.
_INPUT_SHARES = (1.0, 0.8, 0.6, 0.4)


def fixed_texts(language: Language) -> Sequence[str]:
    """Return the fixed texts of the prompt, since an answer that repeats one of them is an echo."""
    return [text for text in COMPACTION.fixed_texts(language) if len(text) >= _LEAST_ECHO_CHARS]


class _StepFailedError(Exception):
    """A step failed. ``final`` is True when another call would fail as well."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


@dataclass(frozen=True, slots=True)
class Material:
    """The redacted messages to summarise, with their tokens and units. ``earlier`` is the earlier summary, or empty."""

    messages: Sequence[Message]
    sizes: Sequence[int]
    units: Sequence[Unit]
    earlier: str
    language: Language


class Summariser:
    """Summarises one history. ``today`` is the day of messages without a time."""

    def __init__(
        self,
        material: Material,
        *,
        limits: Limits,
        options: CompactionOptions,
        complete: Complete | None,
        today: date,
    ) -> None:
        self._material = material
        self._limits = limits
        self._options = options
        self._complete = complete
        self._today = today
        self._calls_left = options.max_calls if complete is not None else 0
        window = limits.window
        self._oversized = [n for n, size in enumerate(material.sizes) if is_oversized(size, window, options)]
        self._note = note_left_out(
            [material.messages[n] for n in self._oversized],
            [material.sizes[n] for n in self._oversized],
            limit=int(limits.summary * _NOTE_SHARE),
            language=material.language,
        )
        # The tokens for the summary, and for the model's answer.
        self._room = limits.summary - estimate_tokens(self._note)
        smallest_call = window * options.min_chunk_ratio / options.safety_margin
        room_for_answer = max(self._room * _LEAST_ANSWER_SHARE, smallest_call * _ANSWER_OF_CALL)
        self._answer_tokens = max(1, int(min(room_for_answer, self._room * (1 - _VALUES_SHARE))))
        # The summary after the last chunk that was summarised.
        self._summary_so_far = material.earlier

    async def summary(self) -> str:
        """Return the summary, of at most ``limits.summary`` tokens. Failures of the model raise nothing."""
        for step in (1, 2):
            if self._calls_left <= 0 or not self._material.messages:
                break
            try:
                text = await self._summarise_chunks(step)
            except _StepFailedError as failed:
                logger.info("compaction: step {} (language model) failed: {}", step, failed)
                if failed.final:
                    break
            else:
                logger.info("compaction: step {} (language model) done", step)
                return await run_in_daemon_thread(self._add_missing_values, text)
        text = await run_in_daemon_thread(self._extract)
        logger.info("compaction: step 3 (extracted by rules) done")
        return text

    # --- with the model ---------------------------------------------------------------------------------------

    async def _summarise_chunks(self, step: int) -> str:
        """Return the model's summary of all chunks. Raises `_StepFailedError`."""
        carried, chunks, ratio = await run_in_daemon_thread(self._prepare, step)
        if not chunks:
            raise _StepFailedError("there is nothing to show", final=step > 1)
        for number, chunk in enumerate(chunks, start=1):
            if self._calls_left <= 0:
                raise _StepFailedError("no calls are left", final=True)
            self._calls_left -= 1
            carried = await self._summarise_chunk(chunk, carried)
            self._summary_so_far = carried
            logger.info(
                "compaction: step {}, chunk {} of {} summarised (ratio {:.2f})", step, number, len(chunks), ratio
            )
        return carried

    async def _summarise_chunk(self, chunk: str, carried: str) -> str:
        prompt = await run_in_daemon_thread(self._prompt, chunk, carried)
        assert self._complete is not None  # noqa: S101  # there are no calls without it; this tells the type checker
        try:
            answer = await self._complete(prompt, max_tokens=self._answer_tokens, purpose=PURPOSE)
        except CompletionTimeoutError as error:
            raise _StepFailedError(type(error).__name__, final=True) from None
        except Exception as error:  # the host's model may raise anything
            raise _StepFailedError(type(error).__name__) from None
        if not isinstance(answer, str):
            raise _StepFailedError("no text")
        return await run_in_daemon_thread(self._check_answer, answer, chunk, carried)

    def _check_answer(self, answer: str, chunk: str, carried: str) -> str:
        # Only the beginning of an excessively long answer is used.
        text = clean_summary(answer[: 16 * self._answer_tokens])
        wrong = summary_fault(text, [carried, chunk], prompt=fixed_texts(self._material.language))
        if wrong:
            raise _StepFailedError(Sentence("answer rejected ({wrong})", wrong=wrong))
        return cut(text, self._answer_tokens)

    def _prepare(self, step: int) -> tuple[str, list[str], float]:
        """Return the summary to start from, the chunks, and the share of the window that a call may take."""
        material, options = self._material, self._options
        ratio = chunk_ratio(material.sizes, self._limits.window, options)
        capacity = int(self._limits.window * ratio / options.safety_margin)
        carried = cut(self._summary_so_far, min(self._limits.summary, int(capacity * _EARLIER_SHARE)))
        # The summary that each call continues may grow to the length of an answer.
        summary_tokens = max(estimate_tokens(carried), self._answer_tokens)
        prompt_tokens = sum(estimate_tokens(message["content"]) + 4 for message in self._prompt("", "-")) + 4
        content_tokens = capacity - prompt_tokens - summary_tokens
        if content_tokens < _LEAST_CONTENT:
            raise _StepFailedError("the window is too small for a call", final=True)
        calls = self._calls_left if step > 1 else max(1, self._calls_left - _CALLS_FOR_SECOND)
        budget = min(content_tokens * calls, int(options.max_input_tokens * (1 if step == 1 else _SECOND_INPUT_SHARE)))
        first = self._first_shown(budget)
        if first:
            # There are too many messages to show: the oldest ones are replaced by an extracted summary.
            older = material.messages[:first]
            carried = extract(
                older, limit=max(1, summary_tokens), language=material.language, earlier=self._summary_so_far
            )
        chunks: list[str] = []
        for share in _INPUT_SHARES:
            chunks = pack(self._blocks(first, int(budget * share), step), content_tokens)
            if len(chunks) <= calls:
                break
        return carried, chunks, ratio

    def _first_shown(self, budget: int) -> int:
        """Return the index of the first message that the model is shown, which is the start of a unit."""
        most = max(1, budget // (2 * _LABEL_TOKENS))
        count = len(self._material.messages)
        if count <= most:
            return 0
        return next((unit.start for unit in self._material.units if unit.start >= count - most), count)

    def _blocks(self, first: int, budget: int, step: int) -> list[str]:
        """Return the text of each unit from message ``first`` on, with the longest messages cut to a common limit."""
        messages, oversized = self._material.messages, set(self._oversized)
        shares = list(self._material.sizes)
        for index in range(first, len(messages)):
            if messages[index].role in ("tool", "function", "system"):
                shares[index] = min(shares[index], self._options.tool_result_tokens)
            if index in oversized:
                shares[index] = _OVERSIZED_EXCERPT if step == 1 else 0
        units = [unit for unit in self._material.units if unit.start >= first]
        times = [message_time(messages[unit.start]) for unit in units]
        days = [time.date() if time else self._today for time in times]
        headings = len(set(days)) if len(set(days)) > 1 else 0
        room = budget - _LABEL_TOKENS * (len(messages) - first + headings)
        limit = fair_limit(shares[first:], max(1, room))
        blocks = []
        heading_day = None
        for unit, day in zip(units, days, strict=True):
            shown = [
                render_message(messages[index], min(shares[index], limit))
                for index in range(unit.start, unit.stop)
                if shares[index]
            ]
            text = "\n".join(filter(None, shown))
            if text and headings and day != heading_day:
                text, heading_day = f"{day_label(day, self._material.language)}\n{text}", day
            blocks.append(text)
        return list(filter(None, blocks))

    def _prompt(self, chunk: str, carried: str) -> list[dict[str, str]]:
        """Return the chat messages that ask for a summary of a chunk, which continues the summary ``carried``."""
        language = self._material.language
        words = int(self._answer_tokens * _UNITS_PER_TOKEN[language])
        values = {
            "earlier": f"{_EARLIER[language]}\n{carried}\n\n" if carried else "",
            "day": day_label(self._today, language),
            "conversation": chunk,
            "what": (_UPDATED if carried else _NEW)[language],
            "size": str(max(20, words // 10 * 10)),
        }
        return COMPACTION.fill(language, values)

    # --- without the model ------------------------------------------------------------------------------------

    def _add_missing_values(self, text: str) -> str:
        """Add the note, and sentences of users and the earlier summary with exact values that the model left out."""
        material = self._material
        room = min(self._room - estimate_tokens(text) - 2, int(self._limits.summary * _VALUES_SHARE))
        lines = missing_values(
            material.messages, text, limit=room, language=material.language, earlier=material.earlier
        )
        return self._join_with_note(text, lines)

    def _extract(self) -> str:
        messages, language, limit = self._material.messages, self._material.language, max(1, self._room - 1)
        return self._join_with_note(extract(messages, limit=limit, language=language, earlier=self._summary_so_far))

    def _join_with_note(self, *parts: str) -> str:
        return cut("\n".join(filter(None, (*parts, self._note))), self._limits.summary)
