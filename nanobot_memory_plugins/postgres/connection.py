"""Connections to the server, and transactions that name their tenant.

Every transaction sets its tenant, only until its end, so that this also works behind a pooler. Row-level security
applies the tenant to every statement; the statements themselves do not name it.
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

# Without a configured logging handler the warnings of psycopg must not go to the terminal.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Connection: TypeAlias = psycopg.Connection[TupleRow]
TENANT_SETTING: Final = "nanobot_memory.tenant"
"""The setting with which row-level security compares rows."""
# Defaults of connection parameters; those in the dsn win.
_SETTINGS = {
    "connect_timeout": 5, "application_name": "nanobot-memory", "keepalives_idle": 30, "tcp_user_timeout": 5_000,
}  # fmt: skip
# The UUID namespace of tenants: every machine derives the same id from a name.
_NAMESPACE: Final = UUID("6f7b1a0e-6e0c-5d0e-9a52-1b1d6f0c8a11")
_BEGIN: Final = (
    f"SELECT set_config('{TENANT_SETTING}', %s, true), set_config('lock_timeout', '30s', true), "
    "set_config('idle_in_transaction_session_timeout', '20s', true)"
).encode()


def tenant_of(name: str) -> UUID:
    """Return the id of the tenant with a name."""
    return uuid5(_NAMESPACE, name)


def connect(dsn: str) -> Connection:
    """Open a connection. Raises `StoreError`, without any part of the dsn."""
    try:
        dsn_parameters = psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.Error as error:
        raise StoreError(
            "The option dsn of postgres is not the address of a PostgreSQL server.",
            hint='It looks like "host=db.example.com dbname=memory user=memory", or "postgresql://...".',
        ) from error
    parameters: dict[str, Any] = {**_SETTINGS, **dsn_parameters}
    with translate_errors():
        connection = psycopg.connect(**parameters, autocommit=True)
    connection.prepare_threshold = None  # behind a pooler, prepared statements would be another client's
    return connection


@contextmanager
def transaction(connection: Connection, tenant: UUID) -> Iterator[None]:
    """Run a transaction for a tenant. Raises `StoreError`.

    Waiting for a lock is limited, and the server ends the transaction when the client is gone. The statements are
    pipelined: results that are not read are awaited once, at the end.
    """
    try:
        with translate_errors(), connection.pipeline():
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
def translate_errors() -> Iterator[None]:
    """Turn errors of the server or the connection into `StoreError`, without values of statements."""
    try:
        yield
    except psycopg.errors.UndefinedTable as error:
        raise StoreError(
            "The tables of the shared memory are not there.", hint="They are created again soon."
        ) from error
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
    """Run one statement. ``sql`` may contain names of tables and columns, but no values."""
    return connection.execute(sql.encode(), values, binary=True)


def run_many(connection: Connection, sql: str, values: Sequence[Sequence[Any]]) -> None:
    """Run one statement once for each row of values."""
    with connection.cursor() as cursor:
        cursor.executemany(sql.encode(), values)


def abort(connection: Connection) -> None:
    """Abort the work of another thread on a connection at once: its statement and all later ones fail.

    Closing the connection here would not be safe while that thread uses it, but shutting down its socket wakes it.
    """
    with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as sock:
        sock.shutdown(socket.SHUT_RDWR)
