"""What is to be forgotten on every machine: an order on the server, until each machine has carried it out.

An order holds the words, since each machine looks for them in its own files. They leave its row with the last machine
that has done it. A machine that has not done it sends nothing meanwhile (`Shipment`), and so brings nothing back.
"""

import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence

from psycopg import Cursor
from psycopg.rows import TupleRow

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres.database import covered, entries, passages, records
from nanobot_memory_plugins.postgres.database.connection import (
    Connection,
    bounded_transaction,
    plain_errors,
    run,
    table,
)
from nanobot_memory_plugins.postgres.database.covered import Covered
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import clean, entry_of, of_tenant

_NONE = Covered()
# Passages that are looked at in one piece.
_AT_ONCE = 500


def held(connection: Connection, whose: TenantOwner, wanted: Wanted) -> dict[str, list[int]]:
    """Return the ids of the passages that hold what is wanted, by machine. Raises `StoreError`."""
    found: dict[str, list[int]] = {}
    sql = (
        f"SELECT c.id, c.machine, c.text, c.tldr, c.heading, c.tags FROM {table('chunk')} c "
        f"WHERE {of_tenant(whose.tenant, 'c')}"
    )
    with plain_errors(), connection.transaction(), connection.cursor(f"held_{uuid.uuid4().hex}") as cursor:
        cursor.itersize = _AT_ONCE
        for number, machine, *texts, tags in cursor.execute(sql.encode()):
            if wanted.count("\n".join((*texts, " ".join(json.loads(tags))))):
                found.setdefault(machine, []).append(int(number))
    return found


def covered_by(connection: Connection, whose: TenantOwner, ids: Sequence[int]) -> Covered:
    """Return some passages of this machine with the records that they were made of."""
    sql = f"SELECT c.key FROM {table('chunk')} c WHERE {of_tenant(whose.tenant, 'c')} AND c.id = ANY(%s)"
    with plain_errors():
        found = {records.record_id(str(row[0])) for row in run(connection, sql, (list(ids),))}
    return Covered(tuple(ids), tuple(sorted(one for one in found if one is not None)))


def order(connection: Connection, whose: TenantOwner, erasure: Erasure, also: Covered = _NONE) -> dict[str, int]:
    """Have every machine forget something, and take it out of what is shared.

    ``also`` are passages and records of this machine that held it until now, and are clean there already. Returns how
    many passages went, by machine. What is sent meanwhile waits until its machine has forgotten it as well.
    Raises `StoreError`.
    """
    body = {
        "texts": [clean(text) for text in erasure.texts],
        "words": [clean(word) for word in erasure.words],
        "nearly": erasure.nearly,
        "everywhere": erasure.everywhere,
    }
    number = uuid.uuid4()
    with plain_errors(), bounded_transaction(connection):
        alone(connection, whose)
        run(
            connection,
            f"INSERT INTO {table('erasure')} (tenant, id, machine, body) VALUES (%s, %s, %s, %s::jsonb)",
            (whose.tenant.id, number, whose.machine, json.dumps(body)),
        )
        _say_done(connection, whose, number)
    wanted = Wanted(erasure.texts, words=erasure.words, nearly=erasure.nearly)
    gone = held(connection, whose, wanted)
    with plain_errors(), bounded_transaction(connection):
        version, large = alone(connection, whose)
        ids = sorted(one for numbers in gone.values() for one in numbers)
        removed = passages.delete(connection, whose.tenant, ids, large=large)
        run(
            connection,
            f"UPDATE {table('tenant')} t SET documents = t.documents - %s WHERE {of_tenant(whose.tenant, 't')}",
            (removed,),
        )
        emptied = records.forget(connection, whose, wanted)
        went, histories = entries.forget(connection, whose, wanted, version)
        what = Covered(tuple(sorted({*ids, *also.chunks})), tuple(sorted({*emptied, *also.records})), went, histories)
        covered.write_down(connection, whose, number, what)
    return dict(Counter({machine: len(numbers) for machine, numbers in gone.items()}))


def order_again(connection: Connection, whose: TenantOwner, number: uuid.UUID, what: Covered) -> None:
    """Give a server that lost it an order that was carried out here, without its words. Raises `StoreError`."""
    with plain_errors(), bounded_transaction(connection):
        introduce(connection, whose)
        version, large = alone(connection, whose)
        run(
            connection,
            f"INSERT INTO {table('erasure')} (tenant, id, machine, body) VALUES (%s, %s, %s, NULL) "
            "ON CONFLICT DO NOTHING",
            (whose.tenant.id, number, whose.machine),
        )
        covered.take_off(connection, whose, what, version, large=large)
        covered.write_down(connection, whose, number, what)
        _say_done(connection, whose, number)


def orders(connection: Connection, whose: TenantOwner) -> list[tuple[uuid.UUID, Erasure]]:
    """Return what this machine has still to forget, the oldest first. Raises `StoreError`."""
    with plain_errors():
        found = run(
            connection,
            f"SELECT o.id, o.body FROM {table('erasure')} o WHERE {_open(whose)} ORDER BY o.made_at, o.id",
            {"machine": whose.machine},
        ).fetchall()
    return [
        (
            number,
            Erasure(
                texts=tuple(body["texts"]),
                words=tuple(body["words"]),
                nearly=bool(body["nearly"]),
                everywhere=bool(body["everywhere"]),
            ),
        )
        for number, body in found
    ]


def obeyed(connection: Connection, whose: TenantOwner, number: uuid.UUID) -> None:
    """Say that this machine has forgotten something; the last one takes the words out of the order."""
    with plain_errors(), bounded_transaction(connection):
        alone(connection, whose)
        _say_done(connection, whose, number)


def introduce(connection: Connection, whose: TenantOwner) -> None:
    """Make a tenant and a machine known, where they are not."""
    run(
        connection,
        f"INSERT INTO {table('tenant')} (tenant, name) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (whose.tenant.id, clean(whose.name)),
    )
    run(
        connection,
        f"INSERT INTO {table('machine')} (tenant, machine) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (whose.tenant.id, whose.machine),
    )


def has_orders(connection: Connection, whose: TenantOwner) -> bool:
    """Tell whether this machine has something to forget before it may send anything."""
    sql = f"SELECT 1 FROM {table('erasure')} o WHERE {_open(whose)}"
    return run(connection, sql, {"machine": whose.machine}).fetchone() is not None


def begin_sending(
    connection: Connection,
    whose: TenantOwner,
    chunks: Sequence[int],
    records_: Sequence[uuid.UUID],
    copies: Mapping[int, str],
) -> Cursor[TupleRow]:
    """Say that this machine sends, in the caller's transaction; return what it has to forget first.

    ``copies`` are those of the passages that are of entries, with their keys: an entry that was forgotten may stand in
    this machine's file still, which has not been exchanged yet. `refused_of` looks at that, later in a pipeline.
    """
    forgotten = (
        "UNION ALL SELECT false, array_agg(c.id), '{}' FROM unnest(%(ids)s::bigint[], %(keys)s::text[]) AS c(id, key) "
        f"JOIN {table('entry')} e ON {of_tenant(whose.tenant, 'e')} AND e.id = {entry_of('c')} WHERE e.forgotten"
    )
    sql = (
        f"WITH sending AS (UPDATE {table('machine')} m SET revision = revision + 1, sent_at = now() "
        f"WHERE {of_tenant(whose.tenant, 'm')} AND m.machine = %(machine)s) "
        "SELECT o.body IS NOT NULL, ARRAY(SELECT unnest(o.chunks) INTERSECT SELECT unnest(%(chunks)s::bigint[])), "
        "ARRAY(SELECT unnest(o.records) INTERSECT SELECT unnest(%(records)s::uuid[])) "
        f"FROM {table('erasure')} o WHERE {_undone(whose)} {forgotten if copies else ''}"
    )
    values = {"machine": whose.machine, "chunks": list(chunks), "records": list(records_)}
    return run(connection, sql, {**values, "ids": list(copies), "keys": list(copies.values())})


def refused_of(orders: Cursor[TupleRow]) -> set[int | uuid.UUID]:
    """Return what of a machine is not to be sent: it was forgotten elsewhere, and the words are known nowhere any more.

    Raises `StoreError` while this machine has to forget something before it sends.
    """
    found = orders.fetchall()
    if any(is_open for is_open, *_ in found):
        raise StoreError(
            "Something was forgotten on another machine: this one forgets it first, then sends what is new.",
            hint="Start the agent on this machine, or run `nanobot-memory purge` for anything on it.",
        )
    return {one for _, *ids in found for some in ids for one in some or ()}


def _undone(whose: TenantOwner) -> str:
    return (
        f"{of_tenant(whose.tenant, 'o')} AND NOT EXISTS "
        f"(SELECT 1 FROM {table('erased')} d WHERE {of_tenant(whose.tenant, 'd')} AND d.id = o.id "
        "AND d.machine = %(machine)s)"
    )


def _open(whose: TenantOwner) -> str:
    return f"{_undone(whose)} AND o.body IS NOT NULL"


def alone(connection: Connection, whose: TenantOwner) -> tuple[int, bool]:
    """Wait for whoever writes of this tenant, and keep others waiting, in the caller's transaction.

    Returns the version of what is written, and whether the tenant is large.
    """
    row = run(
        connection,
        f"UPDATE {table('tenant')} t SET version = t.version + 1 WHERE {of_tenant(whose.tenant, 't')} "
        "RETURNING t.version, t.large",
    ).fetchone()
    return (int(row[0]), bool(row[1])) if row else (0, False)


def _say_done(connection: Connection, whose: TenantOwner, number: uuid.UUID) -> None:
    run(
        connection,
        f"INSERT INTO {table('erased')} (tenant, id, machine) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (whose.tenant.id, number, whose.machine),
    )
    run(
        connection,
        f"UPDATE {table('erasure')} o SET body = NULL WHERE {of_tenant(whose.tenant, 'o')} AND o.id = %s "
        f"AND NOT EXISTS (SELECT 1 FROM {table('machine')} m WHERE {of_tenant(whose.tenant, 'm')} AND NOT EXISTS "
        f"(SELECT 1 FROM {table('erased')} d WHERE {of_tenant(whose.tenant, 'd')} AND d.id = o.id "
        "AND d.machine = m.machine))",
        (number,),
    )
