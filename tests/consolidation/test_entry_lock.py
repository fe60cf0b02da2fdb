"""The lock of the entries: those who wait get their turn while others write, and nobody waits for one that is stuck."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.entry_lock import locked_entries
from nanobot_memory_plugins.core.files import FileBusyError, MemoryPaths, file_lock

# Seconds that one wait may take, and that the lock is held: five waits are far more than that.
WAIT, HELD = 0.3, 0.7


@pytest.fixture
def paths(tmp_path: Path) -> MemoryPaths:
    paths = MemoryPaths(tmp_path)
    paths.memory.mkdir()
    return paths


@contextmanager
def held(paths: MemoryPaths, path: Path, meanwhile: Callable[[int], object]) -> Iterator[None]:
    """Hold the lock for a while, as another process would: with a lock of its own."""
    ready = threading.Event()

    def hold() -> None:
        with file_lock(paths, path):
            ready.set()
            for number in range(10):
                meanwhile(number)
                time.sleep(HELD / 10)

    holder = threading.Thread(target=hold)
    holder.start()
    assert ready.wait(60)
    yield
    holder.join(60)


def test_while_others_write_the_lock_is_waited_for_again(paths: MemoryPaths):
    path = paths.memory / "ENTRIES.md"
    with held(paths, path, lambda number: path.write_text("x" * number)), locked_entries(paths, path, WAIT):
        pass


def test_a_writer_that_does_nothing_is_waited_for_once(paths: MemoryPaths):
    path = paths.memory / "ENTRIES.md"
    with (
        held(paths, path, lambda _: None),
        pytest.raises(FileBusyError, match="locked by another"),
        locked_entries(paths, path, WAIT),
    ):
        pass


def test_what_goes_wrong_inside_is_no_matter_of_the_lock(paths: MemoryPaths):
    path = paths.memory / "ENTRIES.md"
    with pytest.raises(OSError, match="inside"), locked_entries(paths, path, WAIT):
        raise OSError("inside")
    with locked_entries(paths, path, WAIT):
        pass
