"""The trial server: made, started and stopped in a folder of its own, as root too."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from nanobot_memory_plugins.postgres.server.launcher import OwnServer


def run_command(*arguments: str) -> dict[str, object]:
    program = Path(sys.executable).with_name("nanobot-memory")
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


def gone(process: int, seconds: float = 15.0) -> bool:
    end = time.monotonic() + seconds
    while alive(process) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(process)


def test_the_command_starts_tells_and_stops_and_what_was_written_stays(binaries: Path, short_folder: Path):
    folder = str(short_folder / "s")
    assert run_command("postgres", "status", "--folder", folder)["exists"] is False
    started = run_command("postgres", "start", "--folder", folder)
    try:
        assert started["running"]
        assert alive(started["process"])
        with psycopg.connect(started["dsn"], autocommit=True) as connection:
            connection.execute("CREATE TABLE kept (text text)")
            connection.execute("INSERT INTO kept VALUES ('x')")
        again = run_command("postgres", "start", "--folder", folder)
        assert again["process"] == started["process"]
    finally:
        stopped = run_command("postgres", "stop", "--folder", folder)
    assert stopped["stopped"]
    assert gone(started["process"])
    assert run_command("postgres", "stop", "--folder", folder)["stopped"] is False
    server = OwnServer(Path(folder))
    with server.running(), psycopg.connect(server.dsn) as connection:
        assert connection.execute("SELECT text FROM kept").fetchall() == [("x",)]


def test_nobody_else_may_enter_and_it_listens_on_no_port(server: OwnServer):
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
    with psycopg.connect(server.administrator_dsn) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
        version = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    assert version is not None
    assert tuple(map(int, version[0].split("."))) >= (0, 8, 2)


def test_the_memorys_role_administers_nothing(server: OwnServer):
    with psycopg.connect(server.dsn) as connection:
        found = connection.execute(
            "SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    assert found == (False, False, False, False)


def test_a_server_ends_with_the_process_that_ran_it_even_when_that_is_killed(binaries: Path, short_folder: Path):
    program = (
        "import sys; from pathlib import Path\n"
        "from nanobot_memory_plugins.postgres.server.launcher import OwnServer\n"
        "server = OwnServer(Path(sys.argv[1]), safe=False)\n"
        "with server.running():\n"
        "    print(server.status().process, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(short_folder / "s")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    process = int(parent.stdout.readline())
    assert alive(process)
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    assert gone(process)
