"""A writer that ends between Markdown, queue and database loses nothing that was acknowledged.

``NANOBOT_MEMORY_FAULT_ROUNDS=200`` runs the long form.
"""

from pathlib import Path

import pytest

from tests.faults.kills import at_a_point
from tests.faults.points import POINTS
from tests.faults.processes import Writers
from tests.faults.rounds import rounds


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
async def test_a_writer_killed_between_two_steps_loses_nothing(writers: Writers, tmp_path: Path, point: str):
    outcome = await at_a_point(writers, tmp_path, point, rounds(1, long=10))
    assert outcome.lost == []
    assert outcome.acknowledged >= outcome.rounds
