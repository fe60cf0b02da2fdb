"""A standby takes the server's place: what a machine has kept is on it in the end, once, whatever was confirmed."""

import uuid
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.core import Receipt
from nanobot_memory_plugins.core.files.record_ids import new_record_id
from nanobot_memory_plugins.core.host.shared_receipts import receipt_now
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.testing.workspace import TIME
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.store import SharedStore
from tests.postgres.neighbour import neighbour
from tests.postgres.opening import is_shared, open_shared, until
from tests.postgres.server_pair import administer, dsn_of_both, kill, primary_and_standby

pytestmark = pytest.mark.slow

EACH = 30


def records(server: OwnServer, tenant: str) -> list[str]:
    sql = (
        "SELECT r.id::text FROM nanobot_memory.record r JOIN nanobot_memory.tenant t USING (tenant) WHERE t.name = %s "
        "UNION ALL SELECT split_part(c.key, '#', 2) FROM nanobot_memory.chunk c JOIN nanobot_memory.tenant t "
        "USING (tenant) WHERE t.name = %s"
    )
    with psycopg.connect(server.dsn) as connection:
        try:
            return sorted(row[0] for row in connection.execute(sql.encode(), (tenant, tenant)))
        except psycopg.errors.UndefinedTable:  # a standby that has not come so far yet
            return []


class Told:
    """A machine that knows both servers, and what it was told."""

    def __init__(self, folder: Path) -> None:
        self.workspace = MemoryWorkspace(folder)
        self.ids: list[str] = []

    def tell(self, store: SharedStore) -> None:
        for _ in range(EACH):
            self.ids.append(new_record_id(TIME))
            store.notify(self.workspace.note(Note(f"remark {len(self.ids)} of many"), self.ids[-1]))

    @property
    def twice(self) -> list[str]:
        return sorted([*self.ids, *self.ids])


async def open_both(told: Told, primary: OwnServer, standby: OwnServer, tenant: str) -> SharedStore:
    store = await open_shared(told.workspace.path, None, tenant, dsn=dsn_of_both(primary, standby), machine="laptop")
    await until(lambda: is_shared(store))
    return store


async def after_the_failover(store: SharedStore, standby: OwnServer) -> None:
    while is_shared(store):
        await store.search(Query("remark"))
    administer(standby, "SELECT pg_promote(true, 60)")
    await until(lambda: is_shared(store), 60)
    await store.flush()


async def test_what_an_asynchronous_standby_lacks_is_sent_to_it(binaries: Path, short_folder: Path, tmp_path: Path):
    told, tenant = Told(tmp_path / "told"), uuid.uuid4().hex
    with primary_and_standby(short_folder) as (primary, standby):
        async with neighbour(
            primary,
            tmp_path / "other",
            "remark",
            machine="laptop",
            dsn=dsn_of_both(primary, standby),
            successor=standby,
        ):
            store = await open_both(told, primary, standby, tenant)
            try:
                told.tell(store)
                await store.flush()
                await until(lambda: records(standby, tenant) == told.twice)
                administer(standby, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
                await until(lambda: not has_receiver(standby))
                told.tell(store)
                await store.flush()
                receipt = Receipt(stored=True, id=told.ids[-1])
                assert (await receipt_now(store, receipt)).kept == "shared"  # as the server that is lost has said
                kill(primary)
                assert len(records(standby, tenant)) == 2 * EACH
                await after_the_failover(store, standby)
                # A connection to the lost server may still be tried first: then the sender comes a few seconds later.
                await until(lambda: records(standby, tenant) == told.twice, 60)
                assert (await receipt_now(store, receipt)).kept == "shared"
            finally:
                await store.close()


async def test_a_synchronous_standby_has_everything_that_was_said_to_be_shared(
    binaries: Path, short_folder: Path, tmp_path: Path
):
    told, tenant = Told(tmp_path / "told"), uuid.uuid4().hex
    with primary_and_standby(short_folder) as (primary, standby):
        administer(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        async with neighbour(
            primary,
            tmp_path / "other",
            "remark",
            machine="laptop",
            dsn=dsn_of_both(primary, standby),
            successor=standby,
        ):
            store = await open_both(told, primary, standby, tenant)
            try:
                told.tell(store)
                await store.flush()
                kill(primary)
                await until(lambda: records(standby, tenant) == told.twice)
                await after_the_failover(store, standby)
                told.tell(store)
                await store.flush()
                await until(lambda: records(standby, tenant) == told.twice, 60)
            finally:
                await store.close()


def has_receiver(server: OwnServer) -> bool:
    with psycopg.connect(server.administrator_dsn) as admin:
        return admin.execute("SELECT 1 FROM pg_stat_wal_receiver").fetchone() is not None
