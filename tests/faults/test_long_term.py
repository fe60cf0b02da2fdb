"""A damaged ENTRIES.md costs no entry, and the bad file is there to look at."""

from pathlib import Path

import pytest

from tests.faults.long_term import DAMAGE, damaged_long_term_memory
from tests.faults.processes import Writers
from tests.faults.rounds import rounds


@pytest.mark.slow
@pytest.mark.parametrize("case", DAMAGE)
async def test_a_damaged_long_term_memory_comes_back_from_its_copy(writers: Writers, tmp_path: Path, case: str):
    outcome = await damaged_long_term_memory(writers, tmp_path, case, rounds(1, long=10))
    assert outcome.lost == []
    assert outcome.acknowledged
