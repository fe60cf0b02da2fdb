"""Opening shared stores for tests."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.store import SharedStore
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore

# Seconds: a machine that does much else takes its time to make the tables.
_PATIENCE = 20.0


class LendingSqliteStore(SqliteStore):
    """This machine's store with a model of the test's to lend."""

    lent: Embedder | None = None

    @property
    def embedder(self) -> Embedder | None:
        return self.lent


async def open_shared(
    workspace: Path,
    server: OwnServer | None,
    tenant: str,
    *,
    lent: Embedder | None = None,
    dsn: str = "",
    **options: Any,
) -> SharedStore:
    """Open the shared store of a workspace over its own SQLite store; without a server, over nobody."""
    workspace.joinpath("memory").mkdir(parents=True, exist_ok=True)
    settings = StorageOptions.model_validate({"embedding_provider": "none"})
    local = LendingSqliteStore(workspace, settings, SystemClock())
    local.lent = lent
    await local._in_housekeeping(local._index.open)
    dsn = dsn or (server.dsn if server is not None else "host=/nowhere dbname=none")
    chosen = PostgresOptions.model_validate({"dsn": dsn, "tenant": tenant, "search_seconds": 10, **options})
    store = await SharedStore.open(workspace, chosen, SystemClock(), local)
    end = time.monotonic() + _PATIENCE
    while server is not None and not store._server.up and time.monotonic() < end:
        await asyncio.sleep(0.02)
    return store


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.02)


def is_shared(store: SharedStore) -> bool:
    return "own index" not in store.status().reason
