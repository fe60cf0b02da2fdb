"""The tables on the server. The first machine creates them; each table holds the rows of all tenants.

Only row-level security separates tenants. It is forced for the tables' owner as well, and so for all our statements.
"""

from typing import Final

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.connection import TENANT_SETTING, Connection, run, translate_errors
from nanobot_memory_plugins.redaction.script.messages import Sentence

SCHEMA_VERSION: Final = 1
MIN_PGVECTOR = (0, 8, 2)
# The advisory lock for creating the tables.
_LOCK = 7_021_934_008
# The setting is NULL before it was ever set and an empty text after its transaction: neither matches a tenant.
_TENANT = f"nullif(current_setting('{TENANT_SETTING}', true), '')::uuid"
_TENANT_COLUMN = f"tenant uuid NOT NULL DEFAULT {_TENANT}"

_TABLES = f"""
CREATE TABLE nanobot_memory.meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE nanobot_memory.tenant (
  {_TENANT_COLUMN},
  name text NOT NULL,
  revision bigint NOT NULL DEFAULT 0,  -- one more for each transaction that changes anything
  passages bigint NOT NULL DEFAULT 0,
  terms bigint NOT NULL DEFAULT 0,  -- of all passages together
  entries uuid NOT NULL DEFAULT gen_random_uuid(),  -- another one whenever an entry has changed
  PRIMARY KEY (tenant)
) WITH (fillfactor = 70);
CREATE TABLE nanobot_memory.machine (
  {_TENANT_COLUMN},
  machine text NOT NULL,
  revision bigint NOT NULL DEFAULT 0,  -- the last at which something of its files was sent
  forgotten bigint NOT NULL DEFAULT 0,  -- the last of `forgotten` that it has carried out
  PRIMARY KEY (tenant, machine)
) WITH (fillfactor = 70);
CREATE TABLE nanobot_memory.file (  -- how far each file of each machine was sent
  {_TENANT_COLUMN},
  machine text NOT NULL,
  path text NOT NULL,
  "offset" bigint NOT NULL,
  prefix_hash text NOT NULL,
  size bigint NOT NULL,
  mtime_ns bigint NOT NULL,
  line integer NOT NULL,
  ordinal integer NOT NULL,
  PRIMARY KEY (tenant, machine, path)
) WITH (fillfactor = 70);
CREATE TABLE nanobot_memory.passage (  -- what is searched: pieces of the files
  {_TENANT_COLUMN},
  id bigint NOT NULL,  -- a hash of tenant, machine and key
  revision bigint NOT NULL,
  machine text NOT NULL,
  key text NOT NULL,
  path text NOT NULL,
  line integer NOT NULL,
  "offset" bigint NOT NULL,
  ordinal integer NOT NULL,
  source text NOT NULL,
  text text NOT NULL,
  origin text NOT NULL,
  agent text NOT NULL,
  "user" text NOT NULL,
  channel text NOT NULL,
  session text NOT NULL,
  group_chat text NOT NULL,
  project text NOT NULL,
  heading text NOT NULL,
  tldr text NOT NULL,
  tags text NOT NULL,  -- a JSON list
  speaker text NOT NULL,
  time text,  -- ISO 8601 with its offset
  "timestamp" double precision,  -- the same in seconds since 1970, UTC
  body_terms text NOT NULL,
  head_terms text NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX passage_place ON nanobot_memory.passage (tenant, machine, path, ordinal);
CREATE INDEX passage_time ON nanobot_memory.passage (tenant, "timestamp");
CREATE TABLE nanobot_memory.posting (  -- which term stands in which passage, and how often
  {_TENANT_COLUMN},
  term bigint NOT NULL,  -- hashed with the tenant: neither index nor statistics hold a word
  passage bigint NOT NULL,
  count integer NOT NULL,
  length integer NOT NULL,  -- terms of the passage
  PRIMARY KEY (tenant, term, passage) INCLUDE (count, length)
);
CREATE TABLE nanobot_memory.embedding (  -- of their own, or they would push the texts out of their pages
  {_TENANT_COLUMN},
  model text NOT NULL,
  id bigint NOT NULL,
  vector halfvec NOT NULL,  -- without a dimension, which is the model's
  PRIMARY KEY (tenant, model, id)
);
CREATE TABLE nanobot_memory.entry (  -- scored entries, changed by whoever knows the revision
  {_TENANT_COLUMN},
  id text NOT NULL,
  revision integer NOT NULL,
  machine text NOT NULL,  -- that changed it last
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  digest text NOT NULL,  -- of the body
  body text,  -- JSON; NULL: it was taken out
  forgotten boolean NOT NULL DEFAULT false,  -- for good: it does not come back
  PRIMARY KEY (tenant, id)
);
CREATE TABLE nanobot_memory.change (  -- what each revision of an entry was, for whoever merges
  {_TENANT_COLUMN},
  id text NOT NULL,
  revision integer NOT NULL,
  body text,
  PRIMARY KEY (tenant, id, revision)
);
CREATE TABLE nanobot_memory.forgotten (  -- what every machine has to forget
  {_TENANT_COLUMN},
  revision bigint NOT NULL,
  machine text NOT NULL,  -- that asked for it
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  body jsonb,  -- the words; NULL once all machines have forgotten them
  PRIMARY KEY (tenant, revision)
);
"""
TABLES: Final = (
    "tenant", "machine", "file", "passage", "posting", "embedding", "entry", "change", "forgotten",
)  # fmt: skip
# Columns without statistics: the server's samples would survive an erasure.
_CONTENT_COLUMNS: Final = {
    "passage": ("text", "heading", "tldr", "tags", "speaker", "body_terms", "head_terms"),
    "entry": ("body",),
    "change": ("body",),
    "forgotten": ("body",),
}


def prepare(connection: Connection) -> None:
    """Create the tables if needed, and check that row-level security applies to this role.

    Raises `StoreError` for an extension that is too old, a role that bypasses row-level security, and tables of a newer
    version.
    """
    with translate_errors():
        _check_role(connection)
        _check_extension(connection)
        if _version(connection) == SCHEMA_VERSION:
            _check_row_security(connection)
            return
        with connection.transaction():
            run(connection, "SET LOCAL lock_timeout = '5s'")
            run(connection, "SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            version = _version(connection)
            if version > SCHEMA_VERSION:
                raise StoreError(
                    Sentence(
                        "A newer version made the shared memory (schema {version}, this one knows {known}).",
                        version=version,
                        known=SCHEMA_VERSION,
                    ),
                    hint="Update nanobot-memory-postgres on this machine; until then its own index answers.",
                )
            if not version:
                _create_tables(connection)


def _create_tables(connection: Connection) -> None:
    if not run(connection, "SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
        run(connection, "CREATE EXTENSION vector")
    run(connection, "CREATE SCHEMA IF NOT EXISTS nanobot_memory")
    connection.execute(_TABLES.encode())
    for name in TABLES:
        table = f"nanobot_memory.{name}"
        # In a subquery the setting is evaluated once, not for each row.
        statements = (
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY of_tenant ON {table} USING (tenant = (SELECT {_TENANT}))",
            *(
                f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0"
                for column in _CONTENT_COLUMNS.get(name, ())
            ),
        )
        connection.execute("; ".join(statements).encode())
    run(connection, "INSERT INTO nanobot_memory.meta VALUES ('schema', %s)", (str(SCHEMA_VERSION),))


def _version(connection: Connection) -> int:
    """Return the version of the tables, 0 if there are none."""
    row = run(connection, "SELECT to_regclass('nanobot_memory.meta')").fetchone()
    if row is None or row[0] is None:
        return 0
    row = run(connection, "SELECT value FROM nanobot_memory.meta WHERE key = 'schema'").fetchone()
    return int(row[0]) if row else 0


def _check_role(connection: Connection) -> None:
    row = run(connection, "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
    if row is None or row[0]:
        raise StoreError(
            "The role in the option dsn of postgres bypasses row-level security: nothing would keep tenants apart.",
            hint="Make one that owns the memory's database and nothing else: CREATE ROLE memory LOGIN PASSWORD '...'; "
            "CREATE DATABASE memory OWNER memory",
        )


def _check_row_security(connection: Connection) -> None:
    unprotected = run(
        connection,
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE "
        "n.nspname = 'nanobot_memory' AND c.relname = ANY(%s) AND NOT (c.relrowsecurity AND c.relforcerowsecurity)",
        (list(TABLES),),
    ).fetchall()
    if unprotected:
        raise StoreError(
            Sentence(
                "Row-level security is switched off for {tables}.", tables=", ".join(row[0] for row in unprotected)
            ),
            hint="Let the owner of the tables run ALTER TABLE ... ENABLE and FORCE ROW LEVEL SECURITY on each.",
        )


def _check_extension(connection: Connection) -> None:
    row = run(
        connection,
        "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
        "(SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))",
    ).fetchone()
    if row is None or row[0] is None:
        raise StoreError(
            "The server has no pgvector.",
            hint="Install it there, and let an administrator run: CREATE EXTENSION vector",
        )
    version = tuple(int(part) for part in str(row[0]).split(".") if part.isdigit())
    if version < MIN_PGVECTOR:
        raise StoreError(
            Sentence(
                "The server's pgvector is {version}; versions before {least} are vulnerable (CVE-2026-3172).",
                version=row[0],
                least=".".join(map(str, MIN_PGVECTOR)),
            ),
            hint="Update it there, and let an administrator run: ALTER EXTENSION vector UPDATE",
        )
