"""What ``nanobot-memory doctor`` says of the sharing: the server, what it promises, and who shares the memory."""

from collections.abc import Iterator

from nanobot_memory_plugins.core import Finding, Health
from nanobot_memory_plugins.postgres.connection import Connection, run
from nanobot_memory_plugins.postgres.passages import Owner
from nanobot_memory_plugins.postgres.server import Server
from nanobot_memory_plugins.redaction.script.messages import Sentence


def findings(connection: Connection, owner: Owner, unsent: int) -> list[Finding]:
    """Return one finding a fact, each with a hint where it is not good.

    ``unsent`` bytes of this machine's files are not on the server yet.
    """
    return [
        _sharing(owner, unsent),
        *_server(connection),
        Finding("shared memory: tenants", "row-level security holds every statement to the rows of its tenant"),
        *_machines(connection, owner),
    ]


def away(server: Server) -> Finding:
    """Say that the server does not answer, or too late, why, and what helps."""
    state = Sentence("away: {reason} This machine's own index answers, and nothing is lost.", reason=server.reason)
    return Finding("shared memory", state, Health.DEGRADED, server.hint)


def _sharing(owner: Owner, unsent: int) -> Finding:
    if unsent:
        waiting = Sentence(
            "{unsent:,} bytes of this machine's files are kept here and not for everybody yet", unsent=unsent
        )
        hint = Sentence("They are sent while an agent runs; the log says why they are not.")
        return Finding("shared memory", waiting, Health.INFO, hint)
    state = Sentence(
        "what this machine keeps is kept for everybody of {name}, as {machine}", name=owner.name, machine=owner.machine
    )
    return Finding("shared memory", state)


def _server(connection: Connection) -> Iterator[Finding]:
    row = run(
        connection,
        "SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'), coalesce((SELECT s.ssl "
        "FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid()), false) OR inet_server_addr() IS NULL",
    ).fetchone()
    vector, is_private = row or ("", True)
    major, minor = divmod(connection.info.server_version, 10_000)
    yield Finding("shared memory: server", f"PostgreSQL {major}.{minor}, pgvector {vector}")
    if not is_private:
        yield Finding(
            "shared memory: encryption",
            "the connection is not encrypted",
            Health.DEGRADED,
            "Add sslmode=verify-full to memoryPlugins.postgres.dsn.",
        )


def _machines(connection: Connection, owner: Owner) -> Iterator[Finding]:
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
                Sentence("has still to forget what was forgotten on another machine ({orders})", orders=orders),
                Health.INFO,
            )
