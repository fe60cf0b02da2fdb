"""The server for demonstrations and tests: made, started and stopped in a folder of its own, as root too."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.tools.postgres_server.server import OwnServer, find_binaries

_PROGRAM = """
import sys
from pathlib import Path
from nanobot_memory_plugins.tools.postgres_server.server import OwnServer
server = OwnServer(Path(sys.argv[1]), safe=False)
with server.running():
    print(server.process, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose name is short enough for a socket, and that everybody may pass through."""
    try:
        find_binaries()
    except StoreError as error:
        pytest.skip(f"no PostgreSQL server for this platform: {error.cause}")
    made = Path(tempfile.mkdtemp(prefix="pg"))
    made.chmod(0o755)
    yield made / "s"
    shutil.rmtree(made, ignore_errors=True)


def test_it_is_for_its_owner_alone_keeps_what_was_written_and_ends_with_its_process(folder: Path):
    server = OwnServer(folder, safe=False)
    server.start()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (text text)")
        connection.execute("INSERT INTO kept VALUES ('x')")
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        mighty = "SELECT rolsuper, rolcreatedb, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        assert connection.execute(mighty).fetchone() == (False, False, False)
    server.stop()
    assert server.process == 0
    parent = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    assert int(parent.stdout.readline()) == server.process > 0
    with psycopg.connect(server.dsn) as connection:
        assert connection.execute("SELECT text FROM kept").fetchall() == [("x",)]
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    end = time.monotonic() + 30
    while server.process and time.monotonic() < end:  # its guard needs a moment
        os.sched_yield()
    assert server.process == 0
