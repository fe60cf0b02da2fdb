from datetime import UTC, datetime
from pathlib import Path

import pytest

NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    return tmp_path
