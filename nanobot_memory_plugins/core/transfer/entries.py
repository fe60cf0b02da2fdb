"""How entries of an archive get into a workspace that has entries: core asks the plugin that keeps entries."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nanobot_memory_plugins.core.entry_points import ENTRIES_GROUP, first_offered


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
    return first_offered(ENTRIES_GROUP, lambda kind: kind())
