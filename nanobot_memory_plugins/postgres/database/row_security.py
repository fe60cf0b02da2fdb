"""Row-level security: a second wall between tenants, which holds where a statement names none.

The tables have an owner, and the agents another role, which owns nothing and sees the rows of the tenant that its
transaction names. A policy would keep the index over terms from being used, since comparing lists may not come before
it; so a function of the owner's looks there, which has the tenant among its conditions.
"""

from typing import Final

import psycopg

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import (
    SCHEMA_NAME,
    TENANT_SETTING,
    Connection,
    plain_errors,
    run,
    table,
)
from nanobot_memory_plugins.postgres.database.growth import index_large
from nanobot_memory_plugins.redaction.script.messages import Sentence

_POLICY: Final = "of_tenant"
# Never set is NULL, set and gone is an empty text: neither is anybody's.
_NAMED: Final = f"nullif(current_setting('{TENANT_SETTING}', true), '')::uuid"
# What a query may be filtered by, and what a light one looks at.
_SHOWN: Final = (
    "tenant", "id", "origin", "source", "timestamp", "tags", "agent", "user", "channel", "session", "group_chat",
    "head_terms", "machine", "path", "key",
)  # fmt: skip
_TYPES: Final = {"tenant": "uuid", "id": "bigint", "timestamp": "double precision"}
_PREPARE: Final = "nanobot-memory postgres prepare --role NAME"


def words_of(alias: str, terms: str, question: str) -> str:
    """Return what a search by words reads from instead of the passages, with a column ``score``."""
    return f"{table('words')}({terms}::bigint[], {question}::sparsevec) {alias}"


def prepare(connection: Connection, role: str, *, partitions: int) -> int:
    """Make or mend tables, policies and rights, as the tables' owner, for agents that are ``role``.

    Returns how many indexes over vectors were made for large tenants. Raises `StoreError`.
    """
    schema.prepare(connection, partitions)
    with plain_errors():
        name = _quoted(connection, role)
        try:
            with connection.transaction():
                _make_role(connection, role, name)
                _shut(connection, name)
        except psycopg.errors.InsufficientPrivilege as error:
            raise StoreError(
                "This role may not do that: it does not own the tables of the shared memory.",
                hint="Run `nanobot-memory postgres prepare` with the --dsn of the role that made them.",
            ) from error
        return index_large(connection)


def check(connection: Connection) -> None:
    """Raise `StoreError` where row-level security would hold nothing away from the role of this connection."""
    with plain_errors():
        version = schema.version_of(connection)
        if not version:
            raise StoreError(
                "The tables of the shared memory are not there yet, and with the option rls their owner makes them.",
                hint=Sentence("Let the owner of the database run: {command}", command=_PREPARE),
            )
        schema.must_be_known(version)
        row = run(
            connection,
            "SELECT r.rolsuper OR r.rolbypassrls OR EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n "
            "ON n.oid = c.relnamespace WHERE n.nspname = %s AND pg_has_role(current_user, c.relowner, 'MEMBER')) "
            "FROM pg_roles r WHERE r.rolname = current_user",
            (SCHEMA_NAME,),
        ).fetchone()
        if row is None or row[0]:
            raise StoreError(
                "The role of the option dsn owns the tables or may do anything: row-level security holds nothing.",
                hint=Sentence(
                    "Make another role by `{command}`, and name it in memoryPlugins.postgres.dsn.", command=_PREPARE
                ),
            )
        if without := [name for name, is_shut in _tables(connection) if not is_shut]:
            raise StoreError(
                Sentence("Row-level security is not switched on for {tables}.", tables=", ".join(without)),
                hint=Sentence("Let the owner of the tables run: {command}", command=_PREPARE),
            )


def _tables(connection: Connection) -> list[tuple[str, bool]]:
    """Return every table with rows of tenants, whether an agent's role is held by its policy; parts are in wholes."""
    found = run(
        connection,
        "SELECT c.relname, c.relrowsecurity FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped "
        "WHERE n.nspname = %s AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1",
        (SCHEMA_NAME,),
    )
    return [(str(row[0]), bool(row[1])) for row in found]


def _make_role(connection: Connection, role: str, name: str) -> None:
    if run(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone():
        return
    try:
        with connection.transaction():
            run(connection, f"CREATE ROLE {name} LOGIN")
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            Sentence("There is no role {role} yet, and this role may not make one.", role=role),
            hint=Sentence(
                "Let an administrator run `CREATE ROLE {name} LOGIN PASSWORD ...`, then this again: {command}",
                name=name,
                command=_PREPARE,
            ),
        ) from error


def _shut(connection: Connection, name: str) -> None:
    """Switch policies on, and give the agents' role what it needs and no more."""
    run(connection, f"GRANT USAGE ON SCHEMA {SCHEMA_NAME} TO {name}")
    for one, _ in _tables(connection):
        run(connection, f"ALTER TABLE {table(one)} ENABLE ROW LEVEL SECURITY")
        run(connection, f"DROP POLICY IF EXISTS {_POLICY} ON {table(one)}")
        run(connection, f"CREATE POLICY {_POLICY} ON {table(one)} USING (tenant = {_NAMED})")
        run(connection, f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table(one)} TO {name}")
    run(connection, f"GRANT SELECT ON {table('meta')} TO {name}")
    run(connection, f"GRANT SELECT, INSERT ON {table('space')} TO {name}")
    _make_function(connection, name)


def _make_function(connection: Connection, name: str) -> None:
    found = run(
        connection,
        "SELECT quote_ident(n.nspname), (SELECT quote_ident(r.rolname) FROM pg_class c JOIN pg_roles r "
        "ON r.oid = c.relowner WHERE c.oid = to_regclass(%s)) FROM pg_extension e JOIN pg_namespace n "
        "ON n.oid = e.extnamespace WHERE e.extname = 'vector'",
        (table("chunk"),),
    ).fetchone()
    where, owner = found or ("public", "current_user")
    columns = ", ".join(f'"{one}" {_TYPES.get(one, "text")}' for one in _SHOWN)
    shown = ", ".join(f'c."{one}"' for one in _SHOWN)
    run(connection, f"DROP FUNCTION IF EXISTS {table('words')}")
    run(
        connection,
        f"CREATE FUNCTION {table('words')}(asked bigint[], question {where}.sparsevec) "
        f"RETURNS TABLE ({columns}, score double precision) LANGUAGE sql STABLE SECURITY DEFINER "
        f"SET search_path = pg_catalog, {where}, pg_temp AS $$ "
        f"SELECT {shown}, c.bm25 <#> question FROM {table('chunk')} c "
        f"WHERE c.large AND c.tenant = {_NAMED} AND c.terms && asked $$",
    )
    run(connection, f"ALTER FUNCTION {table('words')} OWNER TO {owner}")
    run(connection, f"REVOKE ALL ON FUNCTION {table('words')} FROM PUBLIC")
    run(connection, f"GRANT EXECUTE ON FUNCTION {table('words')} TO {name}")


def _quoted(connection: Connection, name: str) -> str:
    row = run(connection, "SELECT quote_ident(%s)", (name,)).fetchone()
    return str(row[0]) if row else ""
