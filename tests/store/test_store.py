"""A store whose index is owned by another process."""

import asyncio

from tests.store.conftest import OpenStore
from tests.support.indexed_workspace import Workspace, entry, until, wait_for_scan


async def test_flush_waits_for_the_process_that_owns_the_index(workspace: Workspace, open_store: OpenStore):
    owner = workspace.indexer()
    try:
        assert until(lambda: owner.is_owner)
        store = await open_store()
        for number in range(2):
            workspace.append("2026-02-16.md", entry(f"note {number}", f"a{number}"))
            await asyncio.wait_for(store.flush(), 30)
            assert (await store.refreshed_status()).documents == number + 1
        (workspace.paths.memory / "2026-02-16.md").unlink()
        await asyncio.wait_for(store.flush(), 30)
        assert (await store.refreshed_status()).documents == 0
    finally:
        owner.stop()


async def test_rebuilding_while_another_process_owns_the_index(workspace: Workspace, open_store: OpenStore):
    workspace.write("2026-02-16.md", entry("one", "a1") + entry("two", "a2"))
    owner = workspace.indexer()
    try:
        wait_for_scan(owner)
        workspace.changes.clear()
        store = await open_store()
        await store.rebuild()
        await asyncio.wait_for(store.flush(), 30)
        assert store.status().documents == 2
        assert [len(change.documents) for change in workspace.changes] == [2]
    finally:
        owner.stop()
