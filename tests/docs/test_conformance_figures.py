"""What docs/mcp.md says of the conformance package is what its run expects."""

import re
from pathlib import Path

from release.mcp_conformance import EXPECTED

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"


def test_the_page_counts_the_failures_that_the_run_expects():
    expected = re.findall(r"^  - \S+$", EXPECTED.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(expected) == len(set(expected)) > 0
    assert re.findall(r"the (\d+) that fail or warn", PAGE.read_text(encoding="utf-8")) == [str(len(expected))]
