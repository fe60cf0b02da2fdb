"""Cursors that forget whose rows a statement means, and what is in the tables afterwards."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import psycopg

from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.postgres.server.launcher import OwnServer

# A tenant's condition as `where.of_tenant` writes it.
WRITTEN = re.compile(rb"\b(?:\w+\.)+tenant = '[0-9a-f-]{36}'::uuid")
NUMBER = re.compile(rb"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4,}")
# What a statement reads or changes rows of, and the name that it gives them.
ROWS = re.compile(
    rb"(?:FROM|JOIN|UPDATE|,)\s+nanobot_memory\.(?!meta|space\b|words)\w+\s+(?:AS\s+)?(?!WHERE\b|SET\b)(\w+)"
)
TABLES = (
    "active_space", "chunk", "embedding", "entry", "entry_history", "erased", "erasure", "file", "lease", "machine",
    "record", "tenant", "term",
)  # fmt: skip


class Careless:
    """Takes the tenant out of every condition of every statement, while ``is_on``; writes down the statements."""

    is_on = False
    seen: ClassVar[set[bytes]] = set()
    stripped: ClassVar[set[bytes]] = set()
    without: ClassVar[set[bytes]] = set()

    @classmethod
    def statement(cls, query: Any) -> Any:
        if not isinstance(query, bytes):
            return query
        changed = WRITTEN.sub(b"true", query)
        if not all(_is_held(query, alias) for alias in ROWS.findall(query)):
            cls.without.add(NUMBER.sub(b"", query))
        if changed == query:
            return query
        (cls.stripped if cls.is_on else cls.seen).add(NUMBER.sub(b"", query))
        return changed if cls.is_on else query


def _is_held(query: bytes, alias: bytes) -> bool:
    """Tell whether a statement says whose rows it means, by a value or by those of another."""
    return re.search(rb"\b%s\.tenant = |= %s\.tenant\b" % (alias, alias), query) is not None


class CarelessCursor(psycopg.Cursor[Any]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(Careless.statement(query), params, **options)

    def executemany(self, query: Any, params_seq: Any, **options: Any) -> None:
        super().executemany(Careless.statement(query), params_seq, **options)


class CarelessServerCursor(psycopg.ServerCursor[Any]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(Careless.statement(query), params, **options)


@contextmanager
def careless() -> Iterator[None]:
    Careless.is_on = True
    try:
        yield
    finally:
        Careless.is_on = False


def rows_of(server: OwnServer, tenant: str) -> dict[str, list[Any]]:
    """Return every row of a tenant, as the administrator sees them."""
    with psycopg.connect(server.administrator_dsn) as connection:
        return {
            name: connection.execute(
                f"SELECT t::text FROM nanobot_memory.{name} t WHERE t.tenant = %s ORDER BY 1".encode(),
                [Tenant.named(tenant).id],
            ).fetchall()
            for name in TABLES
        }
