"""Many open the index at once, in one process and in several."""

import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.database_factory import DatabaseOpener

OPEN = """
import sys
from contextlib import closing
from pathlib import Path
from nanobot_memory_plugins.storage.database_factory import DatabaseOpener
print("ready", flush=True)
sys.stdin.readline()
for part in range(20):
    opener = DatabaseOpener(Path(sys.argv[1]) / str(part) / "memory.db")
    with closing(opener.for_reading()) as reading, closing(opener.for_writing()) as writing:
        assert reading.counts() == writing.counts()
"""


def test_threads_that_open_a_new_index_at_once_meet_no_half_made_file(tmp_path: Path):
    failures: list[BaseException] = []

    def open_all(writing_first: bool) -> None:
        for part in range(40):
            opener = DatabaseOpener(tmp_path / str(part) / "memory.db")
            steps = (opener.for_writing, opener.for_reading)
            try:
                for step in steps if writing_first else reversed(steps):
                    step().close()
            except BaseException as error:
                failures.append(error)

    threads = [threading.Thread(target=open_all, args=(number % 2 == 0,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert list(tmp_path.rglob("*.broken*")) == []


@pytest.mark.slow
def test_processes_that_open_a_new_index_at_once_meet_no_half_made_file(tmp_path: Path):
    command = [sys.executable, "-c", OPEN, str(tmp_path)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert list(tmp_path.rglob("*.broken*")) == []


def test_a_new_index_is_made_however_long_a_busy_machine_takes_to_look_at_it(tmp_path: Path, monkeypatch):
    path = tmp_path / "memory.db"
    path.touch()  # another process is about to make it
    opener = DatabaseOpener(path)
    look = opener._for_reading

    def slowly() -> Database:
        time.sleep(1.2)
        return look()

    monkeypatch.setattr(opener, "_for_reading", slowly)
    with closing(opener.for_reading()) as database:
        assert database.counts().documents == 0
