"""Work that is done on one machine of a tenant at a time: a row says which one, and until when.

A row, and no lock of a session: behind a pooler that would be a stranger's, too.
"""

from nanobot_memory_plugins.postgres.database.connection import Connection, run, table
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner


def take(connection: Connection, whose: TenantOwner, work: str, seconds: float) -> bool:
    """Take a kind of work for so long, or keep it; with no seconds give it back. Tell whether it is this machine's."""
    row = run(
        connection,
        f"INSERT INTO {table('lease')} AS held (tenant, work, machine, until) "
        "VALUES (%s, %s, %s, clock_timestamp() + make_interval(secs => %s)) "
        "ON CONFLICT (tenant, work) DO UPDATE SET machine = excluded.machine, until = excluded.until "
        "WHERE held.machine = excluded.machine OR held.until <= clock_timestamp() RETURNING machine",
        (whose.tenant.id, work, whose.machine, seconds),
    ).fetchone()
    return row is not None
