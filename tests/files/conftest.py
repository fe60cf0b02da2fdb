from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles

Opener = Callable[..., MemoryFiles]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 2, 16, 6, 20, 33, 120_000, tzinfo=UTC))


@pytest.fixture
async def open_files(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Opener]:
    """Open the memory files of tmp_path, and close them at the end."""
    opened: list[MemoryFiles] = []

    def open_them(**options: Any) -> MemoryFiles:
        defaults: dict[str, Any] = {
            "redact": lambda text, _origin: text,
            "clock": clock,
        }
        files = MemoryFiles(options.pop("workspace", tmp_path), **(defaults | options))
        opened.append(files)
        return files

    yield open_them
    for files in opened:
        await files.close()
