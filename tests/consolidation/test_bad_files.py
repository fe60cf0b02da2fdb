"""Entry files as they should not be: one clear warning, and everything that can be read is kept."""

import time
from pathlib import Path

import pytest
from loguru import logger

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock

from .made_entries import EXAMPLE, NOW, added, entry

ENTRY = (
    "### [id{n:06}] fact | 0.50 | 2026-02-20 | 2\nThe user met person number {n} in the town by the sea, and {pad}\n\n"
)


@pytest.fixture
def repository(workspace: Path) -> EntryRepository:
    return EntryRepository(workspace, clock=ManualClock(NOW))


@pytest.fixture
def warnings():
    told: list[str] = []
    number = logger.add(lambda message: told.append(message.record["message"]), level="WARNING")
    yield told
    logger.remove(number)


def put(repository: EntryRepository, data: bytes | str) -> bytes:
    raw = data if isinstance(data, bytes) else data.encode()
    repository.path.write_bytes(raw)
    return raw


@pytest.mark.slow
def test_a_file_of_10_megabytes_is_read_changed_and_written(repository: EntryRepository, warnings: list[str]):
    entries = "".join(ENTRY.format(n=n, pad="walked " * 30) for n in range(34_000))
    raw = put(repository, f"# Mine\n\nmy words\n\n## Active Memories\n\n{entries}")
    assert len(raw) > 10_000_000
    started = time.perf_counter()
    assert len(repository.load().entries) == 34_000
    repository.update(added(entry("new", "likes tea")), who="test", why="add")
    assert time.perf_counter() - started < 60
    text = repository.path.read_bytes()
    assert (len(repository.load().entries), b"my words" in text, warnings) == (34_001, True, [])


@pytest.mark.parametrize(
    ("junk", "word"),
    [
        (bytes(range(256)) * 4_000, "NUL bytes"),
        (b"\xff" * 1_000_000, "erased bytes"),
        (bytes(range(128, 255)) * 8_000, "no text"),
    ],
)
def test_a_megabyte_of_junk_is_said_once_and_kept(
    repository: EntryRepository, junk: bytes, word: str, warnings: list[str]
):
    put(repository, junk)
    for _ in range(3):
        assert repository.load().entries == {}
    assert repository.path.read_bytes() == junk
    assert (len(warnings), word in warnings[0]) == (1, True)
    repository.update(added(entry("a", "likes tea")), who="test", why="add")
    assert set(repository.load().entries) == {"a"}
    assert junk in repository.path.read_bytes()
    assert len(warnings) == 1


def test_half_a_file_without_a_copy_gives_the_entries_that_are_whole(repository: EntryRepository):
    put(repository, EXAMPLE.encode()[: EXAMPLE.encode().index("关注新能源".encode()) + 4])
    entries = repository.load().entries
    assert set(entries) == {"a1b2c3", "d4e5f6", "g7h8i9"}
    repository.update(added(entry("n", "likes tea")), who="test", why="add")
    assert set(repository.load().entries) == {"a1b2c3", "d4e5f6", "g7h8i9", "n"}


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (EXAMPLE.replace("d4e5f6", "a1b2c3"), "stands twice"),
        (EXAMPLE.replace("0.92", "17"), "outside 0 to 1"),
        (EXAMPLE.replace("| 0.88", "| -4"), "outside 0 to 1"),
        (EXAMPLE.replace("2026-02-19", "2099-01-01"), "the day lies in the future"),
        (EXAMPLE.replace("2026-02-19", "9999-12-31"), "the day lies in the future"),
    ],
)
def test_what_cannot_be_is_said_once_and_every_entry_stays(
    repository: EntryRepository, bad: str, word: str, warnings: list[str]
):
    put(repository, bad)
    for number in range(3):
        assert len(repository.load().entries) == 4 + number
        repository.update(added(entry(f"n{number}", f"text {number}")), who="test", why="add")
    assert [word in one for one in warnings] == [True]
    assert any(word in one for one in EntryRepository(repository.paths.workspace).load().problems) or "twice" in word
    for score in (one.score for one in repository.load().entries.values()):
        assert 0 <= score <= 1


def test_tomorrow_is_no_future_where_the_sun_rises_earlier(repository: EntryRepository, warnings: list[str]):
    put(repository, EXAMPLE.replace("2026-02-20", "2026-02-21"))
    assert len(repository.load().entries) == 4
    assert warnings == []
