"""Entry files as they should not be: one clear warning, and everything that can be read is kept."""

from pathlib import Path

import pytest
from loguru import logger

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock

from .made_entries import EXAMPLE, NOW, added, entry


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


def test_tomorrow_is_no_future_where_the_sun_rises_earlier(repository: EntryRepository, warnings: list[str]):
    put(repository, EXAMPLE.replace("2026-02-20", "2026-02-21"))
    assert len(repository.load().entries) == 4
    assert warnings == []
