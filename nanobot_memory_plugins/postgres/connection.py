"""Connections to the server, and transactions that name their tenant.

Every statement runs in a transaction that names its tenant, for no longer than that: so it holds behind a pooler, too.
Row-level security adds the tenant to every statement, and no statement of ours names one.
"""

import contextlib
import logging
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid5

import psycopg
from psycopg.rows import TupleRow

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What psycopg warns of goes where the program's logging says, and onto no terminal where it says nothing.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Connection: TypeAlias = psycopg.Connection[TupleRow]
TENANT_SETTING: Final = "nanobot_memory.tenant"
"""What row-level security compares rows with."""
# What a dsn says of these wins.
_SETTINGS = {
    "connect_timeout": 5, "application_name": "nanobot-memory", "keepalives_idle": 30, "tcp_user_timeout": 5_000,
}  # fmt: skip
# Of all tenants: their numbers are made of their names, by every machine alike.
_NAMESPACE: Final = UUID("6f7b1a0e-6e0c-5d0e-9a52-1b1d6f0c8a11")
_BEGIN: Final = (
    f"SELECT set_config('{TENANT_SETTING}', %s, true), set_config('lock_timeout', '30s', true), "
    "set_config('idle_in_transaction_session_timeout', '20s', true)"
).encode()


def tenant_of(name: str) -> UUID:
    """Return the number of the tenant of a name."""
    return uuid5(_NAMESPACE, name)


def connect(dsn: str) -> Connection:
    """Open a connection. Raises `StoreError`; nothing of the dsn is in it."""
    try:
        given = psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.Error as error:
        raise StoreError(
            "The option dsn of postgres is no address of a PostgreSQL server.",
            hint='It looks like "host=db.example.com dbname=memory user=memory", or "postgresql://...".',
        ) from error
    parameters: dict[str, Any] = {**_SETTINGS, **given}
    with plain_errors():
        connection = psycopg.connect(**parameters, autocommit=True)
    connection.prepare_threshold = None  # what is prepared would be a stranger's behind a pooler
    return connection


@contextmanager
def transaction(connection: Connection, tenant: UUID) -> Iterator[None]:
    """Do something for a tenant, whole or not at all. Raises `StoreError`.

    It waits for no lock for long, and the server ends it where its client is gone. It is a pipeline: what nobody looks
    at is waited for once, at the end.
    """
    try:
        with plain_errors(), connection.pipeline():
            connection.execute(b"BEGIN")
            connection.execute(_BEGIN, (str(tenant),))
            yield
            connection.execute(b"COMMIT")
    except BaseException:
        if not connection.closed:
            with contextlib.suppress(psycopg.Error):
                connection.rollback()
        raise


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors of the server or of the way to it into `StoreError`, without values of statements."""
    try:
        yield
    except psycopg.errors.UndefinedTable as error:
        raise StoreError("The tables of the shared memory are not there.", hint="They are made anew soon.") from error
    except psycopg.OperationalError as error:
        detail = ", ".join(filter(None, (type(error).__name__, error.sqlstate)))
        raise StoreError(
            Sentence("The server of the shared memory does not answer ({told}).", told=detail),
            hint="Check that it runs, the option dsn of postgres, and the password file.",
        ) from error
    except psycopg.Error as error:
        code = error.sqlstate or Sentence("no code")
        raise StoreError(
            Sentence("The server of the shared memory refuses ({kind}, {code}).", kind=type(error).__name__, code=code)
        ) from error


def run(
    connection: Connection, sql: str, values: Sequence[Any] | Mapping[str, Any] | None = None
) -> "psycopg.Cursor[TupleRow]":
    """Run one statement. Names of tables and columns are part of it, values never are."""
    return connection.execute(sql.encode(), values, binary=True)


def run_many(connection: Connection, sql: str, values: Sequence[Sequence[Any]]) -> None:
    """Run one statement for each of some values."""
    with connection.cursor() as cursor:
        cursor.executemany(sql.encode(), values)


def break_off(connection: Connection) -> None:
    """End whatever another thread does on a connection, now: its statement fails, and so do all that follow.

    Closing it here would take it from under that thread; the end of its socket is something that it waits for.
    """
    with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as its:
        its.shutdown(socket.SHUT_RDWR)
