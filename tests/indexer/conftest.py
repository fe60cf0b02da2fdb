"""Fixtures of the indexer's tests."""

from pathlib import Path

import pytest

from tests.support.indexed_workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)
