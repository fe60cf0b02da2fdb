"""The entries for code that runs on an event loop: each call is done in a thread, and awaited."""

from collections.abc import Callable, Collection
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.operations import purge, remember, undo
from nanobot_memory_plugins.consolidation.operations.purge import Purged
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, RememberResult
from nanobot_memory_plugins.consolidation.store.repository import Entries, EntryRepository, Outcome, Snapshot
from nanobot_memory_plugins.core import Clock, run_in_daemon_thread


class AsyncEntryRepository:
    """The scored entries of one workspace, for hooks and tools. What the calls do and raise is said where they lead.

    A call that is cancelled is done all the same.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        clock: Clock,
        redact: Callable[[str], str],
        redact_said: Callable[[str], str] | None = None,
        lock_seconds: float = 10.0,
    ) -> None:
        self.repository = EntryRepository(
            workspace, clock=clock, redact=redact, redact_said=redact_said, lock_seconds=lock_seconds
        )

    async def load(self) -> Snapshot:
        """Return the entries: `EntryRepository.load`."""
        return await run_in_daemon_thread(self.repository.load)

    async def update(self, change: Callable[[dict[str, Entry]], Entries], *, who: str, why: str) -> Outcome:
        """Change the entries: `EntryRepository.update`. ``change`` is called in the thread."""
        return await run_in_daemon_thread(lambda: self.repository.update(change, who=who, why=why))

    async def commit(self, base: Entries, entries: Entries, *, who: str, why: str) -> Outcome:
        """Write what was made of ``base`` some time ago: `EntryRepository.commit`."""
        return await run_in_daemon_thread(lambda: self.repository.commit(base, entries, who=who, why=why))

    async def remember(self, said: NewEntry, *, who: str, asked: bool = True) -> RememberResult:
        """Keep something: `remember.remember`."""
        return await run_in_daemon_thread(lambda: remember.remember(self.repository, said, who=who, asked=asked))

    async def forget(self, ids: Collection[str], *, who: str, about: str = "") -> Outcome:
        """Take entries out of the file: `remember.forget`."""
        return await run_in_daemon_thread(lambda: remember.forget(self.repository, ids, who=who, about=about))

    async def fade(self) -> Outcome:
        """Bring all entries up to this moment: `remember.fade`."""
        return await run_in_daemon_thread(lambda: remember.fade(self.repository))

    async def undo(self, run_id: str = "", *, entry_id: str = "", who: str) -> Outcome:
        """Take back a run: `undo.undo`."""
        return await run_in_daemon_thread(lambda: undo.undo(self.repository, run_id, entry_id=entry_id, who=who))

    async def restore(self, entry_id: str, *, who: str) -> Outcome:
        """Bring back an entry: `undo.restore`."""
        now = self.repository.clock.now()
        return await run_in_daemon_thread(lambda: undo.restore(self.repository, entry_id, now=now, who=who))

    async def purge(self, ids: Collection[str], *, who: str) -> Purged:
        """Forget for good: `purge.purge`."""
        return await run_in_daemon_thread(lambda: purge.purge(self.repository, ids, who=who))
