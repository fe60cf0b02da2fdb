"""A server that the variables of PostgreSQL name is used where the store is switched on, and not otherwise."""

import asyncio
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from nanobot_memory_plugins.core import MemoryHost, Receipt
from nanobot_memory_plugins.core.config import config_from_mapping
from nanobot_memory_plugins.core.host.shared_receipts import receipt_now
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.store import SharedStore
from tests.postgres.test_forgetting import asked

VARIABLES = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGDATABASE", "PGSERVICE", "PGSERVICEFILE", "PGPASSFILE")

# Seconds: a machine that does much else takes its time to make the tables.
PATIENCE = 60


@pytest.fixture(autouse=True)
def _none_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def locked(server: OwnServer) -> Iterator[OwnServer]:
    """A server that asks for a password."""
    with psycopg.connect(server.administrator_dsn, autocommit=True) as admin:
        admin.execute("CREATE ROLE guest LOGIN PASSWORD 'quiet:harbor' IN ROLE memory")
        rules = Path(str(admin.execute("SHOW hba_file").fetchone()[0]))
        before = rules.read_text(encoding="utf-8")
        rules.write_text(f"local all guest scram-sha-256\n{before}", encoding="utf-8")
        admin.execute("SELECT pg_reload_conf()")
        yield server
        rules.write_text(before, encoding="utf-8")
        admin.execute("SELECT pg_reload_conf()")


async def kept(folder: Path, tenant: str, *, reaches: bool = True, **options: Any) -> tuple[bool, Receipt]:
    """Keep something; return whether the store is a shared one, and what became of it."""
    config, problems = config_from_mapping(
        {
            "memoryPlugins": {
                "storage": {"embeddingProvider": "none"},
                "postgres": {"tenant": tenant, "searchSeconds": 10, **options},
            }
        }
    )
    assert not problems
    async with MemoryHost(folder, config=config) as memory:
        store = memory.store
        end = time.monotonic() + (PATIENCE if reaches else 0)
        while time.monotonic() < end and isinstance(store, SharedStore) and not store._server.up:
            await asyncio.sleep(0.02)
        receipt = await memory.message_sent(session_key="cli:direct", text="The harbour is closed on Monday.")
        await memory.flush_index()
        return isinstance(store, SharedStore), await receipt_now(store, receipt)


def name_it(monkeypatch: pytest.MonkeyPatch, server: OwnServer) -> None:
    given = conninfo_to_dict(server.dsn)
    for name, key in (("PGHOST", "host"), ("PGUSER", "user"), ("PGDATABASE", "dbname")):
        monkeypatch.setenv(name, str(given[key]))


@pytest.mark.parametrize("dsn", ["", "postgresql://"], ids=["none", "an empty one"])
async def test_it_is_switched_on_by_a_word_and_reached_by_variables(
    server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dsn: str
):
    name_it(monkeypatch, server)
    tenant = uuid.uuid4().hex
    is_shared, receipt = await kept(tmp_path, tenant, enabled=True, dsn=dsn)
    assert (is_shared, receipt.kept) == (True, "shared")
    assert len(asked(server, tenant, "e.id", "record e")) == 1


async def test_a_service_file_and_a_password_file_say_everything(
    locked: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    service, passwords = tmp_path / "services", tmp_path / "passwords"
    given = conninfo_to_dict(locked.dsn)
    service.write_text(f"[notes]\nhost={given['host']}\ndbname={given['dbname']}\nuser=guest\n", encoding="utf-8")
    passwords.write_text("*:*:*:guest:quiet\\:harbor\n", encoding="utf-8")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGSERVICE", "notes")
    monkeypatch.setenv("PGSERVICEFILE", str(service))
    tenant = uuid.uuid4().hex
    without = await kept(tmp_path / "without", tenant, reaches=False, enabled=True)
    assert (without[0], without[1].kept) == (True, "local")  # it asks for a password
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    is_shared, receipt = await kept(tmp_path / "with", tenant, enabled=True)
    assert (is_shared, receipt.kept) == (True, "shared")
    named = await kept(tmp_path / "named", tenant, dsn="service=notes")
    assert (named[0], named[1].kept) == (True, "shared")


async def test_variables_of_another_program_share_nothing(
    server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name_it(monkeypatch, server)
    tenant = uuid.uuid4().hex
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)
    is_shared, receipt = await kept(tmp_path, tenant)
    assert (is_shared, receipt.kept) == (False, "local")
    assert asked(server, tenant, "e.id", "record e") == []


def test_a_dsn_stays_as_it_was_given(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PGHOST", "db.example.com")
    options = PostgresOptions.model_validate({"enabled": True, "dsn": "host=other"})
    assert options.dsn.get_secret_value() == "host=other"
    assert "dsn" not in PostgresOptions(enabled=True).model_fields_set
