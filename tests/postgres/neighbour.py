"""Another tenant of the same server, whose machine bears the same name: it sees nothing, and keeps its own."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import is_shared, open_shared, until

OWN = "the neighbour's cat is called Sigrid"
_KEPT = ("chunk", "record", "entry", "entry_history")


def rows_of(server: OwnServer, tenant: str) -> dict[str, list[Any]]:
    with psycopg.connect(server.dsn) as connection:
        return {
            name: connection.execute(
                f"SELECT t::text FROM nanobot_memory.{name} t WHERE t.tenant = %s ORDER BY 1".encode(),
                [Tenant.named(tenant).id],
            ).fetchall()
            for name in _KEPT
        }


@asynccontextmanager
async def neighbour(
    server: OwnServer,
    folder: Path,
    *questions: str,
    machine: str,
    dsn: str = "",
    successor: OwnServer | None = None,
) -> AsyncIterator[None]:
    """Let a neighbour live beside what happens: he finds nothing of it, and his rows are as before.

    A ``successor`` takes the server's place meanwhile; then the ``dsn`` names both.
    """
    tenant, workspace = uuid.uuid4().hex, MemoryWorkspace(folder / "neighbour")
    workspace.note(Note(OWN), "01954f3e-8a2b-7c3d-9e4f-5a6b7c8d9e0f")
    store = await open_shared(workspace.path, server, tenant, machine=machine, dsn=dsn)
    try:
        await until(lambda: is_shared(store), 60)
        await store.flush()
        before = rows_of(server, tenant)
        assert len(before["chunk"]) == len(before["record"]) == 1
        yield
        if successor is None:
            await asyncio.to_thread(server.start)  # where it was stopped
        await until(lambda: is_shared(store), 60)
        await store.flush()
        for question in (*questions, "Sigrid"):
            found = [hit.text for hit in (await store.search(Query(question, limit=50))).hits]
            assert set(found) <= {OWN}
        assert found == [OWN]
        assert rows_of(successor or server, tenant) == before
        assert is_shared(store)  # it was the server that said so
    finally:
        await store.close()
