"""A real PgBouncer in transaction mode before a server, where this machine has one."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

# Names the program where it is not on the path; the libraries beside it may need LD_LIBRARY_PATH.
VARIABLE = "NANOBOT_MEMORY_PGBOUNCER"


def program() -> str:
    found = os.environ.get(VARIABLE) or shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if not found:
        pytest.skip(f"no PgBouncer on this machine: install it, or name it in {VARIABLE}")
    return found


@contextmanager
def pooling(dsn: str, folder: Path, *, connections: int) -> Iterator[str]:
    """Run PgBouncer over a few connections to a server, and give the dsn that leads over it."""
    given = conninfo_to_dict(dsn)
    user = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    folder.mkdir(mode=0o755)
    if user:
        shutil.chown(folder, "nobody", "nogroup")
    (folder / "users.txt").write_text(f'"{given["user"]}" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n{given['dbname']} = host={given['host']} user={given['user']}\n[pgbouncer]\n"
        f"listen_addr =\nunix_socket_dir = {folder}\nauth_type = trust\nauth_file = {folder}/users.txt\n"
        f"pool_mode = transaction\ndefault_pool_size = {connections}\nmax_client_conn = 100\nlisten_port = 5432\n"
    )
    process = subprocess.Popen(
        [program(), "-q", str(folder / "pgbouncer.ini")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user
    )
    way = make_conninfo("", host=str(folder), user=str(given["user"]), dbname=str(given["dbname"]))
    try:
        end = time.monotonic() + 10
        while True:
            try:
                psycopg.connect(way, connect_timeout=2).close()
                break
            except psycopg.OperationalError:
                assert process.poll() is None, "PgBouncer ended"
                assert time.monotonic() < end, "PgBouncer does not answer"
                time.sleep(0.05)
        yield way
    finally:
        process.terminate()
        process.wait(10)
