"""From messages to a summary, in three steps.

1. The model summarises everything, chunk by chunk, with the summary so far carried on; oversized messages as excerpts.
2. When that fails, once more: without the oversized messages, and with less of the long ones.
3. When that fails too, and when there is no model or no time, rules extract what matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from nanobot_memory_plugins.compaction.extract import extract, missing_values
from nanobot_memory_plugins.compaction.history import Unit
from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.token_budget import Limits, chunk_ratio, is_oversized, pack
from nanobot_memory_plugins.compaction.transcript import entry, note_left_out
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
# Words, or Chinese characters, that make an estimated token.
_UNITS_A_TOKEN: dict[Language, float] = {"en": 0.6, "zh": 0.8}
# Shorter pieces of a prompt occur in honest notes, too.
_TELLING = 25
# Less than this of a chunk is not worth a call.
_LEAST_CONTENT = 80
# What a message costs besides its text: its label, the line break, a call's name.
_LABEL_TOKENS = 12
# Of an oversized message the model sees so many tokens.
_OVERSIZED_EXCERPT = 300
# Calls that the first step leaves to the second.
_CALLS_FOR_SECOND = 2
_SECOND_INPUT_SHARE = 0.5
# Of what a call may hold, the summary so far takes at most this share.
_EARLIER_SHARE = 0.3
# Of the summary, the note of what was left out takes at most this share.
_NOTE_SHARE = 0.25
# So much of it is for identifiers that the model left out.
_FACTS_SHARE = 0.3
# Of the rest the model's answer gets all but that, in a small window less: a call has to hold it, too.
_LEAST_ANSWER_SHARE, _ANSWER_OF_CALL = 0.65, 0.3
# The chance to fit the chunks into the calls: each try shows less of the longest messages.
_SHRINKING = (1.0, 0.8, 0.6, 0.4)


def fixed_texts(language: Language) -> Sequence[str]:
    """Return what is in each prompt: an answer that repeats it is an echo."""
    return [one for one in COMPACTION.fixed_texts(language) if len(one) >= _TELLING]


class _FailedError(Exception):
    """A step failed. ``final``: another call would fail as well."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


@dataclass(frozen=True, slots=True)
class Material:
    """What is to be summarised, without secrets: messages, their tokens, and the units that they form.

    ``earlier`` is the summary carried on, or empty.
    """

    messages: Sequence[Message]
    sizes: Sequence[int]
    units: Sequence[Unit]
    earlier: str
    language: Language


class Summariser:
    """Summarises one history. ``today`` is the day of messages that have no time."""

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
        # Tokens of the summary, and of the model's answer.
        self._room = limits.summary - estimate_tokens(self._note)
        smallest_call = window * options.min_chunk_ratio / options.safety_margin
        room_here = max(self._room * _LEAST_ANSWER_SHARE, smallest_call * _ANSWER_OF_CALL)
        self._answer_tokens = max(1, int(min(room_here, self._room * (1 - _FACTS_SHARE))))
        # The summary so far, as of the last chunk that worked.
        self._so_far = material.earlier

    async def summary(self) -> str:
        """Return the finished text, before that at most ``limits.summary`` tokens; the model's faults raise nothing."""
        for step in (1, 2):
            if self._calls_left <= 0 or not self._material.messages:
                break
            try:
                text = await self._ask_for_all(step)
            except _FailedError as failed:
                logger.info("compaction: step {} (language model) failed: {}", step, failed)
                if failed.final:
                    break
            else:
                logger.info("compaction: step {} (language model) done", step)
                return await run_in_daemon_thread(self._with_identifiers, text)
        text = await run_in_daemon_thread(self._extracted)
        logger.info("compaction: step 3 (extracted by rules) done")
        return text

    # --- with the model ---------------------------------------------------------------------------------------

    async def _ask_for_all(self, step: int) -> str:
        """Return the model's summary of everything. Raises `_FailedError`."""
        carried, chunks, ratio = await run_in_daemon_thread(self._prepare, step)
        if not chunks:
            raise _FailedError("there is nothing to show", final=step > 1)
        for number, chunk in enumerate(chunks, start=1):
            if self._calls_left <= 0:
                raise _FailedError("no calls are left", final=True)
            self._calls_left -= 1
            carried = await self._ask(chunk, carried)
            self._so_far = carried
            logger.info(
                "compaction: step {}, chunk {} of {} summarised (ratio {:.2f})", step, number, len(chunks), ratio
            )
        return carried

    async def _ask(self, chunk: str, carried: str) -> str:
        prompt = await run_in_daemon_thread(self._prompt, chunk, carried)
        assert self._complete is not None  # noqa: S101  # there are no calls without it; this tells the type checker
        try:
            answer = await self._complete(prompt, max_tokens=self._answer_tokens, purpose=PURPOSE)
        except CompletionTimeoutError as error:
            raise _FailedError(type(error).__name__, final=True) from None
        except Exception as error:  # a host's model may fail in any way
            raise _FailedError(type(error).__name__) from None
        if not isinstance(answer, str):
            raise _FailedError("no text")
        return await run_in_daemon_thread(self._checked, answer, chunk, carried)

    def _checked(self, answer: str, chunk: str, carried: str) -> str:
        # Of an answer beyond all measure only the beginning is looked at.
        text = clean_summary(answer[: 16 * self._answer_tokens])
        wrong = summary_fault(text, [carried, chunk], prompt=fixed_texts(self._material.language))
        if wrong:
            raise _FailedError(Sentence("answer rejected ({wrong})", wrong=wrong))
        return cut(text, self._answer_tokens)

    def _prepare(self, step: int) -> tuple[str, list[str], float]:
        """Return the summary to carry on, the chunks, and the ratio of the window that a call may take."""
        material, options = self._material, self._options
        ratio = chunk_ratio(material.sizes, self._limits.window, options)
        holds = int(self._limits.window * ratio / options.safety_margin)
        carried = cut(self._so_far, min(self._limits.summary, int(holds * _EARLIER_SHARE)))
        # The summary that is carried on from chunk to chunk may grow to the length of an answer.
        largest = max(estimate_tokens(carried), self._answer_tokens)
        fixed = sum(estimate_tokens(message["content"]) + 4 for message in self._prompt("", "-")) + 4
        content = holds - fixed - largest
        if content < _LEAST_CONTENT:
            raise _FailedError("the window is too small for a call", final=True)
        calls = self._calls_left if step > 1 else max(1, self._calls_left - _CALLS_FOR_SECOND)
        budget = min(content * calls, int(options.max_input_tokens * (1 if step == 1 else _SECOND_INPUT_SHARE)))
        first = self._first_shown(budget)
        if first:
            # Too many messages to show each: what is furthest back is carried on as an extract.
            older = material.messages[:first]
            carried = extract(older, limit=max(1, largest), language=material.language, earlier=self._so_far)
        chunks: list[str] = []
        for share in _SHRINKING:
            chunks = pack(self._blocks(first, int(budget * share), step), content)
            if len(chunks) <= calls:
                break
        return carried, chunks, ratio

    def _first_shown(self, budget: int) -> int:
        """Return the index of the first message that the model is shown, at the border of a unit."""
        most = max(1, budget // (2 * _LABEL_TOKENS))
        count = len(self._material.messages)
        if count <= most:
            return 0
        return next((unit.start for unit in self._material.units if unit.start >= count - most), count)

    def _blocks(self, first: int, budget: int, step: int) -> list[str]:
        """Return the text of each unit from message ``first`` on, with the longest messages cut to what is fair."""
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
        named = None
        for unit, day in zip(units, days, strict=True):
            shown = [
                entry(messages[index], min(shares[index], limit))
                for index in range(unit.start, unit.stop)
                if shares[index]
            ]
            text = "\n".join(filter(None, shown))
            if text and headings and day != named:
                text, named = f"{day_label(day, self._material.language)}\n{text}", day
            blocks.append(text)
        return list(filter(None, blocks))

    def _prompt(self, chunk: str, carried: str) -> list[dict[str, str]]:
        """Return the chat messages that ask for a summary of a chunk, with the one so far carried on."""
        language = self._material.language
        words = int(self._answer_tokens * _UNITS_A_TOKEN[language])
        values = {
            "earlier": f"{_EARLIER[language]}\n{carried}\n\n" if carried else "",
            "day": day_label(self._today, language),
            "conversation": chunk,
            "what": (_UPDATED if carried else _NEW)[language],
            "size": str(max(20, words // 10 * 10)),
        }
        return COMPACTION.fill(language, values)

    # --- by rules ---------------------------------------------------------------------------------------------

    def _with_identifiers(self, text: str) -> str:
        """Add the values of users' statements, and of the earlier summary, that the model left out, and the note."""
        material = self._material
        room = min(self._room - estimate_tokens(text) - 2, int(self._limits.summary * _FACTS_SHARE))
        lines = missing_values(
            material.messages, text, limit=room, language=material.language, earlier=material.earlier
        )
        return self._joined(text, lines)

    def _extracted(self) -> str:
        material = self._material
        limit = max(1, self._room - 1)
        return self._joined(extract(material.messages, limit=limit, language=material.language, earlier=self._so_far))

    def _joined(self, *parts: str) -> str:
        return cut("\n".join(filter(None, (*parts, self._note))), self._limits.summary)
