"""What machines wrote, record by record and byte for byte: messages and notes, each under the id it was made with.

A record does not change but by its machine, which may have cleaned its file: so it may be sent as often as it takes.
"""

import uuid
from collections.abc import Collection, Iterable, Sequence

from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.files import parse_transcript_line
from nanobot_memory_plugins.postgres.database.connection import Connection, run, run_many, table
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import clean, of_tenant
from nanobot_memory_plugins.search.documents import FileRecord

# Bytes of a record beyond which it stays in its machine's file alone.
_LONGEST = 16_000_000
_AT_ONCE = 500
# Records wait in such a file for a lock. It may be sent after the file that they have come home to, and then goes.
_WAITING = ".spill"
_INSERT = (
    f'INSERT INTO {table("record")} AS r (tenant, id, version, machine, path, "offset", body) '
    "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT "
)
_AS_THEY_ARE = (
    '(tenant, id) DO UPDATE SET version = excluded.version, "offset" = excluded."offset", '
    "path = excluded.path, body = excluded.body WHERE r.machine = excluded.machine "
    "AND (r.path, r.body) IS DISTINCT FROM (excluded.path, excluded.body)"
)


def record_id(key: str) -> uuid.UUID | None:
    """Return the id of the record whose first document has a key; None where it is a person's own text."""
    given = key.rpartition("#")[2].partition("/")[0].partition("~")[0]
    try:
        number = uuid.UUID(given)
    except ValueError:
        return None
    return number if given == str(number) else None


def put(connection: Connection, whose: TenantOwner, path: str, records: Iterable[FileRecord], version: int) -> None:
    """Keep records of one file, each once; part of the caller's transaction."""
    found = {number: one for one in records if len(one.raw) <= _LONGEST and (number := record_id(one.key)) is not None}
    if not found:
        return
    rows = [
        (whose.tenant.id, number, version, whose.machine, clean(path), one.offset, one.raw)
        for number, one in sorted(found.items())
    ]
    with connection.cursor() as cursor:
        run_many(cursor, _INSERT + ("DO NOTHING" if path.endswith(_WAITING) else _AS_THEY_ARE), rows)


def remove(connection: Connection, whose: TenantOwner, path: str, keys: Iterable[str]) -> None:
    """Drop the records of documents that a file of this machine does not hold any more.

    A later chunk of one, a second passage of the same one, or a copy of it that goes takes nothing of it along.
    """
    first = (key for key in keys if not {"/", "~"} & set(key.rpartition("#")[2]))
    ids = sorted({number for key in first if (number := record_id(key))})
    if ids:
        run(
            connection,
            f"DELETE FROM {table('record')} r WHERE {of_tenant(whose.tenant, 'r')} AND r.machine = %s "
            "AND r.path = %s AND r.id = ANY(%s)",
            (whose.machine, clean(path), ids),
        )


def remove_file(connection: Connection, whose: TenantOwner, path: str) -> None:
    """Drop the records of a file of this machine that is gone."""
    run(
        connection,
        f"DELETE FROM {table('record')} r WHERE {of_tenant(whose.tenant, 'r')} AND r.machine = %s AND r.path = %s",
        (whose.machine, clean(path)),
    )


def kept(connection: Connection, whose: TenantOwner, ids: Sequence[str]) -> Collection[str]:
    """Return those of some records that are there."""
    wanted = {number: one for one in ids if (number := record_id(f"#{one}")) is not None}
    found = run(
        connection,
        f"SELECT r.id FROM {table('record')} r WHERE {of_tenant(whose.tenant, 'r')} AND r.id = ANY(%s)",
        (list(wanted),),
    )
    return frozenset(wanted[row[0]] for row in found)


def forget(connection: Connection, whose: TenantOwner, wanted: Wanted) -> tuple[uuid.UUID, ...]:
    """Empty the records that hold what is wanted, of all machines; return which. In the caller's transaction.

    Their rows stay: a copy of one that another machine sends late does not bring it back.
    """
    ids: list[uuid.UUID] = []
    sql = (
        f"SELECT r.id, r.path, r.body FROM {table('record')} r WHERE {of_tenant(whose.tenant, 'r')} "
        "AND r.body IS NOT NULL"
    )
    with connection.cursor(f"forget_{uuid.uuid4().hex}") as cursor:
        cursor.itersize = _AT_ONCE
        for number, path, body in cursor.execute(sql.encode()):
            if wanted.count(_text(str(path), bytes(body))):
                ids.append(number)
    if ids:
        run(
            connection,
            f"UPDATE {table('record')} r SET body = NULL WHERE {of_tenant(whose.tenant, 'r')} AND r.id = ANY(%s)",
            (sorted(ids),),
        )
    return tuple(sorted(ids))


def _text(path: str, body: bytes) -> str:
    """Return what a record says, as people wrote it."""
    message = parse_transcript_line(body) if path.endswith(".jsonl") else None
    return message.text if message is not None else body.decode("utf-8", "replace")
