"""What machines wrote, record by record and byte for byte: messages and notes, each under the id it was made with."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from nanobot_memory_plugins.postgres.connection import Connection, clean, run, run_many
from nanobot_memory_plugins.storage.documents import FileChange

# Bytes of a record beyond which it stays in its machine's file alone.
_LONGEST: Final = 16_000_000
_PUT: Final = (
    "INSERT INTO nanobot_memory.record AS r (id, revision, machine, path, body) VALUES (%s, %s, %s, %s, %s) "
    "ON CONFLICT (tenant, id) DO UPDATE SET revision = excluded.revision, path = excluded.path, body = excluded.body "
    "WHERE r.machine = excluded.machine AND (r.path, r.body) IS DISTINCT FROM (excluded.path, excluded.body)"
)


def record_id(key: str) -> uuid.UUID | None:
    """Return the id of the record whose first document has a key; None where it is a person's own text."""
    given = key.rpartition("#")[2].partition("/")[0].partition("~")[0]
    try:
        number = uuid.UUID(given)
    except ValueError:
        return None
    return number if given == str(number) else None


def put(connection: Connection, machine: str, change: FileChange, revision: int) -> None:
    """Keep the records of a change of a file, each once, in the caller's transaction."""
    kept = {
        number: record.raw
        for record in change.records
        if len(record.raw) <= _LONGEST and (number := record_id(record.key))
    }
    if kept:
        path = clean(change.path)
        run_many(connection, _PUT, [(number, revision, machine, path, kept[number]) for number in sorted(kept)])


def drop(connection: Connection, passages: Iterable[tuple[str, str]]) -> None:
    """Drop the records whose first passage went, by machine and key.

    A later chunk of a record, or a copy of it that goes, takes nothing of it along.
    """
    first = ((machine, key) for machine, key in passages if not {"/", "~"} & set(key.rpartition("#")[2]))
    gone = [(machine, number) for machine, key in first if (number := record_id(key))]
    if gone:
        sql = (
            "DELETE FROM nanobot_memory.record r USING unnest(%s::text[], %s::uuid[]) AS u(machine, id) "
            "WHERE r.machine = u.machine AND r.id = u.id"
        )
        run(connection, sql, [list(column) for column in zip(*gone, strict=True)])


def shared(connection: Connection, ids: Sequence[str]) -> Collection[str]:
    """Return those of some records that are there."""
    known = {number: id_ for id_ in ids if (number := record_id(f"#{id_}")) is not None}
    found = run(connection, "SELECT r.id FROM nanobot_memory.record r WHERE r.id = ANY(%s)", (list(known),))
    return frozenset(known[row[0]] for row in found)
