"""What an importer is and says of a store, which are installed, and what joins entries."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from nanobot_memory_plugins.core.entry_points import ENTRIES_GROUP, IMPORTER_GROUP, entry_points_by_name, first_answer
from nanobot_memory_plugins.core.errors import PluginError, WrongUseError
from nanobot_memory_plugins.core.values import Note, Origin, Scope
from nanobot_memory_plugins.redaction.script.messages import Sentence


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
class ImportedFile:
    """A whole file of a memory of this program, by its name below the memory folder."""

    name: str
    data: bytes

    @property
    def file(self) -> str:
        """Its name in the archive."""
        return f"memory/{self.name}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not taken, and why, in words that follow "left:"."""

    why: str
    file: str
    line: int = 0


Item = ImportedMessage | ImportedNote | ImportedFile | Skipped


Importer = Callable[[Path, Path], Iterator[Item]]
"""Reads the stores of one program. An entry point of ``nanobot_memory_importers`` names one.

It takes the source, a file or folder that exists, and the workspace that is imported into, which may be where the store
is, and yields what is in the store, conversations in their order. What cannot be read is yielded as `Skipped`. Raises
`InputError`, with cause and hint, when nothing can be read. It only reads: redaction, dates, files and the memory of
what was taken before are core's work.
"""


def importer_named(name: str) -> Importer:
    """Return the importer of a format. Raises `WrongUseError` where there is none, and `PluginError`."""
    points = entry_points_by_name(IMPORTER_GROUP)
    if (point := points.get(name)) is None:
        known = ", ".join(sorted(points))
        raise WrongUseError(
            Sentence("There is no format {name}.", name=name), hint=Sentence("Formats: {known}.", known=known)
        )
    try:
        importer: Importer = point.load()
    except Exception as error:
        names = {"name": point.name, "distribution": point.distribution, "kind": type(error).__name__}
        raise PluginError(
            Sentence("The importer {name} of {distribution} cannot be loaded: {kind}.", **names),
            hint=Sentence("Reinstall or remove {distribution}.", distribution=point.distribution),
        ) from error
    return importer


@dataclass(frozen=True, slots=True)
class JoinedEntries:
    """How many entries are new, how many were known or were forgotten here, and the other text of the file.

    ``run`` is the id of what can take the new ones back, where there is one.
    """

    new: int = 0
    known: int = 0
    other_text: bytes = b""
    run: str = ""


class EntriesJoiner(Protocol):
    """Joins files of entries. The entry point of ``nanobot_memory_entries`` names its class."""

    def join(self, workspace: Path, data: bytes, *, dry_run: bool) -> JoinedEntries:
        """Add the entries of a file to those of a workspace; a file that has none is other text.

        What is here wins, and what was forgotten here stays forgotten. It blocks. Raises `NanobotMemoryError`, and
        nothing was written.
        """

    def take_back(self, workspace: Path, run: str) -> None:
        """Take back what `JoinedEntries.run` names, or forget what was known of a file that has gone, without a run.

        It blocks. Raises `InputError` where that cannot be done.
        """


def installed_joiner() -> EntriesJoiner | None:
    """Return what keeps the entries; None where nothing is installed that does: they are kept as text then."""
    return first_answer(ENTRIES_GROUP, lambda kind: kind())
