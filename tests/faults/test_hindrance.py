"""Many writers at once, a clock set back, suspension, cancellation: everything acknowledged is kept."""

from pathlib import Path

import pytest

from tests.faults.hindrance import TOGETHER, cancelled, clock_set_back, suspended, together
from tests.faults.processes import Writers
from tests.faults.rounds import rounds


@pytest.mark.slow
@pytest.mark.accept("V5-12")
@pytest.mark.parametrize("case", TOGETHER)
async def test_many_that_write_at_once_all_keep_what_they_wrote(writers: Writers, tmp_path: Path, case: str):
    outcome = await together(writers, tmp_path, case, rounds(1, long=10))
    assert outcome.lost == []
    assert outcome.refused == 0


async def test_a_clock_that_goes_backwards_loses_nothing(writers: Writers, tmp_path: Path):
    assert (await clock_set_back(writers, tmp_path, rounds(1, long=10))).lost == []


@pytest.mark.slow
async def test_a_suspended_writer_keeps_nobody_waiting(writers: Writers, tmp_path: Path):
    assert (await suspended(writers, tmp_path, rounds(2, long=40))).lost == []


@pytest.mark.slow
async def test_a_cancelled_host_loses_nothing_that_it_acknowledged(writers: Writers, tmp_path: Path):
    outcome = await cancelled(writers, tmp_path, rounds(6, long=50))
    assert outcome.lost == []
    assert outcome.acknowledged
