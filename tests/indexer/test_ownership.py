"""One process owns the index, and the next one takes over when it dies."""

from pathlib import Path

from nanobot_memory_plugins.storage.indexer.worker import Ownership


def test_one_of_two_holds_the_lock(tmp_path: Path):
    first, second = Ownership(tmp_path / "indexer.lock"), Ownership(tmp_path / "indexer.lock")
    assert first.try_acquire()
    assert not second.try_acquire()
    first.release()
    assert second.try_acquire()
    second.release()


def test_a_removed_lock_file_is_noticed(tmp_path: Path):
    ownership = Ownership(tmp_path / "indexer.lock")
    assert ownership.try_acquire()
    assert not ownership.is_lost()
    (tmp_path / "indexer.lock").unlink()
    assert ownership.is_lost()
    ownership.release()
