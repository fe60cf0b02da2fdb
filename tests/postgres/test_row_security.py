"""Row-level security keeps tenants apart where a statement does not."""

import asyncio
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.testing import MemoryWorkspace, StoreContract
from nanobot_memory_plugins.core.values import Erasure, Note, Query, Tier
from nanobot_memory_plugins.postgres.database import row_security, schema
from nanobot_memory_plugins.postgres.database.connection import TENANT_SETTING, TenantConnection, connect
from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.bouncer import pooling
from tests.postgres.careless import Careless, careless, rows_of
from tests.postgres.opening import open_shared
from tests.support.indexed_workspace import HashEmbedder


@pytest.mark.parametrize("large_from", [1, 20_000], ids=["large", "small"])
class TestTheSharedStoreBehindTheWall(StoreContract):
    @pytest.fixture(autouse=True)
    def _server(self, walled: OwnServer, agents_dsn: str, large_from: int) -> None:
        self.server, self.dsn, self.tenant, self.large_from = walled, agents_dsn, uuid.uuid4().hex, large_from

    async def open(self, workspace: Path) -> Store:
        store = await open_shared(
            workspace, self.server, self.tenant, dsn=self.dsn, rls=True, large_from=self.large_from
        )
        assert "own index" not in store.status().reason
        return store


@pytest.fixture(scope="module")
def pooled_dsn(agents_dsn: str) -> Iterator[str]:
    """The way to it over PgBouncer in transaction mode: each transaction may meet another connection to the server."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        Path(folder).chmod(0o755)
        with pooling(agents_dsn, Path(folder) / "b", connections=2) as way:
            yield way


class TestThroughAPooler(StoreContract):
    @pytest.fixture(autouse=True)
    def _pooler(self, pooled_dsn: str) -> None:
        self.dsn = pooled_dsn

    async def open(self, workspace: Path) -> Store:
        tenant = str(workspace)  # a test opens its workspace more than once
        store = await open_shared(workspace, None, tenant, dsn=self.dsn, rls=True, pooler=True, large_from=1)
        end = time.monotonic() + 20
        while not store._server.up and time.monotonic() < end:
            await asyncio.sleep(0.02)
        assert "own index" not in store.status().reason
        return store


async def lived(server: OwnServer, workspace: MemoryWorkspace, tenant: str, **options: Any) -> list[Any]:
    """Do everything that a store does with a server, and return what came of it."""
    store = await open_shared(workspace.path, server, tenant, machine="laptop", lent=HashEmbedder(), **options)
    found: list[Any] = []
    try:
        await store.flush()
        await store.vectors_complete(lambda status, report: None)
        for query in (
            Query("which key opens the safe", limit=50),
            Query("which key opens the safe", limit=50, use_vectors=False),
            Query("safe", limit=50, tier=Tier.LIGHT),
            Query("", limit=50),
        ):
            hits = (await store.search(query)).hits
            found.append(sorted((hit.text, round(hit.score, 4)) for hit in hits))
            found.append(sorted([read.text for hit in hits if (read := await store.read(hit.id)) is not None]))
        workspace.path.joinpath("memory/2026-02-16.md").unlink()  # that day's notes are gone, and sent as gone
        workspace.note(Note("the key of the shed hangs behind the door"), "n9")
        store.notify(workspace.path / "memory" / "2026-02-16.md")
        await store.flush()
        found.append(await store.passages())
        found.append(await store.orders.give(Erasure(texts=("the key of the shed hangs behind the door",))))
        for number, _ in await store.orders.waiting():
            await store.orders.obeyed(number)
        found.append([finding.state for finding in await store.findings() if "machines" in finding.subject])
    finally:
        await store.close()
    return found


def told(path: Path, name: str) -> MemoryWorkspace:
    workspace = MemoryWorkspace(path)
    for number in range(12):
        workspace.note(Note(f"the safe of {name} opens with key {number}", tags=("safe",)), f"n{number}")
    return workspace


@pytest.mark.usefixtures("careless_driver")
@pytest.mark.parametrize("large_from", [1, 20_000], ids=["large", "small"])
async def test_it_holds_when_every_statement_forgets_its_tenant(
    walled: OwnServer, agents_dsn: str, tmp_path: Path, large_from: int
):
    options: dict[str, Any] = {"dsn": agents_dsn, "rls": True, "large_from": large_from}
    neighbour = uuid.uuid4().hex
    told(tmp_path / "bob", "bob")
    store = await open_shared(tmp_path / "bob", walled, neighbour, lent=HashEmbedder(), machine="laptop", **options)
    await store.flush()
    await store.vectors_complete(lambda status, report: None)
    await store.close()
    before = rows_of(walled, neighbour)
    Careless.seen.clear()
    assert len(before["chunk"]) == len(before["embedding"]) == 12
    careful = await lived(walled, told(tmp_path / "ana", "ana"), uuid.uuid4().hex, **options)
    assert "safe of ana opens" in str(careful)
    with careless():
        forgetful = await lived(walled, told(tmp_path / "ann", "ana"), uuid.uuid4().hex, **options)
    asked, forgot = set(Careless.seen), set(Careless.stripped)
    assert forgetful == careful
    assert rows_of(walled, neighbour) == before
    assert asked <= forgot  # of all that a store asks, nothing went out with its tenant
    assert len(forgot) > 25
    assert Careless.without == set()


@pytest.mark.usefixtures("careless_driver")
async def test_without_it_the_same_statements_reach_into_the_neighbours_rows(
    binaries: Path, short_folder: Path, tmp_path: Path
):
    """What the test above would miss if it took nothing out."""
    server, neighbour = OwnServer(short_folder / "s", safe=False), uuid.uuid4().hex
    with server.running():
        told(tmp_path / "bob", "bob")
        store = await open_shared(tmp_path / "bob", server, neighbour, lent=HashEmbedder(), machine="laptop")
        await store.flush()
        await store.close()
        before = rows_of(server, neighbour)
        ann = await open_shared(told(tmp_path / "ann", "ana").path, server, uuid.uuid4().hex, machine="laptop")
        try:
            await ann.flush()
            with careless():
                hits = (await ann.search(Query("which key opens the safe", limit=50))).hits
                await ann.orders.give(Erasure(texts=("the safe of bob opens with key 7",)))
        finally:
            await ann.close()
        assert any("safe of bob" in hit.text for hit in hits)
        assert rows_of(server, neighbour) != before


def test_a_role_sees_and_changes_the_rows_of_the_tenant_that_its_transaction_names(walled: OwnServer, agents_dsn: str):
    ana, bob = Tenant.named(uuid.uuid4().hex), Tenant.named(uuid.uuid4().hex)
    with psycopg.connect(walled.administrator_dsn, autocommit=True) as administrator:
        for tenant in (ana, bob):
            administrator.execute("INSERT INTO nanobot_memory.tenant (tenant, name) VALUES (%s, 'x')", [tenant.id])
    with connect(agents_dsn, tenant=ana.id) as connection:
        assert isinstance(connection, TenantConnection)
        with connection.transaction():
            assert connection.execute("SELECT tenant FROM nanobot_memory.tenant").fetchall() == [(ana.id,)]
            assert connection.execute("UPDATE nanobot_memory.tenant SET version = 7").rowcount == 1
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute("INSERT INTO nanobot_memory.tenant (tenant, name) VALUES (%s, 'y')", [uuid.uuid4()])
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute("UPDATE nanobot_memory.tenant SET tenant = %s", [bob.id])
        for statement in ("SELECT * FROM nanobot_memory.chunk_0", "DELETE FROM nanobot_memory.meta"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(statement.encode())
        assert connection.execute("SELECT count(*) FROM nanobot_memory.tenant").fetchone() == (0,)  # names none


def test_a_search_by_words_finds_nothing_of_a_stranger_whose_hashes_it_knows(walled: OwnServer, agents_dsn: str):
    ana, bob = Tenant.named(uuid.uuid4().hex), Tenant.named(uuid.uuid4().hex)
    assert ana.term("harbour") != bob.term("harbour")
    with psycopg.connect(walled.administrator_dsn, autocommit=True) as administrator:
        administrator.execute(
            b"INSERT INTO nanobot_memory.chunk SELECT (jsonb_populate_record(NULL::nanobot_memory.chunk, "
            b"jsonb_build_object('tenant', %(tenant)s::text, 'id', 1, 'version', 1, 'large', true, 'line', 1, "
            b"'offset', 0, 'ordinal', 0, 'traits', 0, 'bm25', '{1:1}/1000000000', 'embedding_hash', '', "
            b"'row_hash', '', 'tags', '[]', 'text', 'harbour') || (SELECT jsonb_object_agg(n, '') FROM unnest(ARRAY["
            b"'machine', 'key', 'path', 'source', 'content_hash', 'origin', 'agent', 'user', 'channel', 'session', "
            b"'group_chat', 'project', 'heading', 'tldr', 'speaker', 'body_terms', 'head_terms']) n) "
            b"|| jsonb_build_object('terms', jsonb_build_array(%(term)s::bigint)))).*",
            {"tenant": str(bob.id), "term": bob.term("harbour")},
        )
    sql = b"SELECT count(*) FROM nanobot_memory.words(%s::bigint[], '{1:1}/1000000000'::sparsevec)"
    for tenant, expected in ((ana, 0), (bob, 1)):
        with connect(agents_dsn, tenant=tenant.id) as connection, connection.transaction():
            assert connection.execute(sql, [[bob.term("harbour")]]).fetchone() == (expected,)
    with psycopg.connect(agents_dsn, autocommit=True) as nobody:
        assert nobody.execute(sql, [[bob.term("harbour")]]).fetchone() == (0,)
        nobody.execute(f"SELECT set_config('{TENANT_SETTING}', '', false)".encode())
        assert nobody.execute(sql, [[bob.term("harbour")]]).fetchone() == (0,)


def test_the_index_over_terms_is_used_behind_the_wall(walled: OwnServer):
    with psycopg.connect(walled.dsn) as owner, owner.transaction(force_rollback=True):
        owner.execute("SET LOCAL enable_seqscan = off")
        owner.execute(f"SELECT set_config('{TENANT_SETTING}', '{uuid.uuid4()}', true)".encode())
        owner.execute("ALTER TABLE nanobot_memory.chunk DROP CONSTRAINT chunk_pkey")
        owner.execute("DROP INDEX nanobot_memory.chunk_place, nanobot_memory.chunk_time")
        body = owner.execute("SELECT prosrc FROM pg_proc WHERE proname = 'words'").fetchone()
        assert body is not None
        statement = str(body[0]).replace("asked", "ARRAY[1]::bigint[]").replace("question", "'{1:1}/1000000000'")
        plan = "\n".join(row[0] for row in owner.execute(f"EXPLAIN {statement}".encode()))
    assert "terms_idx" in plan


async def test_a_role_that_owns_the_tables_is_refused(walled: OwnServer, tmp_path: Path):
    store = await open_shared(tmp_path, None, "nobody", dsn=walled.dsn, rls=True)
    try:
        status = store.status()
    finally:
        await store.close()
    assert "row-level security holds nothing" in status.reason
    assert "postgres prepare" in status.hint


def test_what_is_missing_is_named(server: OwnServer, walled: OwnServer, agents_dsn: str):
    with psycopg.connect(walled.administrator_dsn, autocommit=True) as administrator:
        administrator.execute("CREATE TABLE nanobot_memory.later (tenant uuid)")
        try:
            with connect(agents_dsn) as connection, pytest.raises(StoreError, match=r"not switched on for later"):
                row_security.check(connection)
        finally:
            administrator.execute("DROP TABLE nanobot_memory.later")
    with connect(agents_dsn) as connection:
        row_security.check(connection)
        with pytest.raises(StoreError, match="does not own the tables"):
            row_security.prepare(connection, "agents", partitions=4)
    with connect(server.dsn) as owner:
        schema.prepare(owner, 16)
        with pytest.raises(StoreError, match="no role who_is_this yet") as raised:
            row_security.prepare(owner, "who_is_this", partitions=16)
    assert "CREATE ROLE who_is_this" in raised.value.hint
