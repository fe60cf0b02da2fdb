"""Connections to the server, their errors in plain words, and breaking one off from another thread."""

import contextlib
import logging
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias
from uuid import UUID

import psycopg
from psycopg.rows import TupleRow

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What psycopg warns of goes where the program's logging says, and onto no terminal where it says nothing.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Connection: TypeAlias = psycopg.Connection[TupleRow]
# Seconds to connect; what a dsn says of it wins.
_CONNECT_SECONDS = 5
_SETTINGS = {"application_name": "nanobot-memory", "keepalives_idle": 30, "tcp_user_timeout": 5_000}
_SCHEMA = "nanobot_memory"
TENANT_SETTING: Final = "nanobot_memory.tenant"
"""What the policies of row-level security compare rows with."""


class TenantConnection(psycopg.Connection[TupleRow]):
    """A connection whose every transaction says whose it is, to the policies of row-level security.

    It says so for a transaction and never for longer: behind a pooler the next one of a session is a stranger's.
    """

    tenant: UUID
    is_inside = False

    @contextmanager
    def transaction(
        self, savepoint_name: str | None = None, force_rollback: bool = False
    ) -> Iterator[psycopg.Transaction]:
        """Begin a transaction, or a part of one, that ends with the context."""
        if self.is_inside:
            with super().transaction(savepoint_name, force_rollback) as part:
                yield part
            return
        with super().transaction(savepoint_name, force_rollback) as begun:
            self.is_inside = True
            try:
                self.execute(f"SELECT set_config('{TENANT_SETTING}', '{self.tenant}', true)".encode())
                yield begun
            finally:
                self.is_inside = False


# Of one transaction: how long it may wait for its client, and for others.
_LIMITS = (
    b"SELECT set_config('idle_in_transaction_session_timeout', '20s', true), set_config('lock_timeout', '30s', true)"
)


def connect(dsn: str, *, pooler: bool = False, tenant: UUID | None = None) -> Connection:
    """Open a connection, each statement of which is a transaction of its own unless one is begun.

    With a ``tenant`` it is a `TenantConnection`.

    Raises `StoreError`; nothing of the dsn is in it.
    """
    try:
        given = psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.Error as error:
        raise StoreError(
            "The option dsn of postgres is no address of a PostgreSQL server.",
            hint='It looks like "host=db.example.com dbname=memory user=memory", or "postgresql://...".',
        ) from error
    wanted: dict[str, Any] = {"connect_timeout": _CONNECT_SECONDS, **_SETTINGS, **given}
    with plain_errors():
        connection: Connection
        if tenant is None:
            connection = psycopg.connect(**wanted, autocommit=True)
        else:
            connection = walled = TenantConnection.connect(**wanted, autocommit=True)
            walled.tenant = tenant
    # A literal tenant in every statement keeps plans right; prepared ones would be a pooler's trouble as well.
    connection.prepare_threshold = None if pooler else connection.prepare_threshold
    return connection


@contextmanager
def bounded_transaction(connection: Connection) -> Iterator[None]:
    """Begin a transaction that waits for no lock for long, and that the server ends where its client is gone.

    A client that vanishes in the middle would keep what it has locked for as long as the network believes in it.
    """
    with connection.transaction():
        connection.execute(_LIMITS)
        yield


@contextmanager
def piped_transaction(connection: Connection) -> Iterator[None]:
    """Begin a `bounded_transaction` in a pipeline: what is not looked at within is waited for once, at its end.

    psycopg's own transaction waits at its beginning, before its end and behind it. None may be begun yet.
    """
    inside = connection if isinstance(connection, TenantConnection) else None
    try:
        with connection.pipeline():
            connection.execute(b"BEGIN")
            if inside is not None:
                inside.is_inside = True
                inside.execute(f"SELECT set_config('{TENANT_SETTING}', '{inside.tenant}', true)".encode())
            connection.execute(_LIMITS)
            yield
            connection.execute(b"COMMIT")
    except BaseException:
        if not connection.closed:
            with contextlib.suppress(psycopg.Error):
                connection.rollback()
        raise
    finally:
        if inside is not None:
            inside.is_inside = False


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors of the server or of the way to it into `StoreError`, without values of statements."""
    try:
        yield
    except psycopg.errors.UndefinedTable as error:
        raise StoreError("The tables of the shared memory are not there.", hint="They are made anew soon.") from error
    except psycopg.OperationalError as error:
        told = ", ".join(filter(None, (type(error).__name__, error.sqlstate)))
        raise StoreError(
            Sentence("The server of the shared memory does not answer ({told}).", told=told),
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
    if isinstance(connection, TenantConnection) and not connection.is_inside:
        with connection.pipeline(), connection.transaction():  # one round trip
            return connection.execute(sql.encode(), values)
    return connection.execute(sql.encode(), values)


def run_many(cursor: "psycopg.Cursor[TupleRow]", sql: str, values: Sequence[Sequence[Any]]) -> None:
    """Run one statement with many values, in as few round trips as there may be."""
    if len(values) == 1:
        cursor.execute(sql.encode(), values[0])  # in a pipeline it is not waited for, which many are
        return
    cursor.executemany(sql.encode(), values)


@contextmanager
def together(connection: Connection) -> Iterator[None]:
    """Run several statements as one transaction where each would have to say whose it is."""
    with connection.transaction() if isinstance(connection, TenantConnection) else contextlib.nullcontext():
        yield


def break_off(connection: Connection) -> None:
    """End whatever another thread does on a connection, now: its statement fails, and so do all that follow.

    Closing it here would take it from under that thread; the end of its socket is something that it waits for.
    """
    with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as its:
        its.shutdown(socket.SHUT_RDWR)


def table(name: str) -> str:
    """Return a table's full name: no search path is relied upon, which a pooler might not keep."""
    return f"{_SCHEMA}.{name}"


SCHEMA_NAME = _SCHEMA
