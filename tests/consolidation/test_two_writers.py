"""Our writer, a foreign writer and crashes in any order: nothing of anybody is lost, and the file always parses.

`NANOBOT_MEMORY_INTERLEAVINGS=10000` runs the soak.
"""

import os
from pathlib import Path

import pytest

from .two_writers import interleave

INTERLEAVINGS = int(os.environ.get("NANOBOT_MEMORY_INTERLEAVINGS", "80"))
# A crash leaves somebody's edit in the backup alone, and the write that takes it up from there ends at a crash, too.
TWO_CRASHES = 5352


@pytest.mark.slow
def test_no_interleaving_loses_an_edit_or_an_entry(tmp_path: Path):
    writes = 0
    for seed in range(INTERLEAVINGS):
        try:
            writes += interleave(tmp_path / str(seed), seed)
        except Exception as error:
            raise AssertionError(f"interleaving {seed}") from error
    assert writes > INTERLEAVINGS


def test_an_edit_that_two_crashes_left_in_the_backup_is_not_lost(tmp_path: Path):
    assert interleave(tmp_path, TWO_CRASHES) > 0
