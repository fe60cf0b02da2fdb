"""What the tests of the MCP server share."""

from pathlib import Path

import pytest

from tests.support.mcp_clients import ServedWorkspace


@pytest.fixture
def served(tmp_path: Path) -> ServedWorkspace:
    return ServedWorkspace(tmp_path)
