"""A locked database, for several tests."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Locks the whole file, as a backup program does, until its input ends. In WAL mode nobody can open the database then.
_HOLDER = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(20000)
if sys.argv[2] == "whole":
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def locked(database: Path, *, whole: bool) -> Iterator[None]:
    """Have another process hold the database's lock, against everybody or against writers only."""
    command = [sys.executable, "-c", _HOLDER, str(database), "whole" if whole else "writers"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield
        finally:
            holder.stdin.close()
            holder.wait(30)
