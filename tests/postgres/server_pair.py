"""A server with a standby that can take its place."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from nanobot_memory_plugins.postgres.server.binaries import find_binaries
from nanobot_memory_plugins.postgres.server.launcher import OwnServer


def administer(server: OwnServer, *statements: str) -> None:
    with psycopg.connect(server.administrator_dsn, autocommit=True) as admin:
        for statement in statements:
            admin.execute(statement.encode())


def copy(primary: OwnServer, standby: OwnServer) -> None:
    """Make the standby's data a copy of the primary's, which it follows from then on."""
    binaries = standby._own(find_binaries(None))
    arguments = ["-h", primary._sockets, "-U", "postgres", "-D", standby._data, "-R", "-X", "stream", "-c", "fast"]
    primary._run(binaries, "pg_basebackup", *arguments)


def dsn_of_both(primary: OwnServer, standby: OwnServer) -> str:
    """Return how a client reaches whichever of the two takes what is written."""
    return make_conninfo(primary.dsn, host=f"{primary._sockets},{standby._sockets}", target_session_attrs="read-write")


def kill(server: OwnServer) -> None:
    os.kill(server.status().process, signal.SIGKILL)


@contextmanager
def primary_and_standby(folder: Path) -> Iterator[tuple[OwnServer, OwnServer]]:
    primary, standby = OwnServer(folder / "p"), OwnServer(folder / "s")
    with primary.running():
        copy(primary, standby)
        with standby.running():
            yield primary, standby
