"""The question: one prompt made of the parts that plugins contribute, and of the conversation within its tokens.

A long conversation is shown whole where the user speaks, with the beginnings of the answers; of one that is still too
long the older part is summed up by the model first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from nanobot_memory_plugins.core.errors import LanguageModelError
from nanobot_memory_plugins.core.files.prompts import Prompts
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.core.session_reading.part import ReadingPart
from nanobot_memory_plugins.core.session_reading.templates import READING, SHORTENING, question
from nanobot_memory_plugins.core.text.conversation import dated, dominant_language, render
from nanobot_memory_plugins.core.text.evidence import is_refusal, without_thoughts
from nanobot_memory_plugins.core.text.fence import Language, neutralise
from nanobot_memory_plugins.core.text.tokens import estimate_tokens, truncate_to_tokens
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.session_reading import ENTRIES, SUMMARY

MOST_TOKENS = 8_000
"""Tokens of a conversation that is shown as it is."""

MOST_KNOWN = 50
"""Known entries that are shown, at most."""

_KNOWN_TOKENS = 60
# Tokens of a long conversation that the model sums up, of its answer, and of the newest messages beside that.
_OLDER_TOKENS, _SUMMED_TOKENS, _NEWEST_TOKENS = 12_000, 1_500, 4_000
# Characters of an answer of the assistant's in a long conversation.
_ANSWER_EXCERPT = 200
# A line of the prompt beside its words.
_LINE_TOKENS = 3

_NAMES: dict[Language, dict[str, str]] = {
    "en": {"user": "user", "assistant": "assistant"},
    "zh": {"user": "用户", "assistant": "助手"},
}
_KNOWN: dict[Language, str] = {
    "en": "Known already, as [id] text:\n{entries}\n\n",
    "zh": "已知信息（[id] 内容）：\n{entries}\n\n",
}
_SHAPES = {
    ENTRIES: '"entries": [{"text": "...", "said": "...", "kind": "...", "importance": "...", "valid_until": "..."}]',
    SUMMARY: '"summary": "..."',
}


async def reading_prompt(
    parts: Sequence[ReadingPart],
    known: Mapping[str, str],
    messages: Sequence[Message],
    complete: Complete,
    prompts: Prompts,
    today: date,
) -> list[dict[str, str]]:
    """Return the chat messages that ask for all parts, given the known entries. ``today`` is the last message's day."""
    language = dominant_language(messages)
    conversation = await _conversation(messages, complete, prompts, language, today)
    fields = list(dict.fromkeys(part.field for part in parts))
    own = {part.field: part.question for part in reversed(parts) if part.question}
    values = {
        "day": dated(today, language),
        "shape": "{" + ", ".join(_SHAPES.get(name, f'"{name}": ...') for name in fields) + "}",
        "questions": "\n".join(own.get(name) or question(name, language, prompts) for name in fields),
        "known": _listed(known, language),
        "conversation": conversation,
    }
    return prompts.rendered(READING, language, values)


def _listed(entries: Mapping[str, str], language: Language) -> str:
    """Return the known entries, a line each, or nothing where there are none."""
    lines = [
        f"[{id_}] {truncate_to_tokens(' '.join(text.split()), _KNOWN_TOKENS)}"
        for id_, text in list(entries.items())[:MOST_KNOWN]
    ]
    return _KNOWN[language].replace("{entries}", neutralise("\n".join(lines))) if lines else ""


async def _conversation(
    messages: Sequence[Message], complete: Complete, prompts: Prompts, language: Language, today: date
) -> str:
    def written(shown: Sequence[Message], tokens: int = MOST_TOKENS) -> str:
        return neutralise(render(shown, tokens=tokens, names=_NAMES[language], days=language, today=today))

    if _size(messages) <= MOST_TOKENS:
        return written(messages)
    reduced = [one if one.role == "user" else replace(one, text=one.text[:_ANSWER_EXCERPT]) for one in messages]
    if _size(reduced) <= MOST_TOKENS:
        return written(reduced)
    newest = _newest(reduced, _NEWEST_TOKENS)
    older = reduced[: len(reduced) - len(newest)]
    shortening = prompts.rendered(SHORTENING, language, {"conversation": written(older, _OLDER_TOKENS)})
    try:
        answer = await complete(shortening, max_tokens=_SUMMED_TOKENS, purpose="reading:shortening")
    except LanguageModelError as error:
        logger.debug("a long conversation is cut, not summed up: {}", type(error).__name__)
        return written(reduced)
    summed = truncate_to_tokens(without_thoughts(answer), _SUMMED_TOKENS)
    if not summed or is_refusal(summed):
        return written(reduced)
    said = [one for one in older if one.role == "user"]
    room = MOST_TOKENS - _NEWEST_TOKENS - _SUMMED_TOKENS
    return "\n".join([neutralise(summed), written(_newest(said, room), room), written(newest, _NEWEST_TOKENS)])


def _size(messages: Sequence[Message]) -> int:
    return sum(estimate_tokens(one.text) + _LINE_TOKENS for one in messages)


def _newest(messages: Sequence[Message], tokens: int) -> list[Message]:
    """Return the last messages that fit."""
    kept: list[Message] = []
    for one in reversed(messages):
        tokens -= estimate_tokens(one.text) + _LINE_TOKENS
        if tokens < 0:
            break
        kept.append(one)
    return kept[::-1]
