"""The findings of ``nanobot-memory doctor`` about the shared memory: server, encryption and machines."""

from collections.abc import Iterator

from nanobot_memory_plugins.core import Finding, Health
from nanobot_memory_plugins.postgres.connection import Connection, run
from nanobot_memory_plugins.postgres.passages import Owner
from nanobot_memory_plugins.redaction.script.messages import Sentence


def findings(connection: Connection, owner: Owner, unsent: int) -> Iterator[Finding]:
    """Yield one finding per fact, with a hint where it is not good.

    ``unsent`` is the number of bytes of this machine's files that are not on the server yet.
    """
    shared = Sentence(
        "this machine shares its memory with everybody of {name}, as {machine}", name=owner.name, machine=owner.machine
    )
    waiting = Sentence("{unsent:,} bytes of this machine's files are not on the server yet", unsent=unsent)
    hint = Sentence("They are sent while an agent runs; the log says why they are not.")
    yield Finding("shared memory", waiting, Health.INFO, hint) if unsent else Finding("shared memory", shared)
    vector, is_private = run(
        connection,
        "SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'), coalesce((SELECT s.ssl "
        "FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid()), false) OR inet_server_addr() IS NULL",
    ).fetchone() or ("", True)
    major, minor = divmod(connection.info.server_version, 10_000)
    yield Finding("shared memory: server", f"PostgreSQL {major}.{minor}, pgvector {vector}")
    if not is_private:
        yield Finding(
            "shared memory: encryption",
            "the connection is not encrypted",
            Health.DEGRADED,
            "Add sslmode=verify-full to postgres.dsn.",
        )
    rows = run(
        connection,
        "SELECT m.machine, (SELECT count(*) FROM nanobot_memory.forgotten f "
        "WHERE f.body IS NOT NULL AND f.revision > m.forgotten) FROM nanobot_memory.machine m ORDER BY 1",
    ).fetchall()
    names = [Sentence("{machine} (this one)", machine=name) if name == owner.machine else str(name) for name, _ in rows]
    yield Finding("shared memory: machines", Sentence.joined(names) if names else "none has sent anything yet")
    for machine, orders in rows:
        if orders and machine != owner.machine:
            yield Finding(
                Sentence("shared memory: {machine}", machine=machine),
                Sentence("still has to forget what was forgotten on another machine ({orders})", orders=orders),
                Health.INFO,
            )
