"""What a plugin that keeps scored entries offers to panels and other hosts."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from nanobot_memory_plugins.core.values.entries import EntryEdit, EntryList, EntryRun, EntryView, ScorePoint


@runtime_checkable
class EntryAccess(Protocol):
    """Scored long-term entries: look at them and change them, on behalf of a person.

    Everything here blocks for as long as the disk takes: call it in a worker thread. Reading takes no lock. What is
    written is on the disk when the call returns. Every call may raise `MemoryFileError`, and those that change
    something `InputError` for an entry that is not there, with cause and mend.
    """

    def version(self) -> str:
        """Return a text that changes when the entries may have changed. Cheap: no file is read."""
        ...

    def entries(self) -> EntryList:
        """Return all entries that stand in the file, archived ones included, as of now."""
        ...

    def gone(self) -> Sequence[EntryView]:
        """Return entries that went and can be restored, those that went last first."""
        ...

    def history(self, entry_id: str = "", *, limit: int = 100) -> Sequence[EntryRun]:
        """Return what was done, or what was done to one entry, the last run first."""
        ...

    def scores(self, entry_id: str, *, points: int = 60) -> Sequence[ScorePoint]:
        """Return an entry's score over time, oldest first, evenly from its beginning until now."""
        ...

    def add(self, text: str, *, group: str = "") -> EntryRun | None:
        """Remember a text. What is known in the same words counts as used once more."""
        ...

    def edit(self, entry_id: str, edit: EntryEdit) -> EntryRun | None:
        """Change an entry. A text that a person wrote is the user's. None: nothing changed."""
        ...

    def merge(self, ids: Sequence[str], text: str) -> EntryRun | None:
        """Make one entry of several, with this text; it has the highest score, and all of their uses."""
        ...

    def forget(self, ids: Sequence[str]) -> EntryRun | None:
        """Take entries out of the memory. `restore` and `undo` bring them back."""
        ...

    def restore(self, entry_id: str) -> EntryRun | None:
        """Bring back an entry that was archived, forgotten or deleted by anybody."""
        ...

    def undo(self, run_id: str = "") -> EntryRun | None:
        """Take back a run, the last one by default. What was changed since then stays."""
        ...
