"""Our writer, a foreign writer and crashes in any order: nothing of anybody is lost, and the file always parses.

`NANOBOT_MEMORY_INTERLEAVINGS=10000` runs the soak.
"""

import os
from pathlib import Path

from .two_writers import interleave

INTERLEAVINGS = int(os.environ.get("NANOBOT_MEMORY_INTERLEAVINGS", "80"))


def test_no_interleaving_loses_an_edit_or_an_entry(tmp_path: Path):
    writes = 0
    for seed in range(INTERLEAVINGS):
        try:
            writes += interleave(tmp_path / str(seed), seed)
        except Exception as error:
            raise AssertionError(f"interleaving {seed}") from error
    assert writes > INTERLEAVINGS
