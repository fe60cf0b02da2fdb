"""What importers yield, finding the installed importer of a format, and the protocol for joining entries."""

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

    ``file`` and ``line`` (from 1, or 0 if the store has no lines) are its place, for the report. A ``time`` without a
    zone is local time; None means that the store has no time. ``scope`` is the owner; the session is ``session_key``.
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
    """One note. ``note.time`` is required, and decides which day's file the note is added to.

    ``time_is_certain`` is false if the time is only the modification time of a file, so that the same note in a copy of
    the file, which has another time, is recognised.
    """

    note: Note
    file: str
    line: int = 0
    time_is_certain: bool = True


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A whole file of another memory of this program, by its name in the memory folder."""

    name: str
    data: bytes

    @property
    def file(self) -> str:
        """Its name in the archive."""
        return f"memory/{self.name}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not imported, and why, in words that follow "left:"."""

    why: str
    file: str
    line: int = 0


Item = ImportedMessage | ImportedNote | ImportedFile | Skipped


Importer = Callable[[Path, Path], Iterator[Item]]
"""A function that reads the stores of one program, named by an entry point of ``nanobot_memory_importers``.

It takes the source, an existing file or folder, and the workspace to import into, in which the store may be. It yields
the content of the store, each conversation in its order, and `Skipped` for what it cannot read. It raises `InputError`,
with cause and hint, if nothing can be read. Redaction, time zones, writing, and recognising what was imported before
are left to core.
"""


def importer_named(name: str) -> Importer:
    """Return the importer of a format. Raises `WrongUseError` if there is none, `PluginError` if it fails to load."""
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
    """The result of joining: the numbers of new and of known or forgotten entries, and the file's other text.

    ``run`` is the id with which `EntriesJoiner.take_back` undoes it, or empty if nothing was added.
    """

    new: int = 0
    known: int = 0
    other_text: bytes = b""
    run: str = ""


class EntriesJoiner(Protocol):
    """Adds entries of a file to those of a workspace. The entry point of ``nanobot_memory_entries`` names its class."""

    def join(self, workspace: Path, data: bytes, *, dry_run: bool) -> JoinedEntries:
        """Add the entries of a file to those of a workspace; a file without entries is all other text.

        Existing entries do not change, and forgotten entries stay forgotten. It blocks. Raises `NanobotMemoryError`, in
        which case nothing was written.
        """

    def take_back(self, workspace: Path, run: str) -> None:
        """Undo a `JoinedEntries.run`; without a run, clear the history of an entries file that was removed.

        It blocks. Raises `InputError` if that is not possible.
        """


def installed_joiner() -> EntriesJoiner | None:
    """Return the installed joiner, or None; without one, entries are imported as plain text."""
    return first_answer(ENTRIES_GROUP, lambda kind: kind())
