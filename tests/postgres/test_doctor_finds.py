"""What doctor finds wrong with a server: each on a real one that has it."""

import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from nanobot_memory_plugins.core import Finding, Health, StoreError
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.database import health, schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.server.binaries import find_binaries
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import open_shared, until
from tests.postgres.slow_way import slow_way

WHOSE = TenantOwner(Tenant.named("t"), "t", "m")


@pytest.fixture
def database(server: OwnServer) -> Iterator[str]:
    """A database of its own for a test, with the tables in it, for the administrator."""
    name = f"other_{uuid.uuid4().hex}"
    dsn = make_conninfo(server.administrator_dsn, dbname=name)
    with psycopg.connect(server.administrator_dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
        with connect(dsn) as connection:
            schema.prepare(connection, 1)
        yield dsn
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def told(dsn: str) -> dict[str, Finding]:
    with connect(dsn) as connection:
        return {
            finding.subject.removeprefix("shared memory: "): finding for finding in health.findings(connection, WHOSE)
        }


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ("15.18", "15.19"), ("15.19", ""), ("16.14", "16.15"), ("16.15", ""), ("17.10", "17.11"), ("17.11", ""),
        ("18.5", "18.6"), ("18.6", ""), ("19.0", ""),
    ],
)  # fmt: skip
def test_a_server_with_a_known_weakness_is_named(database: str, version: str, safe: str):
    with slow_way(database) as (way, dsn):
        way.version = version
        found = told(dsn)["server"]
    assert found.state.startswith(f"PostgreSQL {version}")
    assert ("CVE-2026-14662" in found.state) is bool(safe)
    assert found.health is (Health.DEGRADED if safe else Health.GOOD)
    assert (f"to {safe} or later" in found.hint) is bool(safe)


@pytest.mark.parametrize(
    ("version", "state", "how"),
    [
        ("0.7.4", "0.7.4 is vulnerable (CVE-2026-3172)", Health.BAD),
        ("0.8.1", "0.8.1 is vulnerable (CVE-2026-3172)", Health.BAD),
        ("0.8.2", "0.8.2 may fail to vacuum under load", Health.DEGRADED),
        ("0.8.3", "0.8.3 may fail to vacuum under load", Health.DEGRADED),
        ("0.8.4", "0.8.4", Health.GOOD),
        ("0.10.0", "0.10.0", Health.GOOD),
    ],
)
def test_a_pgvector_with_a_known_weakness_is_named(database: str, version: str, state: str, how: Health):
    with psycopg.connect(database) as admin:
        admin.execute("UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'", (version,))
    found = told(database)["pgvector"]
    assert (found.state, found.health) == (state, how)
    assert ("ALTER EXTENSION vector UPDATE" in found.hint) is (how is not Health.GOOD)


def test_a_database_that_cannot_hold_every_text_is_named(server: OwnServer, database: str):
    name = f"latin_{uuid.uuid4().hex}"
    dsn = make_conninfo(server.administrator_dsn, dbname=name)
    with psycopg.connect(server.administrator_dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'".encode())
        try:
            with connect(dsn) as connection:
                schema.prepare(connection, 1)
            found = told(dsn)["encoding"]
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
    assert found.state == "the database is LATIN1: some texts cannot be kept"
    assert found.health is Health.BAD
    assert "encoding" not in told(database)


def test_an_index_that_is_not_valid_is_named_until_it_is_built_anew(database: str):
    assert "indexes" not in told(database)
    with psycopg.connect(database, autocommit=True) as admin:
        for machine in ("laptop", "desktop"):
            admin.execute(
                "INSERT INTO nanobot_memory.machine (tenant, machine) VALUES (%s, %s)", (WHOSE.tenant.id, machine)
            )
        with pytest.raises(psycopg.errors.UniqueViolation):  # which leaves a half of it behind
            admin.execute("CREATE UNIQUE INDEX CONCURRENTLY broken ON nanobot_memory.machine (tenant)")
        found = told(database)["indexes"]
        assert (found.state, found.health) == ("not valid: broken", Health.DEGRADED)
        assert "REINDEX INDEX" in found.hint
        admin.execute("DELETE FROM nanobot_memory.machine WHERE machine = 'desktop'")
        admin.execute("REINDEX INDEX nanobot_memory.broken")
    assert "indexes" not in told(database)


@contextmanager
def listening(own: OwnServer) -> Iterator[str]:
    """Run a server that exists and is stopped on a port of this machine as well, and give the way over it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    binaries = own._own(find_binaries(None))
    settings = f"-k '{own._sockets}' -p {port} -c listen_addresses=127.0.0.1 -c fsync=off"
    own._run(binaries, "pg_ctl", "start", "-D", own._data, "-l", own._log, "-w", "-o", settings)
    try:
        yield make_conninfo(own.dsn, host="127.0.0.1", port=port)
    finally:
        own._run(binaries, "pg_ctl", "stop", "-D", own._data, "-m", "immediate", "-w")


def test_a_connection_over_a_network_that_is_not_encrypted_is_named(binaries: Path, short_folder: Path):
    own = OwnServer(short_folder / "s", safe=False)
    own.start()
    try:
        with connect(own.dsn) as connection:
            schema.prepare(connection, 1)
        assert "encryption" not in told(own.dsn)  # over a socket of this machine
    finally:
        own.stop()
    with listening(own) as dsn:
        found = told(dsn)["encryption"]
    assert (found.state, found.health) == ("the connection is not encrypted", Health.DEGRADED)
    assert "sslmode=verify-full" in found.hint


@pytest.fixture
def bare(server: OwnServer) -> Iterator[str]:
    """A database without anything in it."""
    name = f"bare_{uuid.uuid4().hex}"
    with psycopg.connect(server.administrator_dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
        yield make_conninfo(server.administrator_dsn, dbname=name)
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.parametrize(("version", "major"), [("14.23", 14), ("9.6.24", 9)])
async def test_a_server_that_is_too_old_is_refused_and_gets_no_tables(
    bare: str, tmp_path: Path, version: str, major: int
):
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), "a1")
    with slow_way(bare) as (way, dsn):
        way.version = version
        store = await open_shared(tmp_path, None, "t", dsn=dsn)
        try:
            await store.flush()
            await until(lambda: "needs" in store.status().reason)
            status, (finding,) = store.status(), await store.findings()
            hits = (await store.search(Query("garden gate"))).hits
        finally:
            await store.close()
    assert f"The server is PostgreSQL {major}; the shared memory needs 15 or later." in status.reason
    assert status.hint == "Update the server."
    assert (finding.health, "needs 15 or later" in finding.state) == (Health.DEGRADED, True)
    assert [hit.text for hit in hits] == ["the garden gate is green"]  # by this machine's own index
    with connect(bare) as connection:
        assert schema.version_of(connection) == 0


def test_the_oldest_that_is_enough_is_taken(bare: str):
    with slow_way(bare) as (way, dsn):
        way.version = "15.0"
        with connect(dsn) as connection:
            schema.prepare(connection, 1)
            assert schema.version_of(connection) == schema.SCHEMA_VERSION


@pytest.mark.parametrize(("version", "is_refused"), [("0.5.1", True), ("0.8.1", True), ("0.8.2", False)])
def test_a_pgvector_that_is_too_old_is_refused(bare: str, version: str, is_refused: bool):
    with psycopg.connect(bare) as admin:
        admin.execute("CREATE EXTENSION vector")
        admin.execute("UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'", (version,))
    with connect(bare) as connection:
        if is_refused:
            with pytest.raises(StoreError, match=rf"pgvector is {version}; versions before 0\.8\.2") as raised:
                schema.prepare(connection, 1)
            assert "ALTER EXTENSION vector UPDATE" in raised.value.hint
        else:
            schema.prepare(connection, 1)
        assert schema.version_of(connection) == (0 if is_refused else schema.SCHEMA_VERSION)


def test_a_server_without_pgvector_is_refused(bare: str):
    with psycopg.connect(bare, autocommit=True) as admin:
        if admin.info.server_version < 180_000:
            pytest.skip("only PostgreSQL 18 can be told to look for extensions elsewhere")
        name = admin.info.dbname
        admin.execute(f"ALTER DATABASE {name} SET extension_control_path = '/nowhere'".encode())
    with connect(bare) as connection:
        with pytest.raises(StoreError, match="The server has no pgvector") as raised:
            schema.prepare(connection, 1)
        assert schema.version_of(connection) == 0
    assert "CREATE EXTENSION vector" in raised.value.hint
