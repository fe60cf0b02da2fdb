"""Changes that other programs make are heard of."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.search.indexer.watching import Watcher


def until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def heard() -> list[Path]:
    return []


@pytest.fixture
def watcher(tmp_path: Path, heard: list[Path]) -> Iterator[Watcher]:
    watcher = Watcher(tmp_path, heard.append)
    watcher.start()
    yield watcher
    watcher.stop()


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "nanobot-memory-watch"]


def test_a_change_is_heard_within_seconds(tmp_path: Path, watcher: Watcher, heard: list[Path]):
    def write_and_hear() -> bool:  # the watch may begin after the first write
        (tmp_path / "note.md").write_text(str(time.monotonic()), encoding="utf-8")
        return tmp_path / "note.md" in heard

    assert until(write_and_hear)
    assert watcher.working


def test_stopping_ends_the_thread(watcher: Watcher):
    assert until(lambda: watcher.working)
    watcher.stop()
    assert threads() == []
    watcher.stop()


def test_a_folder_that_was_replaced_is_watched_again(tmp_path: Path, heard: list[Path]):
    folder = tmp_path / "memory"
    folder.mkdir()
    watcher = Watcher(folder, heard.append)
    watcher.start()
    try:
        folder.rename(tmp_path / "former")
        watcher.refresh()
        folder.mkdir()
        watcher.refresh()

        def write_and_hear() -> bool:
            (folder / "note.md").write_text(str(time.monotonic()), encoding="utf-8")
            return folder / "note.md" in heard

        assert until(write_and_hear)
    finally:
        watcher.stop()


def test_a_link_to_a_folder_is_not_watched(tmp_path: Path, heard: list[Path]):
    outside, folder = tmp_path / "outside", tmp_path / "memory"
    outside.mkdir()
    folder.mkdir()
    (folder / "link").symlink_to(outside, target_is_directory=True)
    watcher = Watcher(folder, heard.append)
    watcher.start()
    time.sleep(0.3)
    assert not watcher.working
    watcher.stop()
    assert threads() == []
