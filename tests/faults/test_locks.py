"""An exclusive lock that another process holds on the index keeps no turn waiting. The long form holds it for 30 s."""

from pathlib import Path

import pytest

from tests.faults.hindrance import turns_beside_a_lock
from tests.faults.processes import Writers
from tests.faults.rounds import is_long


@pytest.mark.parametrize("whole", [True, False], ids=["everybody", "writers"])
async def test_a_lock_on_the_index_holds_up_no_turn(writers: Writers, tmp_path: Path, whole: bool):
    outcome = await turns_beside_a_lock(writers, tmp_path, 1, whole=whole, seconds=30 if is_long() else 1.5)
    assert outcome.lost == []
    assert outcome.acknowledged > 12
