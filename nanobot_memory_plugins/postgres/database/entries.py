"""The scored entries of a tenant: a row each, changed by whoever knows its revision."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.postgres.database.connection import Connection, run, table
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import clean, of_tenant


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry as the server has it. ``body`` is empty where it was taken out.

    ``base`` is what it was at the revision that was asked for, or when it was there last; empty: that is not known.
    """

    id: str
    number: uuid.UUID
    revision: int
    body: str
    forgotten: bool
    base: str = ""


@dataclass(frozen=True, slots=True)
class Pulled:
    """Entries that were changed before ``cursor``, or all of them where the server is not what it was.

    ``mark`` is what tells the server from one that has lost them.
    """

    rows: tuple[EntryRow, ...]
    cursor: int
    mark: str = ""
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class EntryWrite:
    """A change of one entry: ``revision`` is the one that it was made of, 0 for a new one; no ``body``: it is gone.

    ``at`` is the revision that a new one gets: one that the server has lost goes on from where it was.
    """

    id: str
    number: uuid.UUID
    revision: int
    body: str
    at: int = 1


def pull(
    connection: Connection, whose: TenantOwner, cursor: int, mark: str, known: Mapping[str, int], *, whole: bool = False
) -> Pulled:
    """Return what was changed after a cursor; ``known`` are the revisions of entries that were seen before.

    What was seen with ``mark`` is on the server if the mark is: this machine writes one with each look that finds
    something, and with each change of its own. A server that has another one has lost something, in a failover or by a
    backup that was restored, whatever was written to it since. Then, or with ``whole``, everything is returned. In the
    caller's transaction.
    """
    run(connection, f"SELECT 1 FROM {table('tenant')} t WHERE {of_tenant(whose.tenant, 't')} FOR UPDATE")
    is_whole = whole or not has_mark(connection, whose, mark)
    rows, reached = _changed(connection, whose, 0 if is_whole else cursor, known)
    return Pulled(rows, reached, make_mark(connection, whose), is_whole)


def has_mark(connection: Connection, whose: TenantOwner, mark: str) -> bool:
    """Tell whether the server has what this machine wrote or learned last."""
    row = run(
        connection,
        f"SELECT m.mark FROM {table('machine')} m WHERE {of_tenant(whose.tenant, 'm')} AND m.machine = %s",
        (whose.machine,),
    ).fetchone()
    return row is not None and row[0] is not None and row[0].hex == mark


def make_mark(connection: Connection, whose: TenantOwner) -> str:
    """Write a new mark, in the transaction that reads or writes what it stands for."""
    mark = uuid.uuid4()
    run(
        connection,
        f"UPDATE {table('machine')} m SET mark = %s WHERE {of_tenant(whose.tenant, 'm')} AND m.machine = %s",
        (mark, whose.machine),
    )
    return mark.hex


def is_as_before(connection: Connection, whose: TenantOwner, cursor: int, mark: str) -> bool:
    """Tell whether nothing was changed after a cursor, and the server has what was seen with a mark."""
    row = run(
        connection,
        f"SELECT m.mark, EXISTS (SELECT 1 FROM {table('entry')} e WHERE {of_tenant(whose.tenant, 'e')} "
        f"AND e.version > %s) FROM {table('machine')} m WHERE {of_tenant(whose.tenant, 'm')} AND m.machine = %s",
        (cursor, whose.machine),
    ).fetchone()
    return row is not None and row[0] is not None and row[0].hex == mark and not row[1]


def _changed(
    connection: Connection, whose: TenantOwner, cursor: int, known: Mapping[str, int]
) -> tuple[tuple[EntryRow, ...], int]:
    """Return what was changed after a cursor, and the next cursor."""
    found = run(
        connection,
        f"SELECT e.id, e.number, e.revision, e.version, e.body, e.forgotten, (SELECT h.body FROM "
        f"{table('entry_history')} h WHERE {of_tenant(whose.tenant, 'h')} AND h.id = e.id AND h.body IS NOT NULL "
        "AND h.revision <= coalesce((SELECT u.revision FROM unnest(%(ids)s::text[], %(revisions)s::int[]) "
        "AS u(id, revision) WHERE u.id = e.id), CASE WHEN e.body IS NULL THEN e.revision ELSE 0 END) "
        f"ORDER BY h.revision DESC LIMIT 1) FROM {table('entry')} e WHERE {of_tenant(whose.tenant, 'e')} "
        "AND e.version > %(cursor)s ORDER BY e.version, e.id",
        {"ids": list(known), "revisions": list(known.values()), "cursor": cursor},
    ).fetchall()
    rows = tuple(
        EntryRow(id_, number, int(revision), body or "", bool(forgotten), base or "")
        for id_, number, revision, _, body, forgotten, base in found
    )
    return rows, max((int(one[3]) for one in found), default=cursor)


def push(connection: Connection, whose: TenantOwner, writes: Sequence[EntryWrite], version: int) -> dict[str, int]:
    """Change entries that nobody has changed since; return the new revision of each that was. In a transaction."""
    ordered = sorted(writes, key=lambda one: one.id)
    values = {
        "ids": [one.id for one in ordered],
        "numbers": [one.number for one in ordered],
        "revisions": [one.revision for one in ordered],
        "at": [one.at for one in ordered],
        "bodies": [clean(one.body) or None for one in ordered],
        "tenant": whose.tenant.id,
        "machine": whose.machine,
        "version": version,
    }
    given = (
        "unnest(%(ids)s::text[], %(numbers)s::uuid[], %(revisions)s::int[], %(bodies)s::text[], %(at)s::int[]) "
        "AS u(id, number, revision, body, at)"
    )
    found = run(
        connection,
        f"INSERT INTO {table('entry')} (tenant, id, number, revision, version, machine, body) "
        f"SELECT %(tenant)s, u.id, u.number, u.at, %(version)s, %(machine)s, u.body FROM {given} "
        "WHERE u.revision = 0 AND u.body IS NOT NULL ORDER BY u.id ON CONFLICT DO NOTHING RETURNING id, revision",
        values,
    ).fetchall()
    found += run(
        connection,
        f"UPDATE {table('entry')} e SET revision = e.revision + 1, version = %(version)s, machine = %(machine)s, "
        f"changed_at = clock_timestamp(), body = u.body FROM {given} WHERE {of_tenant(whose.tenant, 'e')} "
        "AND e.id = u.id AND e.revision = u.revision AND u.revision > 0 AND NOT e.forgotten RETURNING e.id, e.revision",
        values,
    ).fetchall()
    run(
        connection,
        f"INSERT INTO {table('entry_history')} (tenant, id, revision, body) SELECT e.tenant, e.id, e.revision, e.body "
        f"FROM {table('entry')} e WHERE {of_tenant(whose.tenant, 'e')} AND e.version = %(version)s "
        "ON CONFLICT DO NOTHING",
        values,
    )
    return {str(id_): int(revision) for id_, revision in found}


def forget(
    connection: Connection, whose: TenantOwner, wanted: Wanted, version: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take out for good the entries that hold what is wanted, and what they ever said; in the caller's transaction.

    Their rows stay, empty: so every machine learns of it, and none brings them back. Returns which they are, and of
    which an earlier text went.
    """
    mine = of_tenant(whose.tenant, "e")
    now = {id_: wanted.count(_text(body)) > 0 for id_, _, body in _bodies(connection, "entry", whose)}
    said = [
        (id_, revision)
        for id_, revision, body in _bodies(connection, "entry_history", whose)
        if now.get(id_) or wanted.count(_text(body))
    ]
    # One that was taken out already may have been changed by a machine that is away.
    ids = sorted({id_ for id_, holds in now.items() if holds} | {id_ for id_, _ in said if id_ not in now})
    run(
        connection,
        f"UPDATE {table('entry')} e SET body = NULL, forgotten = true, revision = e.revision + 1, version = %s, "
        f"machine = %s, changed_at = clock_timestamp() WHERE {mine} AND e.id = ANY(%s)",
        (version, whose.machine, ids),
    )
    run(
        connection,
        f"DELETE FROM {table('entry_history')} e USING unnest(%s::text[], %s::int[]) AS u(id, revision) "
        f"WHERE {mine} AND e.id = u.id AND e.revision = u.revision",
        ([id_ for id_, _ in said], [revision for _, revision in said]),
    )
    return tuple(ids), tuple(sorted({id_ for id_, _ in said}))


def number_of(whose: TenantOwner, id_: str, body: str) -> uuid.UUID:
    """Return an entry's own number: of its short id and the moment when it came into being."""
    return uuid.uuid5(whose.tenant.id, f"{id_}\0{_values(body).get('created_at', '')}")


def _bodies(connection: Connection, name: str, whose: TenantOwner) -> Iterator[tuple[str, int, str]]:
    yield from run(
        connection,
        f"SELECT e.id, e.revision, e.body FROM {table(name)} e WHERE {of_tenant(whose.tenant, 'e')} "
        "AND e.body IS NOT NULL",
    ).fetchall()


def _text(body: str) -> str:
    """Return all that an entry says, as people wrote it."""
    return "\n".join(_strings(_values(body)))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _values(body: str) -> dict[str, object]:
    try:
        found = json.loads(body) if body else {}
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}
