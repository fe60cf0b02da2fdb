"""One process owns the index, and the next one takes over when it dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from nanobot_memory_plugins.search.indexer.ownership import Ownership

HOLD = """
import sys, time
from pathlib import Path
from nanobot_memory_plugins.search.indexer.ownership import Ownership
ownership = Ownership(Path(sys.argv[1]))
assert ownership.try_acquire()
print("held", flush=True)
time.sleep(600)
"""


def until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_one_of_two_holds_the_lock(tmp_path: Path):
    first, second = Ownership(tmp_path / "indexer.lock"), Ownership(tmp_path / "indexer.lock")
    assert first.try_acquire()
    assert not second.try_acquire()
    first.release()
    assert second.try_acquire()
    second.release()


def test_a_killed_owner_is_succeeded(tmp_path: Path):
    lock = tmp_path / "indexer.lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE) as owner:
        heir = Ownership(lock)
        try:
            assert owner.stdout is not None
            assert owner.stdout.readline() == b"held\n"
            assert not heir.try_acquire()
        finally:
            os.kill(owner.pid, signal.SIGKILL)
            owner.wait()
        assert until(heir.try_acquire)
        heir.release()


def test_a_removed_lock_file_is_noticed(tmp_path: Path):
    ownership = Ownership(tmp_path / "indexer.lock")
    assert ownership.try_acquire()
    assert not ownership.lost()
    (tmp_path / "indexer.lock").unlink()
    assert ownership.lost()
    ownership.release()
