"""Machines that share a memory, and the rows on their server."""

from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from nanobot_memory_plugins.core import Clock, Embedder, MemoryConfig, SystemClock
from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.postgres.connection import tenant_of
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.store import SharedStore
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.behaviour.kit.waiting import until
from tests.support.postgres_server import OwnServer


class Database(OwnServer):
    """A database on the server of the run."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, safe=False)
        self.name = name

    @property
    def dsn(self) -> str:
        return make_conninfo(super().dsn, dbname=self.name)

    @property
    def administrator_dsn(self) -> str:
        return make_conninfo(super().administrator_dsn, dbname=self.name)


class LendingSqliteStore(SqliteStore):
    """A local store with an embedding model from the test."""

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
    clock: Clock | None = None,
    **options: Any,
) -> SharedStore:
    """Open the shared store of a workspace over its SQLite store; without a server, the address leads nowhere."""
    workspace.joinpath("memory").mkdir(parents=True, exist_ok=True)
    local = LendingSqliteStore(
        workspace, StorageOptions.model_validate({"embedding_provider": "none"}), clock or SystemClock()
    )
    local.lent = lent
    await local.start()
    dsn = server.dsn if server is not None else "host=/nowhere dbname=none"
    chosen = PostgresOptions.model_validate({"dsn": dsn, "tenant": tenant, "search_seconds": 10, **options})
    store = SharedStore(workspace, chosen, clock or SystemClock(), local)
    await store.start()
    if server is not None:
        await until(lambda: store.server.is_up)
    return store


def configured(dsn: str, tenant: str, machine: str, **more: Any) -> MemoryConfig:
    """Return the configuration of a host that shares its memory."""
    shared = {"dsn": dsn, "tenant": tenant, "machine": machine, "searchSeconds": 10, **more}
    return config_from_mapping({"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "postgres": shared}})


def rows(server: OwnServer, tenant: str, what: str, table: str, more: str = "") -> list[tuple[Any, ...]]:
    """Return columns of a tenant's rows, read as the administrator."""
    sql = f"SELECT {what} FROM nanobot_memory.{table} WHERE tenant = %s {more}"
    with psycopg.connect(server.administrator_dsn) as connection:
        return connection.execute(sql.encode(), (tenant_of(tenant),)).fetchall()


def processes_of(server: OwnServer) -> list[int]:
    """Return the processes of a server, the main one first; none when it does not run."""
    process = server.process
    if not process:
        return []
    return [process, *map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())]
