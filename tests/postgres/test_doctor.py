"""What doctor says of the shared memory."""

import uuid
from pathlib import Path

from nanobot_memory_plugins.core import Health
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note
from nanobot_memory_plugins.postgres.database import health
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import open_shared


async def test_it_names_versions_durability_and_machines(server: OwnServer, tmp_path: Path):
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), "a1")
    store = await open_shared(tmp_path, server, "our team", machine=f"m{uuid.uuid4().hex[:6]}")
    try:
        await store.flush()
        found = {finding.subject: finding for finding in await store.findings()}
    finally:
        await store.close()
    assert found["shared memory"].state.startswith("what this machine keeps is kept for everybody of our team")
    assert "PostgreSQL" in found["shared memory: server"].state
    assert f"{store.machine} (this one)" in found["shared memory: machines"].state
    # The tests' server is a fast one, which a loss of power may harm.
    assert found["shared memory: durability"].health is Health.BAD
    assert "shared memory: rights" not in found


async def test_it_says_that_the_server_is_away(tmp_path: Path):
    store = await open_shared(tmp_path, None, "nobody")
    try:
        (finding,) = await store.findings()
    finally:
        await store.close()
    assert finding.health is Health.DEGRADED
    assert finding.state.startswith("away: ")
    assert finding.hint


def test_a_role_that_may_do_anything_is_named(server: OwnServer):
    whose = TenantOwner(Tenant.named("t"), "t", "m")
    for dsn, is_named in ((server.administrator_dsn, True), (server.dsn, False)):
        with connect(dsn) as connection:
            subjects = {finding.subject for finding in health.findings(connection, whose)}
        assert ("shared memory: rights" in subjects) is is_named


def test_row_level_security_is_named_where_it_holds(walled: OwnServer, agents_dsn: str):
    whose = TenantOwner(Tenant.named("t"), "t", "m")
    for dsn, tenant in ((agents_dsn, whose.tenant.id), (walled.dsn, None)):
        with connect(dsn, tenant=tenant) as connection:
            found = {finding.subject: finding.state for finding in health.findings(connection, whose)}
        assert ("holds this role" in found.get("shared memory: tenants", "")) is (tenant is not None)
