"""Sending everything that this machine keeps, and saying what became of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core import ConfigurationError, EntryAccess, MemoryConfig, StoreError
from nanobot_memory_plugins.core.cli import opened_entries
from nanobot_memory_plugins.core.protocols import ExchangedEntries
from nanobot_memory_plugins.postgres.store import SharedStore


@dataclass(frozen=True, slots=True)
class Sent:
    """What stands on the server after sending, by machine; ``here`` is this one, ``unsent`` the bytes that are not.

    ``entries`` are those that are not there as they are here.
    """

    here: str
    unsent: int
    entries: int
    passages: dict[str, int]


async def send_everything(workspace: Path, config: MemoryConfig, waiting: Callable[[int], None]) -> Sent:
    """Send this machine's files and entries to the server, and return what stands there.

    ``waiting`` is told now and then how many bytes are not sent yet. Raises `ConfigurationError` where nothing is
    shared, and `StoreError` while the server is away.
    """
    async with opened_entries(workspace, config) as (store, entries):
        if not isinstance(store, SharedStore):
            raise ConfigurationError(
                "This memory is not shared: the option dsn of postgres is not set.",
                hint='Set it: {"memoryPlugins": {"postgres": {"dsn": "host=... dbname=memory user=memory"}}}',
            )
        unsent, passages = await sent_with_entries(store, entries, waiting)
        return Sent(store.machine, store.status().unsent_bytes or 0, unsent, passages)


async def sent_with_entries(
    store: SharedStore, entries: EntryAccess | None, waiting: Callable[[int], None]
) -> tuple[int, dict[str, int]]:
    """Exchange entries, then send all files: the entries' own may have changed.

    Returns how many entries are not sent, and what stands on the server by machine. Raises `StoreError` while it is
    away.
    """
    await store.reach()
    unsent = await store.entries.settle(entries) if isinstance(entries, ExchangedEntries) else 0
    await store.send_all(waiting)
    passages = await store.passages()
    if passages is None:
        raise StoreError(store.status().reason, hint=store.status().hint or AGAIN)
    if unsent is None:
        raise StoreError("Another process of this machine exchanges entries, and does not end.", hint=AGAIN)
    return unsent, passages


AGAIN = "Run the same command again: it goes on where it was."
"""What helps where something was broken off."""
