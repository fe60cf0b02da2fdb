"""The entries for code that runs on an event loop: each call is done in a thread, and awaited."""

from collections.abc import Callable, Collection
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.operations import remember
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, RememberResult
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome, Snapshot
from nanobot_memory_plugins.core import Clock
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread


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

    async def load_entries(self) -> dict[str, Entry]:
        """Return the entries by their ids. Raises `MemoryFileError`."""
        return (await self.load()).entries

    async def remember(self, said: NewEntry, *, who: str, asked: bool = True) -> RememberResult:
        """Keep something: `remember.remember`."""
        return await run_in_daemon_thread(lambda: remember.remember(self.repository, said, who=who, asked=asked))

    async def forget(self, ids: Collection[str], *, who: str) -> Outcome:
        """Let nobody see entries any more: `remember.forget`."""
        return await run_in_daemon_thread(lambda: remember.forget(self.repository, ids, who=who))
