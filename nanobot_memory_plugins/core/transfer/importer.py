"""What an importer is, and what it says of a store: messages, notes, and what is left and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from nanobot_memory_plugins.core.values import Note, Origin, Scope


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message of a conversation, as it is in the other store.

    ``file`` and ``line`` (from 1; 0 where there are none) say where, for the report. A ``time`` without a zone is the
    machine's local time; None where the store has none. ``scope`` is its owner; its session is ``session_key``.
    """

    session_key: str
    role: str
    text: str
    origin: Origin
    file: str
    line: int = 0
    time: datetime | None = None
    name: str = ""
    scope: Scope = Scope()


@dataclass(frozen=True, slots=True)
class ImportedNote:
    """One note; ``note.time`` is needed and names the day to whose file it goes.

    ``time_is_certain`` is false where the time is that of the file on the disk: then a copy of the file, which has
    another, is still the same note.
    """

    note: Note
    file: str
    line: int = 0
    time_is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not taken, and why, in words that follow "left:"."""

    why: str
    file: str
    line: int = 0


Item = ImportedMessage | ImportedNote | Skipped


@runtime_checkable
class Importer(Protocol):
    """Reads the stores of one program. An entry point of ``nanobot_memory_importers`` names one, or its class.

    It only reads. Redaction, dates, files and the memory of what was taken before are core's work.
    """

    @property
    def label(self) -> str:
        """Say what it reads, in a few words for people."""

    def recognises(self, source: Path) -> bool:
        """Return whether ``source``, a file or folder that exists, is plainly such a store. It must be quick."""

    def read(self, source: Path, workspace: Path) -> Iterator[Item]:
        """Yield what is in the store, conversations in their order.

        ``workspace`` is the folder that is imported into, which may be where the store is. What cannot be read is
        yielded as `Skipped`. Raises `InputError`, with cause and hint, when nothing can be read.
        """
