"""Tables of an earlier version are brought forward by whoever comes first, with what machines have on them."""

import uuid
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import open_shared
from tests.postgres.test_forgetting import asked

# How the tables of the version before are made of those of each.
TAKEN_BACK = {
    3: "ALTER TABLE {0}.machine DROP COLUMN mark; ALTER TABLE {0}.erasure DROP COLUMN chunks, DROP COLUMN records,"
    " DROP COLUMN entries, DROP COLUMN histories",
    2: "DROP TABLE {0}.record, {0}.entry, {0}.entry_history, {0}.lease",
}


def columns(server: OwnServer) -> set[tuple[str, str, str]]:
    """Return every column of the tables, with its type."""
    with psycopg.connect(server.dsn) as connection:
        found = connection.execute(
            "SELECT table_name, column_name, udt_name FROM information_schema.columns WHERE table_schema = %s",
            (schema.SCHEMA_NAME,),
        )
        return set(found.fetchall())


@pytest.mark.parametrize("version", range(1, schema.SCHEMA_VERSION))
async def test_earlier_tables_are_brought_forward_and_nothing_is_lost(server: OwnServer, tmp_path: Path, version: int):
    tenant = uuid.uuid4().hex
    workspace = MemoryWorkspace(tmp_path / "old")
    workspace.note(Note("the boat is moored at pier nine"), "01954f3e-8a2b-7c3d-9e4f-5a6b7c8d9e0f")
    store = await open_shared(workspace.path, server, tenant, machine="old")
    await store.flush()
    await store.close()
    today = columns(server)
    with psycopg.connect(server.dsn) as connection:
        for number in range(schema.SCHEMA_VERSION, version, -1):
            connection.execute(TAKEN_BACK[number].format(schema.SCHEMA_NAME).encode())
        connection.execute(
            f"UPDATE {schema.SCHEMA_NAME}.meta SET value = %s WHERE key = 'schema'".encode(), (str(version),)
        )
    assert columns(server) < today
    other = MemoryWorkspace(tmp_path / "new")
    other.note(Note("the garden gate is green"), "01954f3e-8a2b-7c3d-9e4f-5a6b7c8d9e10")
    first = await open_shared(other.path, server, tenant, machine="new")
    try:
        await first.flush()
        assert columns(server) == today
        with connect(server.dsn) as connection:
            assert schema.version_of(connection) == schema.SCHEMA_VERSION
        found = {hit.text for query in ("boat pier", "garden gate") for hit in (await first.search(Query(query))).hits}
        assert found == {"the boat is moored at pier nine", "the garden gate is green"}
    finally:
        await first.close()
    again = await open_shared(workspace.path, server, tenant, machine="old")
    await again.flush()
    await again.close()
    paths = {machine for (machine,) in asked(server, tenant, "e.machine", "record e")}
    assert paths == {"old", "new"}  # what was sent before there were records is sent once more
