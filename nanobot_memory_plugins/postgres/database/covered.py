"""What an order to forget has taken off the server, by ids alone: so that it does not come back with a backup.

The order keeps them, and so does each machine that has carried it out (`postgres.tombstones`). A server that has gone
back to a moment before the order gets it again, without its words, from whichever of them comes first.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.postgres.database import passages
from nanobot_memory_plugins.postgres.database.connection import Connection, run, table
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import entry_of, of_entry, of_tenant


@dataclass(frozen=True, slots=True)
class Covered:
    """The ids of passages, records and entries that went, and of entries of which an earlier text went."""

    chunks: tuple[int, ...] = ()
    records: tuple[uuid.UUID, ...] = ()
    entries: tuple[str, ...] = ()
    histories: tuple[str, ...] = ()

    @classmethod
    def read(cls, values: Mapping[str, Sequence[Any]]) -> "Covered":
        """Return what `written` gave. Raises `KeyError`, `TypeError` and `ValueError`."""
        return cls(
            tuple(map(int, values["chunks"])),
            tuple(uuid.UUID(one) for one in values["records"]),
            tuple(map(str, values["entries"])),
            tuple(map(str, values["histories"])),
        )

    @property
    def written(self) -> dict[str, list[Any]]:
        """The same as JSON values."""
        return {
            "chunks": list(self.chunks), "records": [str(one) for one in self.records],
            "entries": list(self.entries), "histories": list(self.histories),
        }  # fmt: skip


def write_down(connection: Connection, whose: TenantOwner, number: uuid.UUID, covered: Covered) -> None:
    """Keep beside an order what it has taken away, in the transaction that does so."""
    run(
        connection,
        f"UPDATE {table('erasure')} o SET chunks = %s, records = %s, entries = %s, histories = %s "
        f"WHERE {of_tenant(whose.tenant, 'o')} AND o.id = %s",
        (*map(list, (covered.chunks, covered.records, covered.entries, covered.histories)), number),
    )


def carried_out(connection: Connection, whose: TenantOwner) -> dict[uuid.UUID, bool]:
    """Return the orders whose ids are on the server, and whether this machine has carried each out."""
    found = run(
        connection,
        f"SELECT o.id, EXISTS (SELECT 1 FROM {table('erased')} d WHERE {of_tenant(whose.tenant, 'd')} AND d.id = o.id "
        f"AND d.machine = %s) FROM {table('erasure')} o WHERE {of_tenant(whose.tenant, 'o')} AND o.chunks IS NOT NULL",
        (whose.machine,),
    )
    return {row[0]: bool(row[1]) for row in found}


def of_orders(connection: Connection, whose: TenantOwner, numbers: Sequence[uuid.UUID]) -> dict[uuid.UUID, Covered]:
    """Return what some orders have taken away."""
    found = run(
        connection,
        f"SELECT o.id, o.chunks, o.records, o.entries, o.histories FROM {table('erasure')} o "
        f"WHERE {of_tenant(whose.tenant, 'o')} AND o.id = ANY(%s) AND o.chunks IS NOT NULL",
        (list(numbers),),
    )
    return {number: Covered(*(tuple(one or ()) for one in ids)) for number, *ids in found}


def take_off(connection: Connection, whose: TenantOwner, covered: Covered, version: int, *, large: bool) -> int:
    """Take off the server what an order has taken off before; return how many passages there were. In a transaction.

    What else stood in the files of these passages is sent once more by their machines: one of them may have come first.
    """
    mine = of_tenant(whose.tenant, "c")
    copies = run(
        connection,  # of an entry, in the files of machines that have sent them since
        f"SELECT c.id FROM {table('chunk')} c WHERE {mine} AND {of_entry()} AND {entry_of()} = ANY(%s)",
        (list(covered.entries),),
    )
    ids = sorted({*covered.chunks, *(int(row[0]) for row in copies)})
    files = f"SELECT c.machine, c.path FROM {table('chunk')} c WHERE {mine} AND c.id = ANY(%(ids)s)"
    run(
        connection,
        f"UPDATE {table('machine')} m SET revision = m.revision + 1 WHERE {of_tenant(whose.tenant, 'm')} "
        f"AND m.machine IN (SELECT t.machine FROM ({files}) t)",
        {"ids": ids},
    )
    run(
        connection,
        f"DELETE FROM {table('file')} f WHERE {of_tenant(whose.tenant, 'f')} AND (f.machine, f.path) IN ({files})",
        {"ids": ids},
    )
    gone = passages.delete(connection, whose.tenant, ids, large=large)
    run(
        connection,
        f"UPDATE {table('tenant')} t SET documents = t.documents - %s WHERE {of_tenant(whose.tenant, 't')}",
        (gone,),
    )
    run(
        connection,
        f"UPDATE {table('record')} r SET body = NULL WHERE {of_tenant(whose.tenant, 'r')} AND r.id = ANY(%s)",
        (list(covered.records),),
    )
    run(
        connection,
        f"UPDATE {table('entry')} e SET body = NULL, forgotten = true, revision = e.revision + 1, version = %s, "
        f"machine = %s, changed_at = clock_timestamp() WHERE {of_tenant(whose.tenant, 'e')} AND e.id = ANY(%s) "
        "AND NOT e.forgotten",
        (version, whose.machine, list(covered.entries)),
    )
    run(
        connection,
        f"DELETE FROM {table('entry_history')} h WHERE {of_tenant(whose.tenant, 'h')} AND h.id = ANY(%s)",
        ([*covered.entries, *covered.histories],),
    )
    return gone
