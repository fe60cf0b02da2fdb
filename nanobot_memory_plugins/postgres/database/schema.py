"""The tables on the server. They are made once, by whoever comes first.

The tenant stands first in every key, nothing is numbered by a sequence, and no table points to another: so the tables
can be spread over servers as they are (docs/postgres.md).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.database.connection import (
    SCHEMA_NAME,
    Connection,
    plain_errors,
    run,
    table,
)
from nanobot_memory_plugins.postgres.database.tenant import DIMENSIONS
from nanobot_memory_plugins.redaction.script.messages import Sentence

SCHEMA_VERSION: Final = 1
LEAST_SERVER, LEAST_PGVECTOR = 15, (0, 8, 2)
AVERAGE_TERMS: Final = 50.0
"""How many terms a passage is taken to have, for the weights that are stored: those of the first 200 count alone."""
# Of the lock under which tables are changed, for the length of a transaction: a session's would leak behind a pooler.
_LOCK = 7_021_934_008
_PARTED = ("chunk", "term", "embedding", "record")

_TABLES = f"""
CREATE TABLE {table("meta")} (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE {table("space")} (
  name text PRIMARY KEY,  -- of the vectors' model, as it calls itself
  number integer NOT NULL UNIQUE,
  dimension integer NOT NULL
);
CREATE TABLE {table("tenant")} (
  tenant uuid PRIMARY KEY,
  name text NOT NULL,
  version bigint NOT NULL DEFAULT 0,  -- one more for each commit that changes anything
  documents bigint NOT NULL DEFAULT 0,
  large boolean NOT NULL DEFAULT false,
  average double precision NOT NULL DEFAULT {AVERAGE_TERMS}
) WITH (fillfactor = 70);
CREATE TABLE {table("machine")} (
  tenant uuid NOT NULL,
  machine text NOT NULL,
  revision bigint NOT NULL DEFAULT 0,  -- one more for each change of what is known of its files
  sent_at timestamptz NOT NULL DEFAULT now(),
  mark uuid,  -- written beside what it has learned of entries, or sent
  PRIMARY KEY (tenant, machine)
) WITH (fillfactor = 70);
CREATE TABLE {table("file")} (  -- how far each file of each machine was sent
  tenant uuid NOT NULL,
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
CREATE TABLE {table("active_space")} (  -- whose vectors are whole
  tenant uuid NOT NULL,
  number integer NOT NULL,
  PRIMARY KEY (tenant, number)
);
CREATE TABLE {table("erasure")} (  -- what every machine has to forget
  tenant uuid NOT NULL,
  id uuid NOT NULL,
  machine text NOT NULL,  -- that ordered it
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  body jsonb,  -- NULL once all have done it
  chunks bigint[],  -- the ids of what went, in which no word stands; NULL while it has not gone
  records uuid[],
  entries text[],
  histories text[],
  PRIMARY KEY (tenant, id)
);
CREATE TABLE {table("erased")} (  -- which machine has done it
  tenant uuid NOT NULL,
  id uuid NOT NULL,
  machine text NOT NULL,
  PRIMARY KEY (tenant, id, machine)
);
CREATE TABLE {table("chunk")} (
  tenant uuid NOT NULL,
  id bigint NOT NULL,  -- a hash of tenant, machine and key
  version bigint NOT NULL,
  machine text NOT NULL,
  key text NOT NULL,
  path text NOT NULL,
  line integer NOT NULL,
  "offset" bigint NOT NULL,
  ordinal integer NOT NULL,
  source text NOT NULL,
  text text NOT NULL,
  content_hash text NOT NULL,
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
  traits bigint NOT NULL,
  embedding_hash bytea NOT NULL,
  row_hash bytea NOT NULL,
  large boolean NOT NULL,  -- its tenant uses the index over terms
  terms bigint[] NOT NULL,  -- each once, hashed with the tenant
  bm25 sparsevec({DIMENSIONS}) NOT NULL,  -- the weight of each term, without its IDF
  PRIMARY KEY (tenant, id)
) PARTITION BY HASH (tenant);
CREATE INDEX chunk_place ON {table("chunk")} (tenant, machine, path, ordinal);
CREATE INDEX chunk_time ON {table("chunk")} (tenant, "timestamp");
CREATE INDEX chunk_terms ON {table("chunk")} USING gin (terms) WHERE large;
CREATE TABLE {table("term")} (  -- of large tenants: in how many passages a term stands
  tenant uuid NOT NULL,
  term bigint NOT NULL,
  documents integer NOT NULL,
  PRIMARY KEY (tenant, term)
) PARTITION BY HASH (tenant);
CREATE TABLE {table("embedding")} (  -- of their own, or they would push the texts out of their pages
  tenant uuid NOT NULL,
  space integer NOT NULL,
  id bigint NOT NULL,
  vector halfvec,  -- without a dimension: a new model is a new space; NULL: the model's answer was none
  PRIMARY KEY (tenant, space, id)
) PARTITION BY HASH (tenant);
CREATE TABLE {table("record")} (  -- what machines wrote, byte for byte
  tenant uuid NOT NULL,
  id uuid NOT NULL,  -- made where it was written
  version bigint NOT NULL,
  machine text NOT NULL,
  path text NOT NULL,
  "offset" bigint NOT NULL,
  body bytea,  -- NULL: forgotten for good
  PRIMARY KEY (tenant, id)
) PARTITION BY HASH (tenant);
CREATE INDEX record_place ON {table("record")} (tenant, machine, path);
CREATE TABLE {table("entry")} (  -- scored entries: one truth, changed by revision
  tenant uuid NOT NULL,
  id text NOT NULL,  -- the short one
  number uuid NOT NULL,  -- its own: tells two that have one short id by chance
  revision integer NOT NULL,
  version bigint NOT NULL,
  machine text NOT NULL,  -- that changed it last
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  body text,  -- JSON; NULL: it was taken out
  forgotten boolean NOT NULL DEFAULT false,  -- for good: it does not come back
  PRIMARY KEY (tenant, id)
);
CREATE INDEX entry_version ON {table("entry")} (tenant, version);
CREATE TABLE {table("entry_history")} (  -- what each revision was, for whoever merges
  tenant uuid NOT NULL,
  id text NOT NULL,
  revision integer NOT NULL,
  body text,
  PRIMARY KEY (tenant, id, revision)
);
CREATE TABLE {table("lease")} (  -- which machine does what is to be done once for all
  tenant uuid NOT NULL,
  work text NOT NULL,
  machine text NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (tenant, work)
);
"""

# What was said, and its words: the server's statistics would hold samples of them after they are forgotten.
_SAID = {
    "chunk": ("text", "heading", "tldr", "tags", "speaker", "body_terms", "head_terms"),
    "record": ("body",),
    "entry": ("body",),
    "entry_history": ("body",),
    "erasure": ("body",),
}


def prepare(connection: Connection, partitions: int) -> None:
    """Make the tables, where there are none; nobody else does meanwhile.

    Raises `StoreError` for a server or an extension that is too old, and for tables of a newer version.
    """
    with plain_errors():
        if version_of(connection) == SCHEMA_VERSION:
            return
        _check_server(connection)
        with connection.transaction():
            run(connection, "SET LOCAL lock_timeout = '5s'")
            run(connection, "SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            version = version_of(connection)
            must_be_known(version)
            if not version:
                _make(connection, partitions)


def _make(connection: Connection, partitions: int) -> None:
    if not run(connection, "SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
        run(connection, "CREATE EXTENSION vector")
    run(connection, f"CREATE SCHEMA IF NOT EXISTS {SCHEMA_NAME}")
    run(connection, _TABLES)
    _part(connection, _PARTED, partitions)
    run(connection, "; ".join(_without_samples()))
    run(connection, f"INSERT INTO {table('meta')} VALUES ('schema', %s)", (str(SCHEMA_VERSION),))


def _without_samples() -> Iterator[str]:
    """Yield what keeps ANALYZE from sampling what was said; no question needs to know how its values are spread."""
    for name, columns in _SAID.items():
        yield f"ALTER TABLE {table(name)} " + ", ".join(f"ALTER COLUMN {one} SET STATISTICS 0" for one in columns)


def _part(connection: Connection, names: Sequence[str], parts: int) -> None:
    made = [
        f"CREATE TABLE {table(f'{name}_{number}')} PARTITION OF {table(name)} "
        f"FOR VALUES WITH (MODULUS {parts}, REMAINDER {number})"
        for name in names
        for number in range(parts)
    ]
    run(connection, "; ".join(made))  # in one round trip: over a slow way each is felt


def must_be_known(version: int) -> None:
    """Raise `StoreError` for tables of a newer version."""
    if version > SCHEMA_VERSION:
        raise StoreError(
            Sentence(
                "A newer version made the shared memory (schema {version}, this one knows {known}).",
                version=version,
                known=SCHEMA_VERSION,
            ),
            hint="Update nanobot-memory-postgres on this machine; until then its own index answers.",
        )


def version_of(connection: Connection) -> int:
    """Return the version of the tables, 0 where there are none."""
    there = run(connection, "SELECT to_regclass(%s)", (table("meta"),)).fetchone()
    if there is None or there[0] is None:
        return 0
    row = run(connection, f"SELECT value FROM {table('meta')} WHERE key = 'schema'").fetchone()
    return int(row[0]) if row else 0


def _check_server(connection: Connection) -> None:
    version = connection.info.server_version
    if version // 10_000 < LEAST_SERVER:
        raise StoreError(
            Sentence(
                "The server is PostgreSQL {version}; the shared memory needs {least} or later.",
                version=version // 10_000,
                least=LEAST_SERVER,
            ),
            hint="Update the server.",
        )
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
    found = tuple(int(part) for part in str(row[0]).split(".") if part.isdigit())
    if found < LEAST_PGVECTOR:
        least = ".".join(map(str, LEAST_PGVECTOR))
        raise StoreError(
            Sentence(
                "The server's pgvector is {version}; versions before {least} are vulnerable (CVE-2026-3172).",
                version=row[0],
                least=least,
            ),
            hint="Update it there, and let an administrator run: ALTER EXTENSION vector UPDATE",
        )
