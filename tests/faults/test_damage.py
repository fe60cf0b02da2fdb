"""A damaged index loses nothing: it is put aside, built again from the files, and doctor says so."""

from pathlib import Path

import pytest

from tests.faults.damage import CASES, damaged
from tests.faults.processes import Writers
from tests.faults.rounds import rounds


@pytest.mark.parametrize("case", CASES)
async def test_a_damaged_index_is_built_again_and_said(writers: Writers, tmp_path: Path, case: str):
    outcome = await damaged(writers, tmp_path, case, rounds(1, long=20))
    assert outcome.lost == []
    assert outcome.acknowledged > outcome.rounds
