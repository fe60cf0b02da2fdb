"""What a tenant gets once it is large: an index over its terms, their counts, and one over its vectors."""

from nanobot_memory_plugins.postgres.database.connection import Connection, run, table
from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.postgres.database.where import of_tenant


def make_large(connection: Connection, tenant: Tenant) -> None:
    """Let a tenant use the index over terms, and count its terms; part of the caller's transaction."""
    mine = of_tenant(tenant, "c")
    run(connection, f"UPDATE {table('chunk')} c SET large = true WHERE {mine} AND NOT c.large")
    run(connection, f"DELETE FROM {table('term')} c WHERE {mine}")
    run(
        connection,
        f"INSERT INTO {table('term')} (tenant, term, documents) "
        f"SELECT c.tenant, t.term, count(*) FROM {table('chunk')} c, unnest(c.terms) AS t(term) WHERE {mine} "
        "GROUP BY c.tenant, t.term",
    )
    run(connection, f"UPDATE {table('tenant')} c SET large = true WHERE {mine}")
