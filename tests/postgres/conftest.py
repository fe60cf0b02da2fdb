"""A real PostgreSQL server for the tests, and databases in it."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.database import row_security
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.server.binaries import find_binaries
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
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


@pytest.fixture(scope="session")
def server(binaries: Path) -> Iterator[OwnServer]:
    """A server that runs as long as the tests of this process do."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    folder.chmod(0o755)
    own = OwnServer(folder / "s", safe=False)
    with own.running():
        yield own
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def walled(binaries: Path) -> Iterator[OwnServer]:
    """A server of its own for a file, whose tables are held by row-level security."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    folder.chmod(0o755)
    own = OwnServer(folder / "s", safe=False)
    with own.running():
        with psycopg.connect(own.administrator_dsn, autocommit=True) as administrator:
            administrator.execute("CREATE ROLE agents LOGIN")
        with connect(own.dsn) as owner:
            row_security.prepare(owner, "agents", partitions=4)
        yield own
    shutil.rmtree(folder, ignore_errors=True)


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
