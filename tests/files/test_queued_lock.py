"""The lock that threads queue up for: one of them asks for the file, each gets its turn, nobody waits for ever."""

import threading
import time
from pathlib import Path
from typing import ClassVar

import pytest
from filelock import FileLock, Timeout

from nanobot_memory_plugins.core.files.private import queued


class AskingLock(FileLock):
    """A lock file that notes which threads ask the system for it."""

    asking: ClassVar[set[int]] = set()

    def _acquire(self) -> None:
        self.asking.add(threading.get_ident())
        super()._acquire()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    AskingLock.asking = set()
    return tmp_path / "entries.lock"


def test_of_many_threads_only_the_first_asks_for_the_file_and_all_get_it(path: Path):
    inside, most, done = 0, 0, 0
    count = threading.Lock()

    def wait_for_it() -> None:
        nonlocal inside, most, done
        with queued(AskingLock(path), timeout=60, poll_interval=0.005):
            with count:
                inside += 1
                most = max(most, inside)
            time.sleep(0.01)
            with count:
                inside -= 1
                done += 1

    threads = [threading.Thread(target=wait_for_it) for _ in range(6)]
    with FileLock(path):
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        assert len(AskingLock.asking) == 1
    for thread in threads:
        thread.join(60)
    assert (most, done) == (1, 6)


def test_a_thread_waits_no_longer_than_it_said_and_what_it_did_not_get_is_free_afterwards(path: Path):
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with queued(FileLock(path), timeout=60, poll_interval=0.005):
            entered.set()
            leave.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert entered.wait(60)
    with pytest.raises(Timeout), queued(FileLock(path), timeout=0.05, poll_interval=0.005):
        pass
    leave.set()
    holder.join(60)
    with queued(FileLock(path), timeout=5, poll_interval=0.005):
        pass
