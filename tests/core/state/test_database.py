import sqlite3
import subprocess
import sys

import apsw
import pytest

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.state import StateDatabase, database
from nanobot_memory_plugins.core.state.erasing import clean_state


def put(state: StateDatabase, subject: str) -> None:
    state.execute("INSERT INTO task VALUES ('t', ?, '{}', '')", (subject,))


def subjects(state: StateDatabase) -> list[str]:
    return [row[0] for row in state.read("SELECT subject FROM task ORDER BY subject")]


def without_marzipan(text: str) -> str | None:
    return None if "marzipan" in text else text


@pytest.fixture
def state(tmp_path):
    state = StateDatabase.of(tmp_path)
    yield state
    state.close()


def test_another_version_is_replaced_and_a_foreign_database_is_moved_aside(state):
    put(state, "a")
    state.execute("PRAGMA user_version = 99")
    state.close()
    assert subjects(state) == []
    assert "another version" in str(state.trouble)
    state.close()
    state.path.unlink()
    for number in (42, 43):
        foreign = apsw.Connection(str(state.path))
        foreign.execute(f"CREATE TABLE theirs (x); INSERT INTO theirs VALUES ({number})")
        foreign.close()
        put(state, "b")
        assert "made again" in str(state.trouble)
        state.close()
        state.path.unlink()
    for number, name in ((42, "aside-1"), (43, "aside-2")):
        kept = apsw.Connection(f"{state.path}.{name}")
        assert kept.execute("SELECT x FROM theirs").fetchall() == [(number,)]
        kept.close()


def test_the_state_continues_in_memory_when_the_disk_is_full(state):
    put(state, "a")
    (pages,) = state.read("PRAGMA page_count")[0]
    state.read(f"PRAGMA max_page_count = {pages}")
    for number in range(200):
        put(state, f"b{number:03}" + "x" * 500)
    assert len(subjects(state)) == 201
    assert "cannot be written" in str(state.trouble)


def test_a_purge_of_a_state_in_memory_waits_for_the_file(state, tmp_path):
    put(state, "marzipan")
    (pages,) = state.read("PRAGMA page_count")[0]
    state.read(f"PRAGMA max_page_count = {pages}")
    for number in range(200):
        put(state, f"b{number:03}" + "x" * 500)
    paths = MemoryPaths.of(tmp_path)
    (trace,) = clean_state(paths, without_marzipan, dry_run=False)
    assert (trace.removed, trace.waits) == (False, True)


def test_a_purge_waits_while_another_process_reads_the_log(state, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.1)
    put(state, "marzipan")
    reading = sqlite3.connect(state.path, isolation_level=None)
    reading.execute("BEGIN")
    reading.execute("SELECT * FROM task").fetchall()
    for is_read in (True, False):
        traces = clean_state(MemoryPaths.of(tmp_path), without_marzipan, dry_run=False)
        assert [one.waits for one in traces] == [True] * is_read
        assert any(b"marzipan" in one.read_bytes() for one in state.path.parent.iterdir()) is is_read
        reading.close()


def test_trouble_reports_a_locked_database(state, monkeypatch):
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.1)
    put(state, "a")
    state.close()
    holding = sqlite3.connect(state.path, isolation_level=None)
    holding.execute("PRAGMA locking_mode = EXCLUSIVE")
    holding.execute("BEGIN EXCLUSIVE")
    assert "locked" in str(state.trouble)
    holding.close()
    assert state.trouble is None


def test_truncate_log_removes_deleted_data_from_all_files(state):
    put(state, "marzipan")
    state.execute("DELETE FROM task")
    state.truncate_log()
    assert not any(b"marzipan" in one.read_bytes() for one in state.path.parent.iterdir())


def test_processes_that_start_together_share_one_state(state):
    script = (
        "import sys; from nanobot_memory_plugins.core.state import StateDatabase\n"
        "state = StateDatabase.of(sys.argv[1])\n"
        "for number in range(10): state.set_task('t', f'{sys.argv[2]}{number}', {})\n"
        "assert state.trouble is None\n"
    )
    command = [sys.executable, "-c", script, str(state.path.parents[1])]
    processes = [subprocess.Popen([*command, name]) for name in "abcd"]
    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    assert len(subjects(state)) == 40


def test_writes_of_a_forked_process_survive_the_close_in_its_parent(state):
    script = (
        "import os, sys; from nanobot_memory_plugins.core.state import StateDatabase\n"
        "state = StateDatabase.of(sys.argv[1])\n"
        "state.set_task('t', 'before', {})\n"
        "(closed, tell), (done, end) = os.pipe(), os.pipe()\n"
        "if child := os.fork():\n"
        "    state.set_task('t', 'parent', {})\n"
        "    os.read(done, 1)\n"
        "    state.close()\n"
        "    os.write(tell, b'x')\n"
        "    sys.exit(os.waitpid(child, 0)[1])\n"
        "state.set_task('t', 'child', {})\n"
        "os.write(end, b'x')\n"
        "os.read(closed, 1)\n"
        "state.set_task('t', 'later', {})\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(state.path.parents[1])], check=True, timeout=60)
    assert subjects(state) == ["before", "child", "later", "parent"]
