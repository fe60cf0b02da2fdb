"""A real PostgreSQL server for the tests, and databases in it."""

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from filelock import FileLock
from psycopg.conninfo import make_conninfo

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.database import row_security, schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.server.binaries import find_binaries
from nanobot_memory_plugins.postgres.server.launcher import DATABASE, ROLE, OwnServer
from tests.postgres.careless import Careless, CarelessCursor, CarelessServerCursor


@pytest.fixture(scope="session")
def binaries() -> Path:
    try:
        return find_binaries()
    except StoreError as error:
        pytest.skip(f"no PostgreSQL server for this platform: {error.cause}")


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose name is short enough for a socket, and that everybody may pass through."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


class Database(OwnServer):
    """The run's server, with a database of its own in it."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, safe=False)
        self.name = name

    @property
    def dsn(self) -> str:
        return make_conninfo(super().dsn, dbname=self.name)

    @property
    def administrator_dsn(self) -> str:
        return make_conninfo(super().administrator_dsn, dbname=self.name)


@pytest.fixture(scope="session")
def run_server(binaries: Path, request: pytest.FixtureRequest) -> Iterator[OwnServer]:
    """The one server of a run: the first of its processes starts it, and the last one stops it.

    It has a database to copy with the tables in it, and another one that is held by row-level security.
    """
    run = getattr(request.config, "workerinput", {}).get("testrunuid", uuid.uuid4().hex)
    folder = Path(tempfile.gettempdir()) / f"pg{run[:12]}"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    lock, users = FileLock(folder / "users.lock"), folder / "users"
    users.mkdir(exist_ok=True)
    own, me = OwnServer(folder / "s", safe=False), users / str(os.getpid())
    with lock:
        if not own.status().running:
            own.start()
            with psycopg.connect(own.administrator_dsn, autocommit=True) as administrator:
                administrator.execute("CREATE ROLE agents LOGIN")
                administrator.execute(f"CREATE DATABASE walled OWNER {ROLE} TEMPLATE {DATABASE}".encode())
            with connect(own.dsn) as owner:
                schema.prepare(owner, 16)
            with connect(Database(own.folder, "walled").dsn) as owner:
                row_security.prepare(owner, "agents", partitions=4)
        me.touch()
    yield own
    with lock:
        me.unlink()
        if not any(users.iterdir()):
            own.stop()
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def copied(own: OwnServer, template: str) -> Iterator[Database]:
    """Give a database for the tests of a module, and delete it afterwards."""
    made = Database(own.folder, f"m{uuid.uuid4().hex}")
    administrator_dsn = make_conninfo(own.administrator_dsn, dbname="postgres")
    with psycopg.connect(administrator_dsn, autocommit=True) as administrator:
        administrator.execute(
            f"CREATE DATABASE {made.name} OWNER {ROLE} TEMPLATE {template} STRATEGY FILE_COPY".encode()
        )
    yield made
    with psycopg.connect(administrator_dsn, autocommit=True) as administrator:
        administrator.execute(f"DROP DATABASE {made.name} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def server(run_server: OwnServer) -> Iterator[OwnServer]:
    """The run's server, with a database for the module."""
    with copied(run_server, DATABASE) as made:
        yield made


@pytest.fixture(scope="module")
def walled(run_server: OwnServer) -> Iterator[OwnServer]:
    """The same with tables that are held by row-level security."""
    with copied(run_server, "walled") as made:
        yield made


@pytest.fixture(scope="module")
def agents_dsn(walled: OwnServer) -> str:
    """How agents reach it: by a role that owns nothing."""
    return make_conninfo(walled.dsn, user="agents")


@pytest.fixture
def careless_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every connection that is opened from here on use cursors that can be careless."""
    Careless.seen, Careless.stripped, Careless.without = set(), set(), set()
    monkeypatch.setattr("psycopg.connection.Cursor", CarelessCursor)
    monkeypatch.setattr("psycopg.connection.ServerCursor", CarelessServerCursor)
