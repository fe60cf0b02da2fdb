"""The language model's reading of a session: the parts that plugins ask for, and the answer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.values.conversation import Message, Origin
from nanobot_memory_plugins.core.values.notes import Note
from nanobot_memory_plugins.core.values.scopes import Scope

ENTRIES, SUMMARY = "entries", "summary"
"""The fields of the answer whose question core provides. A plugin may ask for others."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a message that supports an entry.

    ``day`` is when it was said, and ``origin`` who said it: the user or the assistant. ``scope`` is that of the
    message, which in a group chat names the speaker. ``is_certain`` is False for a question, a joke or a hedged
    statement. ``record`` is the id of the message.
    """

    text: str
    day: date
    origin: Origin = Origin.USER
    scope: Scope = Scope()
    is_certain: bool = True
    record: str = ""


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """One fact that the model found worth remembering, in its own words.

    ``kind`` is a category of entries, ``importance`` high, medium or low. ``valid_until`` is the last day on which the
    fact is true. ``confirms`` and ``ends`` are ids of known entries that the model was shown. ``quote`` is None when
    the model quoted nothing, or words that nobody said in this session.
    """

    text: str
    kind: str
    importance: str
    quote: Quote | None = None
    details: str = ""
    tags: tuple[str, ...] = ()
    valid_until: date | None = None
    confirms: str = ""
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionReading:
    """The model's answer about one session. ``messages`` are those that were read, ``when`` is the time of the last.

    ``fields`` holds the answers to what plugins asked besides entries and the summary.
    """

    messages: tuple[Message, ...]
    when: datetime
    entries: tuple[ReadEntry, ...] = ()
    summary: str = ""
    fields: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


AnswerHandler = Callable[[SessionReading], Awaitable[Sequence[Note]]]
Fallback = Callable[[], Awaitable[Sequence[Note]]]
KnownEntries = Callable[[], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class ReadingRequest:
    """A plugin's request, at the end of a turn, to have the session read now."""


async def _nothing() -> Any:
    return ()


@dataclass(frozen=True, slots=True)
class ReadingPart:
    """A plugin's part of the question about a session.

    ``field`` is the field of the answer: core provides the questions for ``entries`` and ``summary``; for another field
    ``question`` describes the content in a paragraph. ``known`` returns the known entries to show the model, texts by
    id. ``take`` handles the answer. Without an answer ``without_model`` is called instead, after ``patience`` seconds
    at the latest. Both return notes to keep; once ``without_model`` has returned notes of messages, the model is not
    asked about those messages again for this field. When ``asks`` is False the model is never asked.
    """

    field: str
    take: AnswerHandler
    _: KW_ONLY
    without_model: Fallback = _nothing
    question: str = ""
    known: KnownEntries = _nothing
    patience: float | None = None
    asks: bool = True
