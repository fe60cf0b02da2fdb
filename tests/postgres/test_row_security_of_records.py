"""Row-level security keeps records, entries and work apart where a statement does not."""

import contextlib
import re
import uuid
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.postgres.database import entries, forgetting, leases, records, shelving
from nanobot_memory_plugins.postgres.database.connection import Connection, connect, plain_errors, run
from nanobot_memory_plugins.postgres.database.entries import EntryWrite
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.search.documents import FileRecord, FileState
from tests.postgres.careless import Careless, careless, rows_of

PATH = "memory/2026-02-16.md"
RECORDS = [f"01954f3e-8a2b-7c3d-9e4f-5a6b7c8d9e0{number}" for number in range(3)]
SAID, ENTRIES = b"the harbour is closed", ("e0", "e1", "e2")
BODY, OTHER = '{"text": "the garden gate is green"}', '{"text": "the boat is moored at pier nine"}'
# Every way in which a statement reaches rows that are there.
VERBS = {
    b"record": (b"FROM", b"DELETE FROM", b"UPDATE"),
    b"entry": (b"FROM", b"UPDATE"),
    b"entry_history": (b"FROM", b"DELETE FROM"),
    b"file": (b"DELETE FROM",),
}


def wrote(connection: Connection, whose: TenantOwner, version: int) -> list[Any]:
    """Do everything that is done with records, entries and work to be done once, and return what came of it."""
    with connection.transaction():
        forgetting.introduce(connection, whose)
    with connection.transaction():
        version += forgetting.alone(connection, whose)[0]
        records.put(connection, whose, PATH, [FileRecord(f"{PATH}#{one}", 0, SAID) for one in RECORDS], version)
        pushed = entries.push(
            connection, whose, [EntryWrite(id_, uuid.UUID(int=n), 0, BODY) for n, id_ in enumerate(ENTRIES)], version
        )
    found: list[Any] = [pushed, sorted(records.kept(connection, whose, RECORDS))]
    with connection.transaction():
        version += 1
        found.append(entries.push(connection, whose, [EntryWrite("e0", uuid.UUID(int=0), 1, OTHER)], version))
        records.remove(connection, whose, PATH, [f"{PATH}#{RECORDS[0]}"])
    found += [_pulled(connection, whose), sorted(records.kept(connection, whose, RECORDS))]
    with connection.transaction():
        found.append(records.forget(connection, whose, Wanted(("the harbour is closed",))))
        found.append(entries.forget(connection, whose, Wanted(("the garden gate is green",)), version + 1))
    found += [_pulled(connection, whose), leases.take(connection, whose, "nightly", 60)]
    state = FileState(PATH, 0, "", 1, 1, 1, 1)
    run(
        connection,
        'INSERT INTO nanobot_memory.file (tenant, machine, path, "offset", prefix_hash, size, mtime_ns, line, ordinal) '
        "VALUES (%s, %s, %s, 0, '', 1, 1, 1, 1)",
        (whose.tenant.id, whose.machine, PATH),
    )
    found.append(shelving.shelve(connection, whose, state, datetime(2026, 2, 16, tzinfo=UTC)))
    with connection.transaction():
        records.remove_file(connection, whose, PATH)
    return [*found, sorted(records.kept(connection, whose, RECORDS)), leases.take(connection, whose, "nightly", 0)]


def _pulled(connection: Connection, whose: TenantOwner) -> list[tuple[str, int, str, bool, str]]:
    rows = entries.pull(connection, whose, 0, "", {"e0": 1}).rows
    return sorted((row.id, row.revision, row.body, row.forgotten, row.base) for row in rows)


def lives_beside(dsn: str, server: OwnServer, *, walled: bool) -> tuple[bool, bool, set[bytes]]:
    """Let a tenant do everything beside another, with its tenant in its statements and without.

    Return whether both came to the same, whether the neighbour's rows are as before, and the statements.
    """
    ana, ann, bob = (TenantOwner(Tenant.named(name), name, "laptop") for name in (uuid.uuid4().hex for _ in range(3)))
    made: list[Any] = []
    with connect(dsn, tenant=bob.tenant.id if walled else None) as connection:
        wrote(connection, bob, 0)
        with connection.transaction():  # what he has in the end is what the others have on their way
            records.put(connection, bob, PATH, [FileRecord(f"{PATH}#{one}", 0, SAID) for one in RECORDS], 9)
            entries.push(connection, bob, [EntryWrite("e9", uuid.UUID(int=9), 0, BODY)], 9)
        leases.take(connection, bob, "nightly", 600)
    before = rows_of(server, bob.name)
    assert all(before[name] for name in ("record", "entry", "entry_history", "lease"))
    Careless.seen.clear()
    for whose, how in ((ana, contextlib.nullcontext()), (ann, careless())):
        with connect(dsn, tenant=whose.tenant.id if walled else None) as connection, how:
            try:
                made.append(wrote(connection, whose, 0))
            except psycopg.Error as error:
                made.append(error)
    assert isinstance(made[0], list)
    return made[0] == made[1], rows_of(server, bob.name) == before, set(Careless.seen) - set(Careless.stripped)


@pytest.mark.usefixtures("careless_driver")
def test_it_holds_for_records_and_entries_when_every_statement_forgets_its_tenant(walled: OwnServer, agents_dsn: str):
    same, untouched, careful = lives_beside(agents_dsn, walled, walled=True)
    assert (same, untouched, careful, Careless.without) == (True, True, set(), set())
    for name, verbs in VERBS.items():
        for verb in verbs:
            assert any(re.search(rb"%s nanobot_memory\.%s " % (verb, name), one) for one in Careless.stripped), name


@pytest.mark.parametrize("name", ["record", "entry", "entry_history", "lease"])
def test_no_row_is_written_or_taken_over_in_the_name_of_a_neighbour(walled: OwnServer, agents_dsn: str, name: str):
    """What has no condition to forget says in its values whose the row is: a wrong one is refused."""
    ana, bob = (TenantOwner(Tenant.named(name), name, "laptop") for name in (uuid.uuid4().hex, uuid.uuid4().hex))

    def write(connection: Connection, whose: TenantOwner) -> None:
        with plain_errors(), connection.transaction():
            if name == "record":
                records.put(connection, whose, PATH, [FileRecord(f"{PATH}#{RECORDS[0]}", 0, SAID)], 1)
            elif name == "entry":
                entries.push(connection, whose, [EntryWrite("e0", uuid.UUID(int=0), 0, BODY)], 1)
            elif name == "entry_history":
                run(
                    connection,
                    "INSERT INTO nanobot_memory.entry_history (tenant, id, revision, body) VALUES (%s, 'e0', 1, 'x')",
                    (whose.tenant.id,),
                )
            else:
                leases.take(connection, whose, "nightly", 60)

    with connect(agents_dsn, tenant=ana.tenant.id) as connection:
        with pytest.raises(StoreError, match="InsufficientPrivilege"):
            write(connection, bob)
        assert rows_of(walled, bob.name)[name] == []
        write(connection, ana)
        assert rows_of(walled, ana.name)[name] != []
    with connect(agents_dsn, tenant=bob.tenant.id) as connection:
        write(connection, bob)
    before = rows_of(walled, bob.name)
    with connect(agents_dsn, tenant=ana.tenant.id) as connection, pytest.raises(StoreError):
        write(connection, bob)  # over a row that is there
    assert rows_of(walled, bob.name) == before
