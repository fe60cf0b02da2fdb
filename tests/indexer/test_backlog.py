"""The order of what the indexer has to do."""

from concurrent.futures import Future
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.storage.indexer.backlog import Backlog


@given(st.lists(st.integers(0, 20)))
def test_what_came_first_is_done_first_and_once(numbers: list[int]):
    backlog = Backlog()
    for number in numbers:
        backlog.add(Path(str(number)))
    taken = []
    while (item := backlog.take()) is not None:
        taken.append(int(str(item)))
    assert taken == list(dict.fromkeys(numbers))


def test_a_marker_comes_after_everything_before_it():
    backlog, marker = Backlog(), Future[None]()
    backlog.add(Path("a"))
    backlog.add_marker(marker)
    backlog.add(Path("b"))
    assert [backlog.take() for _ in range(4)] == [Path("a"), marker, Path("b"), None]


def test_what_changes_while_it_is_being_done_is_done_again():
    backlog = Backlog()
    backlog.add(Path("a"))
    assert backlog.take() == Path("a")
    backlog.add(Path("a"))
    assert backlog.take() == Path("a")


def test_a_failed_path_rests_longer_each_time():
    backlog = Backlog()
    delays = [backlog.failed(Path("a")) for _ in range(12)]
    assert delays == sorted(delays)
    assert delays[0] < 5
    assert delays[-1] == 300
    assert backlog.is_resting(Path("a"))
    assert backlog.take() is None
    backlog.succeeded(Path("a"))
    assert not backlog.is_resting(Path("a"))
