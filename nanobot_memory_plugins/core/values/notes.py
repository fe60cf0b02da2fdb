"""What a plugin returns to have it kept or injected, and the receipts for it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from nanobot_memory_plugins.core.values.conversation import Origin
from nanobot_memory_plugins.core.values.scopes import Scope


class NoteType(StrEnum):
    """The kinds of note."""

    DECISION = "decision"
    NOTE = "note"
    TODO = "todo"
    BUG = "bug"
    IDEA = "idea"
    CONFIG = "config"


@dataclass(frozen=True, slots=True)
class Note:
    """A note to keep. Core redacts it, writes it to the note file of its day and returns a `Receipt`.

    ``tldr`` is one line. ``scope`` and ``time`` default to those of the call. ``title`` follows the time in the note's
    heading. A note that is not ``searchable`` is in the file for people and for its plugin only: no search finds it,
    and no entry is learned from it.
    """

    tldr: str
    details: str = ""
    type: NoteType = NoteType.NOTE
    tags: tuple[str, ...] = ()
    title: str = ""
    origin: Origin = Origin.ASSISTANT
    scope: Scope | None = None
    time: datetime | None = None
    searchable: bool = True


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of storing a note or message.

    ``stored`` is True once the bytes are in ``path``, starting at ``line`` (from 1). Otherwise ``reason`` says why not.
    A ``pending`` record is still being redacted or waits for the file's lock: it will be stored unless the process dies
    before.
    """

    stored: bool
    id: str = ""
    path: Path | None = None
    line: int = 0
    reason: str = ""
    notes: tuple["Receipt", ...] = ()
    pending: bool = False


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """Text to inject next to the user's message. Core puts the fence around it.

    ``hit_ids`` are the ids of the memories in it. ``title`` is the line above the text, which separates it from the
    blocks of other plugins. Titles are file names, which are the same in every language.
    """

    text: str
    hit_ids: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class PromptEntries:
    """The long-term knowledge about the user, as a block of the system prompt.

    ``text`` is the whole block with its heading, or empty. ``long_term`` is the given text of the long-term file
    without the parts that the block replaces.
    """

    text: str = ""
    long_term: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """The text that replaces the messages before ``keep_from``, the index of the first message that remains."""

    text: str
    keep_from: int = 0


@dataclass(frozen=True, slots=True)
class MessageContext:
    """The result of a user's message: the fenced text to inject next to it, or None, and the message's receipt."""

    block: str | None
    receipt: Receipt
    hit_ids: tuple[str, ...] = ()
