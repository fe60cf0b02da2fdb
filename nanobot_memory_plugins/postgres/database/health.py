"""What ``nanobot-memory doctor`` says of the server: versions, promises, rights, and who shares the memory."""

from collections.abc import Iterator
from typing import Final

from nanobot_memory_plugins.core import Finding, Health
from nanobot_memory_plugins.postgres.database.connection import (
    SCHEMA_NAME,
    Connection,
    TenantConnection,
    plain_errors,
    run,
    table,
)
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import of_tenant
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The first of each major version without CVE-2026-14662 (overflow in full-text values).
_SAFE_MINOR: Final = {15: 19, 16: 15, 17: 11, 18: 6}
# Before the first a vacuum may fail under load; before the second any user can read beyond an index (CVE-2026-3172).
_SOUND_PGVECTOR, _SAFE_PGVECTOR = (0, 8, 4), (0, 8, 2)
_UPDATE = (
    "Update pgvector on the server of memoryPlugins.postgres.dsn, and let an administrator run there: "
    "ALTER EXTENSION vector UPDATE"
)
# Days without a word after which a machine is named.
_SILENT_DAYS = 30


def findings(connection: Connection, whose: TenantOwner) -> list[Finding]:
    """Return one finding a fact, each with a hint where it is not good. Raises `StoreError`."""
    with plain_errors():
        return [
            *_versions(connection),
            *_promises(connection),
            *_rights(connection),
            *_indexes(connection),
            *_machines(connection, whose),
        ]


def _versions(connection: Connection) -> Iterator[Finding]:
    major, minor = divmod(connection.info.server_version, 10_000)
    state = f"PostgreSQL {major}.{minor}"
    if minor < _SAFE_MINOR.get(major, 0):
        yield Finding(
            "shared memory: server",
            Sentence("{state} is vulnerable (CVE-2026-14662)", state=state),
            Health.DEGRADED,
            Sentence(
                "Update the server of memoryPlugins.postgres.dsn to {major}.{safe_minor} or later.",
                major=major,
                safe_minor=_SAFE_MINOR[major],
            ),
        )
    else:
        yield Finding("shared memory: server", state)
    row = run(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    version = str(row[0]) if row else ""
    found = tuple(int(part) for part in version.split(".") if part.isdigit())
    if found < _SAFE_PGVECTOR:
        yield Finding(
            "shared memory: pgvector",
            Sentence("{version} is vulnerable (CVE-2026-3172)", version=version),
            Health.BAD,
            _UPDATE,
        )
    elif found < _SOUND_PGVECTOR:
        yield Finding(
            "shared memory: pgvector",
            Sentence("{version} may fail to vacuum under load", version=version),
            Health.DEGRADED,
            _UPDATE,
        )
    else:
        yield Finding("shared memory: pgvector", version)


def _promises(connection: Connection) -> Iterator[Finding]:
    """Say what of the last moment a crash or a failover may lose."""
    names = ("fsync", "synchronous_commit", "synchronous_standby_names", "server_encoding")
    row = run(connection, f"SELECT {', '.join('current_setting(%s)' for _ in names)}", names).fetchone()
    said = dict(zip(names, row or (), strict=False))
    subject = "shared memory: durability"
    if said.get("fsync") == "off":
        yield Finding(
            subject,
            "fsync is off: a crash may destroy the database",
            Health.BAD,
            "Set fsync = on on the server of memoryPlugins.postgres.dsn.",
        )
    elif said.get("synchronous_commit") == "off":
        yield Finding(
            subject,
            "synchronous_commit is off: a crash loses what was kept last, and machines take it for sent",
            Health.BAD,
            "Set synchronous_commit = on on the server of memoryPlugins.postgres.dsn.",
        )
    elif said.get("synchronous_standby_names") and said.get("synchronous_commit") not in ("on", "remote_apply"):
        state = Sentence(
            "survives a crash; synchronous_commit is {value}, so a failover may lose the last commits",
            value=said.get("synchronous_commit"),
        )
        yield Finding(subject, state)
    elif said.get("synchronous_standby_names"):
        yield Finding(subject, "survives a crash and a failover: a standby confirms each commit")
    else:
        yield Finding(subject, "survives a crash; no standby confirms commits, so a failover may lose the last ones")
    if said.get("server_encoding") != "UTF8":
        yield Finding(
            "shared memory: encoding",
            Sentence("the database is {encoding}: some texts cannot be kept", encoding=said.get("server_encoding")),
            Health.BAD,
            "Make a database with ENCODING 'UTF8', and name it in memoryPlugins.postgres.dsn.",
        )


def _rights(connection: Connection) -> Iterator[Finding]:
    row = run(
        connection,
        "SELECT r.rolsuper OR r.rolbypassrls, "
        "coalesce((SELECT s.ssl FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid()), false), "
        "inet_server_addr() IS NULL FROM pg_roles r WHERE r.rolname = current_user",
    ).fetchone()
    is_mighty, is_encrypted, is_here = row or (False, True, True)
    if is_mighty:
        yield Finding(
            "shared memory: rights",
            "its role may do anything on the server",
            Health.DEGRADED,
            "Make a role that owns the memory's database and nothing else, and name it in memoryPlugins.postgres.dsn.",
        )
    if isinstance(connection, TenantConnection):
        yield Finding("shared memory: tenants", "row-level security holds this role to its own tenant")
    if not is_encrypted and not is_here:
        yield Finding(
            "shared memory: encryption",
            "the connection is not encrypted",
            Health.DEGRADED,
            "Add sslmode=verify-full to memoryPlugins.postgres.dsn.",
        )


def _indexes(connection: Connection) -> Iterator[Finding]:
    broken = run(
        connection,
        "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n "
        "ON n.oid = c.relnamespace WHERE n.nspname = %s AND NOT i.indisvalid ORDER BY 1",
        (SCHEMA_NAME,),
    ).fetchall()
    if broken:
        names = ", ".join(str(row[0]) for row in broken)
        yield Finding(
            "shared memory: indexes",
            Sentence("not valid: {names}", names=names),
            Health.DEGRADED,
            "Run REINDEX INDEX of each on the server of memoryPlugins.postgres.dsn.",
        )


def _machines(connection: Connection, whose: TenantOwner) -> Iterator[Finding]:
    mine = of_tenant(whose.tenant, "m")
    rows = run(
        connection,
        f"SELECT m.machine, extract(epoch FROM now() - m.sent_at) / 86400, (SELECT count(*) FROM {table('erasure')} e "
        f"WHERE {of_tenant(whose.tenant, 'e')} AND e.body IS NOT NULL "
        f"AND NOT EXISTS (SELECT 1 FROM {table('erased')} d WHERE {of_tenant(whose.tenant, 'd')} "
        f"AND d.id = e.id AND d.machine = m.machine)) FROM {table('machine')} m WHERE {mine} ORDER BY 1",
    ).fetchall()
    names = [
        Sentence("{machine} (this one)", machine=name) if name == whose.machine else str(name) for name, _, _ in rows
    ]
    yield Finding("shared memory: machines", Sentence.joined(names) if names else "none has sent anything yet")
    for machine, days, orders in rows:
        if orders and machine != whose.machine:
            waits = Sentence("has still to forget what was forgotten on another machine ({orders})", orders=orders)
            silent = Sentence("{waits}, silent for {days} days", waits=waits, days=int(days))
            yield Finding(
                Sentence("shared memory: {machine}", machine=machine),
                silent if days >= _SILENT_DAYS else waits,
                Health.INFO,
            )
