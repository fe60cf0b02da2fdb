"""A full disk and a read-only folder: refused is refused, kept is kept, and work goes on when there is room."""

from pathlib import Path

import pytest

from tests.faults.processes import Writers
from tests.faults.rounds import rounds
from tests.faults.space import file_size_limit, full_disk, read_only


@pytest.mark.slow
async def test_files_that_may_not_grow_refuse_and_are_written_again_later(writers: Writers, tmp_path: Path):
    outcome = await file_size_limit(writers, tmp_path, rounds(1, long=20))
    assert outcome.lost == []
    assert outcome.refused


async def test_a_full_disk_refuses_until_there_is_room_again(writers: Writers, tmp_path: Path):
    outcome = await full_disk(writers, tmp_path, rounds(1, long=5))
    if not outcome.rounds:
        pytest.skip(outcome.remark)
    assert outcome.lost == []
    assert outcome.refused


@pytest.mark.slow
async def test_a_read_only_folder_refuses_everything_and_loses_nothing(writers: Writers, tmp_path: Path):
    outcome = await read_only(writers, tmp_path, rounds(1, long=10))
    assert outcome.lost == []
    assert outcome.refused
