"""Fixtures of the store's tests."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.support.indexed_workspace import Workspace

OpenStore = Callable[..., Awaitable[SqliteStore]]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "workspace")


@pytest.fixture
async def open_store(workspace: Workspace) -> AsyncIterator[OpenStore]:
    """Open stores of the workspace, by default without a model, and close them at the end."""
    opened: list[SqliteStore] = []

    async def open_one(**options: Any) -> SqliteStore:
        workspace.paths.memory.mkdir(parents=True, exist_ok=True)
        chosen = StorageOptions.model_validate({"embedding_provider": "none", **options})
        store = SqliteStore(workspace.path, chosen, SystemClock())
        await store.start()
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        await store.close()
