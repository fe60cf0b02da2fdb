"""What plugins want to know of a session, and what the language model has read in it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.values.conversation import Message, Origin
from nanobot_memory_plugins.core.values.notes import Note
from nanobot_memory_plugins.core.values.scopes import Scope

ENTRIES, SUMMARY = "entries", "summary"
"""The fields of the answer that core words itself; a plugin may ask for others."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a message, widened to their whole sentence.

    ``text`` is the sentence, ``day`` when it was said, ``origin`` who said it: the user or the assistant. ``scope`` is
    that of the message: in a group chat it names the speaker. ``is_certain`` is False where the sentence asks, laughs
    or hedges. ``record`` is the id of the message.
    """

    text: str
    day: date
    origin: Origin = Origin.USER
    scope: Scope = Scope()
    is_certain: bool = True
    record: str = ""


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """One thing that the model found worth remembering, in its own words.

    ``kind`` is a category of entries, ``importance`` high, medium or low. ``valid_until`` is the last day on which it
    holds. ``confirms`` and ``ends`` are ids that the model was shown. ``quote`` is None where the model gave no words,
    or words that nobody in this session has said.
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
    """The model's answer about one session. ``messages`` are those that were read, ``when`` the time of the last.

    ``fields`` holds what plugins asked for besides entries and the summary.
    """

    messages: tuple[Message, ...]
    when: datetime
    entries: tuple[ReadEntry, ...] = ()
    summary: str = ""
    fields: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


Take = Callable[[SessionReading], Awaitable[Sequence[Note]]]
WithoutModel = Callable[[], Awaitable[Sequence[Note]]]
Known = Callable[[], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class ReadingRequest:
    """A plugin's wish, at the end of a turn, that the session be read now."""


async def _nothing() -> Any:
    return ()


@dataclass(frozen=True, slots=True)
class ReadingPart:
    """What a plugin wants to know of a session.

    ``field`` is that of the answer: ``entries`` and ``summary`` are worded by core, for another one ``question`` says
    in a paragraph what belongs there. ``known`` gives entries that the model is shown, texts by id. ``take`` handles
    the answer, ``without_model`` does what is possible where there is none, after ``patience`` seconds at the latest;
    both return notes to keep. Messages of which the latter has made notes are not asked about again for this field. A
    part that never ``asks`` does without the model always.
    """

    field: str
    take: Take
    _: KW_ONLY
    without_model: WithoutModel = _nothing
    question: str = ""
    known: Known = _nothing
    patience: float | None = None
    asks: bool = True
