"""kill -9 loses nothing that was acknowledged. ``NANOBOT_MEMORY_FAULT_ROUNDS=200`` runs the long form."""

from pathlib import Path

import pytest

from tests.faults.kills import at_random_moments
from tests.faults.processes import Writers
from tests.faults.rounds import rounds


@pytest.mark.slow
@pytest.mark.accept("V5-12")
async def test_killed_writers_lose_nothing_that_was_acknowledged(writers: Writers, tmp_path: Path):
    outcome = await at_random_moments(writers, tmp_path, rounds(2))
    assert outcome.lost == []
    assert outcome.acknowledged > outcome.rounds
