"""Writing a tenant's tables anew on the server, so that what was deleted is in none of their files any more.

A deleted row stays in its file until something is written over it, and VACUUM does not do that. The server's log, its
standbys and its backups are beyond this.
"""

from collections.abc import Iterator

from nanobot_memory_plugins.postgres.database.connection import SCHEMA_NAME, Connection, plain_errors, run, table
from nanobot_memory_plugins.postgres.database.tenant import Tenant

# How long one table's users are waited for; everybody who comes after waits, too.
_LOCK_LIMIT = "10s"


def rewrite(connection: Connection, tenant: Tenant) -> dict[str, int]:
    """Write anew every table, or part of one, that holds rows of a tenant; return the bytes that each has lost.

    Each is locked for as long as that takes. Raises `StoreError`, for a role that does not own the tables as well.
    """
    with plain_errors():
        run(connection, f"SET lock_timeout = '{_LOCK_LIMIT}'")
        lost = {}
        for name in _tables(connection, tenant):
            before = _size(connection, name)
            run(connection, f"VACUUM (FULL, ANALYZE) {table(name)}")
            lost[name] = before - _size(connection, name)
        run(connection, "RESET lock_timeout")
        return lost


def _tables(connection: Connection, tenant: Tenant) -> Iterator[str]:
    """Yield the tables with rows of tenants; of one in parts the part in which this tenant's are."""
    found = run(
        connection,
        "SELECT c.relname, c.relkind = 'p', (SELECT count(*) FROM pg_inherits i WHERE i.inhparent = c.oid) "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped "
        "WHERE n.nspname = %s AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1",
        (SCHEMA_NAME,),
    ).fetchall()
    for name, is_parted, parts in found:
        if not is_parted:
            yield str(name)
            continue
        for number in range(int(parts)):
            row = run(
                connection,
                "SELECT satisfies_hash_partition(%s::regclass, %s, %s, %s::uuid)",
                (table(name), int(parts), number, tenant.id),
            ).fetchone()
            if row and row[0]:
                yield f"{name}_{number}"


def _size(connection: Connection, name: str) -> int:
    row = run(connection, "SELECT pg_total_relation_size(%s::regclass)", (table(name),)).fetchone()
    return int(row[0]) if row else 0
