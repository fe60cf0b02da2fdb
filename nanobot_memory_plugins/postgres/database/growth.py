"""What changes as a tenant grows: its average length, and once it is large, indexes over its terms and its vectors."""

from typing import Final

from nanobot_memory_plugins.postgres.database.connection import Connection, run, run_many, table
from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.postgres.database.weights import weights_of
from nanobot_memory_plugins.postgres.database.where import of_tenant

NEAREST_FROM: Final = 20_000
"""Passages from which on vectors are looked for by an index; below, comparing all of them is exact and fast."""
# Below so many passages an average says nothing; off by less than this share it changes hardly an order.
_FEWEST, _DRIFT = 16, 1.2


def has_doubled(before: int, now: int) -> bool:
    """Tell whether a tenant has grown past a power of two: so often its average is looked at."""
    return now >= _FEWEST and now.bit_length() > before.bit_length()


def weigh_anew(connection: Connection, tenant: Tenant, average: float) -> float:
    """Return how many terms a tenant's passages have; where ``average`` is far from that, weigh them all anew.

    Part of the caller's transaction. A tenant's average settles soon, so large tenants are seldom weighed.
    """
    mine = of_tenant(tenant, "c")
    joined = "string_to_array(btrim(c.body_terms || ' ' || c.head_terms), ' ')"
    row = run(connection, f"SELECT avg(cardinality({joined})) FROM {table('chunk')} c WHERE {mine}").fetchone()
    now = float(row[0] or 0) if row else 0.0
    if not now or max(now / average, average / now) < _DRIFT:
        return average
    texts = run(connection, f"SELECT c.id, c.body_terms, c.head_terms FROM {table('chunk')} c WHERE {mine}").fetchall()
    hashed = ((number, [tenant.term(term) for term in f"{body} {head}".split()]) for number, body, head in texts)
    weighed = [(weights_of(terms, now), number) for number, terms in hashed]
    with connection.cursor() as cursor:
        run_many(cursor, f"UPDATE {table('chunk')} c SET bm25 = %s::sparsevec WHERE {mine} AND c.id = %s", weighed)
    run(connection, f"UPDATE {table('tenant')} c SET average = %s WHERE {mine}", (now,))
    return now


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


def index_large(connection: Connection) -> int:
    """Give every large tenant its indexes over vectors, as the tables' owner; return how many were made."""
    found = run(
        connection,
        f"SELECT c.tenant, s.number, s.dimension FROM {table('tenant')} c JOIN {table('active_space')} a "
        f"ON a.tenant = c.tenant JOIN {table('space')} s ON s.number = a.number WHERE c.documents >= %s ORDER BY 1, 2",
        (NEAREST_FROM,),
    ).fetchall()
    return sum(index_vectors(connection, Tenant(number), int(space), int(size)) for number, space, size in found)


def index_vectors(connection: Connection, tenant: Tenant, space: int, dimension: int) -> bool:
    """Give a tenant an index over its vectors of one space, and no other's; return whether it was made now.

    One index over those of all tenants would find two rows of a hundred. It is built beside whoever writes, outside of
    any transaction; what a break left half built is built anew.
    """
    mine = of_tenant(tenant, "c")
    row = run(
        connection,
        f"SELECT c.tableoid::regclass::text FROM {table('embedding')} c WHERE {mine} AND c.space = %s LIMIT 1",
        (space,),
    ).fetchone()
    if row is None:
        return False
    name = f"embedding_{tenant.id.hex[:16]}_{int(space)}"
    found = run(
        connection,
        "SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass(%s)",
        (table(name),),
    ).fetchone()
    if found is not None and found[0]:
        return False
    if found is not None:
        run(connection, f"DROP INDEX CONCURRENTLY {table(name)}")
    run(
        connection,
        f"CREATE INDEX CONCURRENTLY {name} ON {row[0]} USING hnsw ((vector::halfvec({int(dimension)})) halfvec_ip_ops) "
        f"WHERE {of_tenant(tenant, row[0])} AND space = {int(space)}",
    )
    return True
