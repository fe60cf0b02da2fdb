"""A server that goes back: to what it was at a moment, as by a backup that is restored or a standby that was behind."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from nanobot_memory_plugins.postgres.server.launcher import OwnServer

_TABLES = "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a "
_TABLES += "ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped "
_TABLES += "WHERE n.nspname = 'nanobot_memory' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1"


class Backup:
    """All rows of a tenant as they were at a moment."""

    def __init__(self, server: OwnServer, tenant: str) -> None:
        self._dsn = server.dsn
        self._tenant = tenant
        self._rows: dict[str, list[str]] = {}
        with psycopg.connect(self._dsn) as connection:
            for (name,) in connection.execute(_TABLES.encode()).fetchall():
                found = connection.execute(f"SELECT t::text FROM nanobot_memory.{name} t WHERE {self._mine}".encode())
                self._rows[name] = [row[0] for row in found]

    @property
    def _mine(self) -> str:
        return f"t.tenant = (SELECT n.tenant FROM nanobot_memory.tenant n WHERE n.name = '{self._tenant}')"

    def restore(self) -> None:
        """Put them in the place of those that are there. Connections are broken off, as a restart does."""
        with psycopg.connect(self._dsn, autocommit=True) as connection, connection.transaction():
            connection.execute(
                b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                b"AND usename = current_user AND datname = current_database()"
            )
            for name in sorted(self._rows, key=lambda one: one == "tenant"):  # by whose name the others are found
                connection.execute(f"DELETE FROM nanobot_memory.{name} t WHERE {self._mine}".encode())
            for name, rows in self._rows.items():
                for row in rows:
                    connection.execute(
                        f"INSERT INTO nanobot_memory.{name} SELECT (%s::nanobot_memory.{name}).*".encode(), [row]
                    )


@contextmanager
def gone_back(server: OwnServer, tenant: str) -> Iterator[None]:
    """Let what happens within be lost by the server."""
    backup = Backup(server, tenant)
    yield
    backup.restore()
