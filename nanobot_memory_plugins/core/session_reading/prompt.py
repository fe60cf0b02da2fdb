"""The question: one prompt made of the parts that plugins contribute, and of the conversation within its tokens.

A long conversation is shown whole where the user speaks, with the beginnings of the answers; in one that is still too
long, long messages are cut.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from nanobot_memory_plugins.core.files.prompts import Prompts
from nanobot_memory_plugins.core.session_reading.templates import READING, question
from nanobot_memory_plugins.core.text.conversation import dated, dominant_language, render
from nanobot_memory_plugins.core.text.fence import Language, neutralise
from nanobot_memory_plugins.core.text.tokens import estimate_tokens, truncate_to_tokens
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.session_reading import ENTRIES, SUMMARY, ReadingPart

MOST_TOKENS = 8_000
"""Tokens of a conversation that is shown as it is."""

MOST_KNOWN = 50
"""Known entries that are shown, at most."""

_KNOWN_TOKENS = 60
# Characters of an answer of the assistant's in a long conversation.
_ANSWER_EXCERPT = 200
# A line of the prompt besides its words.
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


def reading_prompt(
    parts: Sequence[ReadingPart], known: Mapping[str, str], messages: Sequence[Message], prompts: Prompts, today: date
) -> list[dict[str, str]]:
    """Return the chat messages that ask for all parts, given the known entries. ``today`` is the last message's day."""
    language = dominant_language(messages)
    fields = list(dict.fromkeys(part.field for part in parts))
    own = {part.field: part.question for part in reversed(parts) if part.question}
    values = {
        "day": dated(today, language),
        "shape": "{" + ", ".join(_SHAPES.get(name, f'"{name}": ...') for name in fields) + "}",
        "questions": "\n".join(own.get(name) or question(name, language, prompts) for name in fields),
        "known": _listed(known, language),
        "conversation": _conversation(messages, language, today),
    }
    return prompts.rendered(READING, language, values)


def _listed(entries: Mapping[str, str], language: Language) -> str:
    """Return the known entries, a line each, or nothing where there are none."""
    lines = [
        f"[{id_}] {truncate_to_tokens(' '.join(text.split()), _KNOWN_TOKENS)}"
        for id_, text in list(entries.items())[:MOST_KNOWN]
    ]
    return _KNOWN[language].replace("{entries}", neutralise("\n".join(lines))) if lines else ""


def _conversation(messages: Sequence[Message], language: Language, today: date) -> str:
    """Return a conversation written out; of a long one the user's messages as whole as they fit."""
    if sum(estimate_tokens(one.text) + _LINE_TOKENS for one in messages) > MOST_TOKENS:
        messages = [one if one.role == "user" else replace(one, text=one.text[:_ANSWER_EXCERPT]) for one in messages]
    return neutralise(render(messages, tokens=MOST_TOKENS, names=_NAMES[language], days=language, today=today))
