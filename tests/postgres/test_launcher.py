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
import pytest

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.server.binaries import copied, find_binaries
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


def test_an_end_that_left_its_file_behind_is_no_server(binaries: Path, short_folder: Path):
    server = OwnServer(short_folder / "s", safe=False)
    with server.running():
        os.kill(server.status().process, signal.SIGKILL)
        end = time.monotonic() + 15
        while server.status().running and time.monotonic() < end:
            time.sleep(0.05)
        assert not server.status().running
        assert server.start().running


def test_a_folder_whose_socket_has_too_long_a_name_is_refused(binaries: Path, short_folder: Path):
    with pytest.raises(StoreError, match="too long a name") as caught:
        OwnServer(short_folder / ("x" * 90)).start()
    assert "--folder" in caught.value.hint


def test_a_folder_without_a_server_is_named(tmp_path: Path):
    with pytest.raises(StoreError, match="initdb, pg_ctl, postgres is not in") as caught:
        find_binaries(tmp_path)
    assert "postgres-embedded" in caught.value.hint


def test_programs_that_the_servers_account_cannot_reach_are_copied_once(tmp_path: Path):
    (tmp_path / "here" / "bin").mkdir(parents=True)
    (tmp_path / "here" / "bin" / "postgres").write_bytes(b"x")
    first = copied(tmp_path / "here", tmp_path)
    assert (first / "bin" / "postgres").read_bytes() == b"x"
    assert copied(tmp_path / "here", tmp_path) == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", first.name]
