"""Sending everything that this machine keeps, and saying what became of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core import ConfigurationError, MemoryConfig, StoreError
from nanobot_memory_plugins.core.cli import opened_store
from nanobot_memory_plugins.postgres.store import SharedStore


@dataclass(frozen=True, slots=True)
class Sent:
    """What stands on the server after sending, by machine; ``here`` is this one, ``unsent`` the bytes that are not."""

    here: str
    unsent: int
    passages: dict[str, int]


async def send_everything(workspace: Path, config: MemoryConfig, waiting: Callable[[int], None]) -> Sent:
    """Send this machine's files to the server, and return what stands there.

    ``waiting`` is told now and then how many bytes are not sent yet. Raises `ConfigurationError` where nothing is
    shared, and `StoreError` while the server is away.
    """
    async with opened_store(workspace, config) as store:
        if not isinstance(store, SharedStore):
            raise ConfigurationError(
                "This memory is not shared: the option dsn of postgres is not set.",
                hint='Set it: {"memoryPlugins": {"postgres": {"dsn": "host=... dbname=memory user=memory"}}}',
            )
        await store.send_all(waiting)
        passages = await store.passages()
        status = store.status()
        if passages is None:
            raise StoreError(status.reason, hint=status.hint)
        return Sent(store.machine, status.unsent_bytes or 0, passages)
