"""What a plugin asks to keep or to inject, and the receipt that it gets."""

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
    """Something to keep. Core redacts it, writes it to the note file of its day and answers with a `Receipt`.

    ``tldr`` is one line. ``scope`` and ``time`` are filled in from the call when they are left out.
    ``title`` follows the time in the entry's heading. One that is not ``searchable`` stays in the file, for
    people and for its plugin: no search finds it, and no entry is made of it.
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
    """What became of something that was to be kept.

    ``stored`` is true once the bytes are in ``path``; ``line`` is where they start, from 1. When it was not stored,
    ``reason`` says why; ``pending`` says that it waits to be redacted, or for the file's lock, and will be stored
    unless the process dies before.
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
    """Text that a plugin would inject next to the user's message. Core puts the fence around it.

    ``hit_ids`` names the memories that it was made of. ``title`` is the line above the text, and sets it off from the
    blocks of other plugins; the titles are names of files, which read the same in every language.
    """

    text: str
    hit_ids: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class PromptEntries:
    """What is known of the user for long, as it is in the system prompt.

    ``text`` is the whole block with its heading, or empty. ``long_term`` is the text of the long-term file that was
    handed over, without what the block says in its place.
    """

    text: str = ""
    long_term: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """What replaces the history that compaction cuts.

    ``keep_from`` is the index of the first message that stays as it is.
    """

    text: str
    keep_from: int = 0


@dataclass(frozen=True, slots=True)
class MessageContext:
    """What a user's message brought: the fenced text to inject next to it, or None, and where it was kept."""

    block: str | None
    receipt: Receipt
    hit_ids: tuple[str, ...] = ()
