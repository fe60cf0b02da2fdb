"""A program beside a newer one: it refuses tables that it does not know, says so, and uses its own index."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.database import row_security, schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import is_shared, open_shared, until

KNOWN = schema.SCHEMA_VERSION


def set_version(server: OwnServer, version: int) -> None:
    with psycopg.connect(server.administrator_dsn) as admin:
        admin.execute("UPDATE nanobot_memory.meta SET value = %s WHERE key = 'schema'", (str(version),))


@pytest.fixture
def newer(walled: OwnServer) -> Iterator[OwnServer]:
    """A server that a newer program has brought forward, by a column with a default."""
    with psycopg.connect(walled.administrator_dsn) as admin:
        admin.execute("ALTER TABLE nanobot_memory.chunk ADD COLUMN colour text NOT NULL DEFAULT ''")
    set_version(walled, KNOWN + 1)
    yield walled
    set_version(walled, KNOWN)
    with psycopg.connect(walled.administrator_dsn) as admin:
        admin.execute("ALTER TABLE nanobot_memory.chunk DROP COLUMN colour")


@pytest.mark.parametrize("rls", [False, True], ids=["plain", "walled"])
async def test_newer_tables_are_refused_and_its_own_index_answers_until_it_is_updated(
    newer: OwnServer, agents_dsn: str, tmp_path: Path, rls: bool
):
    workspace, tenant = MemoryWorkspace(tmp_path), uuid.uuid4().hex
    workspace.note(Note("the garden gate is green"), "a1")
    options: dict[str, Any] = {"dsn": agents_dsn, "rls": True} if rls else {"dsn": newer.dsn}
    store = await open_shared(tmp_path, None, tenant, **options)
    try:
        told = f"A newer version made the shared memory (schema {KNOWN + 1}, this one knows {KNOWN})."
        await until(lambda: told in store.status().reason, 60)
        assert store.status().hint.startswith("Update nanobot-memory-postgres on this machine")
        await store.flush()
        assert [hit.text for hit in (await store.search(Query("garden gate"))).hits] == ["the garden gate is green"]
        assert store.status().kept == "local"
        with psycopg.connect(newer.administrator_dsn) as admin:
            row = admin.execute("SELECT count(*) FROM nanobot_memory.tenant WHERE name = %s", (tenant,)).fetchone()
        assert row == (0,)  # nothing was written into tables that it does not know
        set_version(newer, KNOWN)  # as if it had been updated
        await until(lambda: is_shared(store), 60)
        await until(lambda: store.status().kept == "shared", 60)  # once the server has what was kept meanwhile
    finally:
        await store.close()


async def test_a_program_that_runs_when_the_tables_are_brought_forward_goes_on(walled: OwnServer, tmp_path: Path):
    """It looks at their version when it connects anew after the server was away, and not before each statement."""
    workspace = MemoryWorkspace(tmp_path)
    store = await open_shared(tmp_path, walled, uuid.uuid4().hex)
    try:
        await until(lambda: is_shared(store), 60)
        set_version(walled, KNOWN + 1)
        try:
            store.notify(workspace.note(Note("the garden gate is green"), "a1"))
            await store.flush()
            assert store.status().kept == "shared"
        finally:
            set_version(walled, KNOWN)
    finally:
        await store.close()


def test_nothing_is_made_of_newer_tables(newer: OwnServer):
    with connect(newer.dsn) as connection:
        with pytest.raises(StoreError, match=f"schema {KNOWN + 1}"):
            schema.prepare(connection, 4)
        with pytest.raises(StoreError, match=f"schema {KNOWN + 1}"):
            row_security.prepare(connection, "agents", partitions=4)
        assert schema.version_of(connection) == KNOWN + 1
