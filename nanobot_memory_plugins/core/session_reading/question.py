"""The prompt for reading a session, made of the parts that plugins contribute, and the parsing of the model's answer.

Of a long conversation the prompt contains the user's messages in full and the beginnings of the answers; if that is
still too long, long messages are cut. The answer is parsed leniently, entry by entry, and the quotation of each entry
is looked up in the conversation.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import json_repair
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from nanobot_memory_plugins.core.language_model.prompts import PromptFile, wishes_text
from nanobot_memory_plugins.core.session_reading.quotes import ASSISTANT_KINDS, Quotations, quotations_of
from nanobot_memory_plugins.core.text.conversation import day_label, dominant_language, render_conversation
from nanobot_memory_plugins.core.text.evidence import is_no_reply, is_refusal, without_reasoning
from nanobot_memory_plugins.core.text.fence import Language, neutralise
from nanobot_memory_plugins.core.text.markdown import one_line
from nanobot_memory_plugins.core.text.tokens import estimate_tokens, truncate_to_tokens
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.session_reading import (
    ENTRIES,
    SUMMARY,
    ReadEntry,
    ReadingPart,
    SessionReading,
)

_FOLDER = Path(__file__).parent / "templates"

READING = PromptFile(_FOLDER, "reading")
_QUESTIONS = {name: PromptFile(_FOLDER, name) for name in (ENTRIES, SUMMARY)}

MAX_TOKENS = 8_000
"""Tokens of the conversation in the prompt, at most."""

MAX_KNOWN = 50
"""Known entries in the prompt, at most."""

_KNOWN_TOKENS = 60
# Characters of an assistant's answer in a long conversation.
_EXCERPT_CHARS = 200
# Tokens of a line of the prompt in addition to its words.
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
    ENTRIES: (
        '"entries": [{"text": "...", "said": "...", "kind": "preference|fact|experience|workflow|skill_usage|decision|'
        'todo|instruction", "importance": "high|medium|low", "valid_until": "YYYY-MM-DD"}]'
    ),
    SUMMARY: '"summary": "..."',
}


def question(field: str, language: Language) -> str:
    """Return the question for a field that core words itself: ``entries`` or ``summary``."""
    return _QUESTIONS[field].fill(language, {})[-1]["content"]


def reading_prompt(
    parts: Sequence[ReadingPart], known: Mapping[str, str], messages: Sequence[Message], wishes: str, today: date
) -> list[dict[str, str]]:
    """Return the chat messages that ask for all parts. ``known`` are texts by id, ``today`` the last message's day."""
    language = dominant_language(messages)
    fields = list(dict.fromkeys(part.field for part in parts))
    questions = {part.field: part.question for part in reversed(parts) if part.question}
    values = {
        "day": day_label(today, language),
        "shape": "{" + ", ".join(_SHAPES.get(name, f'"{name}": ...') for name in fields) + "}",
        "questions": "\n".join(questions.get(name) or question(name, language) for name in fields),
        "known": _known_entries(known, language),
        "conversation": _conversation(messages, language, today),
        "wishes": wishes_text(wishes, language),
    }
    return READING.fill(language, values)


def _known_entries(entries: Mapping[str, str], language: Language) -> str:
    """Return the section of the known entries, one per line, or "" if there are none."""
    lines = [
        f"[{id_}] {truncate_to_tokens(' '.join(text.split()), _KNOWN_TOKENS)}"
        for id_, text in list(entries.items())[:MAX_KNOWN]
    ]
    return _KNOWN[language].replace("{entries}", neutralise("\n".join(lines))) if lines else ""


def _conversation(messages: Sequence[Message], language: Language, today: date) -> str:
    """Return a conversation as text, with shortened answers if it is long."""
    if estimate_tokens("".join([one.text for one in messages])) + _LINE_TOKENS * len(messages) > MAX_TOKENS:
        messages = [one if one.role == "user" else replace(one, text=one.text[:_EXCERPT_CHARS]) for one in messages]
    return neutralise(
        render_conversation(messages, tokens=MAX_TOKENS, names=_NAMES[language], days=language, today=today)
    )


# Bounds of an answer, and of one entry in it.
_ANSWER_CHARS, _TEXT_CHARS, _DETAILS_CHARS = 60_000, 400, 2_000
_MAX_ENTRIES, _MAX_TAGS, _TAG_CHARS, _SUMMARY_CHARS = 60, 8, 40, 4_000
_JSON_START = re.compile(r"[\[{]")
KINDS = ("preference", "fact", "experience", "workflow", "skill_usage", "decision", "todo", "instruction")
IMPORTANCES = ("high", "medium", "low")


def _line(value: object) -> str:
    return one_line(str(value or "")).strip("\"'“”`*- ") if isinstance(value, (str, int, float)) else ""


def day_of(value: object) -> date | None:
    """Return the day in a field of a model's answer, or None."""
    try:
        return datetime.fromisoformat(str(value).strip()).date()
    except ValueError:
        return None


def ids_of(value: object) -> tuple[str, ...]:
    """Return the different ids in a field of a model's answer, one or a list."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return tuple(dict.fromkeys(filter(None, (str(one).strip("[] ") for one in items if isinstance(one, (str, int))))))


def choice(*words: str, default: str) -> BeforeValidator:
    """Return a validator that accepts some words in any case, and replaces any other value by the default."""
    return BeforeValidator(lambda value: word if (word := _line(value).casefold()) in words else default)


def _tags(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    return tuple(dict.fromkeys(filter(None, (_line(one)[:_TAG_CHARS] for one in items))))[:_MAX_TAGS]


def _alias(*names: str) -> Any:
    return Field(validation_alias=AliasChoices(*names))


class _AnswerEntry(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    text: Annotated[str, BeforeValidator(_line), Field(min_length=2), _alias("text", "content")]
    said: Annotated[tuple[str, ...], BeforeValidator(quotations_of), _alias("said", "quote")] = ()
    kind: Annotated[str, choice(*KINDS, default="fact"), _alias("kind", "category", "type")] = "fact"
    importance: Annotated[str, choice(*IMPORTANCES, default="medium")] = "medium"
    details: Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")] = ""
    tags: Annotated[tuple[str, ...], BeforeValidator(_tags)] = ()
    valid_until: Annotated[date | None, BeforeValidator(day_of), _alias("valid_until", "expires_at")] = None
    confirms: Annotated[tuple[str, ...], BeforeValidator(ids_of)] = ()
    ends: Annotated[tuple[str, ...], BeforeValidator(ids_of)] = ()


def read_answer(
    text: str,
    messages: Sequence[Message],
    quotations: Quotations,
    when: datetime,
    *,
    known: frozenset[str],
    asked: frozenset[str] = frozenset({ENTRIES, SUMMARY}),
    of_assistant: frozenset[str] = ASSISTANT_KINDS,
) -> SessionReading | None:
    """Return the parsed answer of a model, or None if it is not an answer: a refusal, prose, or broken off.

    An empty list is an answer, and so is NO_REPLY in any form. ``known`` are the ids that the prompt contained,
    ``asked`` the requested fields: a text without any of them is not an answer. Entries of the kinds in
    ``of_assistant`` may quote the assistant.
    """
    plain = text[:_ANSWER_CHARS]
    fields = _fields(json_in(plain))
    if fields is None or asked.isdisjoint(fields):
        is_empty = _JSON_START.search(without_reasoning(plain)) is None and is_no_reply(plain)
        return SessionReading(tuple(messages), when) if is_empty else None
    entries = list(_entries(fields.get(ENTRIES), quotations, known, of_assistant))
    summary = fields.get(SUMMARY)
    other_fields = {name: value for name, value in fields.items() if name not in (ENTRIES, SUMMARY)}
    return SessionReading(
        tuple(messages),
        when,
        tuple(entries[:_MAX_ENTRIES]),
        summary.strip()[:_SUMMARY_CHARS] if isinstance(summary, str) else "",
        MappingProxyType(other_fields),
    )


def json_in(answer: str) -> object | None:
    """Return the JSON value in a model's answer, repaired if needed; None if there is none, or the model refuses."""
    plain = without_reasoning(answer)
    start = _JSON_START.search(plain)
    if start is None or start.end() == len(plain) or is_refusal(plain):
        return None
    try:
        value: object = json_repair.loads(plain[start.start() :])
    except Exception:  # repairing nonsense may fail in any way
        return None
    return value


def _fields(value: object) -> Mapping[str, Any] | None:
    """Return the fields of an answer; a bare list, or a single bare entry, counts as the entries."""
    if isinstance(value, list):
        return {ENTRIES: value} if not value or any(isinstance(one, dict) for one in value) else None
    if isinstance(value, dict):
        return {ENTRIES: [value]} if {"text", "content"} & value.keys() else value or None
    return None


def _entries(
    rows: object, quotations: Quotations, known: frozenset[str], of_assistant: frozenset[str]
) -> Iterator[ReadEntry]:
    for row in rows if isinstance(rows, list) else []:
        try:
            item = _AnswerEntry.model_validate(row)
        except ValidationError:
            continue
        yield ReadEntry(
            item.text if len(item.text) <= _TEXT_CHARS else f"{item.text[: _TEXT_CHARS - 1]}…",
            item.kind,
            item.importance,
            quotations.find(item.said, of_assistant=item.kind in of_assistant),
            item.details.strip()[:_DETAILS_CHARS],
            item.tags,
            item.valid_until,
            next((one for one in item.confirms if one in known), ""),
            tuple(one for one in item.ends if one in known),
        )
