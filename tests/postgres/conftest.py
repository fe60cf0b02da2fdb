"""A real PostgreSQL server for the tests, and a database in it for each module."""

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from filelock import FileLock
from psycopg.conninfo import make_conninfo

from nanobot_memory_plugins.postgres import schema
from nanobot_memory_plugins.postgres.connection import connect
from tests.postgres.machines import Database
from tests.support.postgres_server import ROLE, OwnServer, ServerError, find_binaries


@pytest.fixture(scope="session")
def run_server(request: pytest.FixtureRequest) -> Iterator[OwnServer]:
    """The server of a test run: the first process starts it, and the last one stops it."""
    try:
        find_binaries()
    except ServerError as error:
        pytest.skip(f"no PostgreSQL server for this platform: {error}")
    run = getattr(request.config, "workerinput", {}).get("testrunuid", uuid.uuid4().hex)
    folder = Path(tempfile.gettempdir()) / f"pg{run[:12]}"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    lock, users = FileLock(folder / "users.lock"), folder / "users"
    users.mkdir(exist_ok=True)
    own, me = OwnServer(folder / "s", safe=False), users / str(os.getpid())
    with lock:
        if not own.process:
            own.start()
            with connect(own.dsn) as owner:
                schema.prepare(owner)
        me.touch()
    yield own
    with lock:
        me.unlink()
        if not any(users.iterdir()):
            own.stop()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def server(run_server: OwnServer) -> Iterator[Database]:
    """The server of the run, with a database and its tables for the module."""
    made = Database(run_server.folder, f"m{uuid.uuid4().hex}")
    everything = make_conninfo(run_server.administrator_dsn, dbname="postgres")
    with psycopg.connect(everything, autocommit=True) as administrator:
        copy = f"CREATE DATABASE {made.name} OWNER {ROLE} TEMPLATE memory STRATEGY FILE_COPY"
        administrator.execute(copy.encode())
    yield made
    with psycopg.connect(everything, autocommit=True) as administrator:
        administrator.execute(f"DROP DATABASE {made.name} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def own_server() -> Iterator[OwnServer]:
    """A separate server that a module may stop and kill; its folder has a short name, for the socket."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    folder.chmod(0o755)
    try:
        with OwnServer(folder / "s", safe=False).running() as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)
