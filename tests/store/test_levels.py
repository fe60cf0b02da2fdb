"""What a search can do with parts missing or broken, and that it says so."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core.values import Level, Query
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.store.conftest import OpenStore
from tests.support.indexed_workspace import Workspace, entry, message

TEXT = "the staging database listens on port 6543"


def remember(workspace: Workspace) -> None:
    workspace.write("2026-02-16.md", entry(TEXT, "a1") + entry("we had soup for lunch", "a2"))
    workspace.write("sessions/cli.jsonl", message("天气不错", "m1"))


async def answers(store: SqliteStore) -> Level:
    """Check that the store finds what it should, and return the level at which it did."""
    result = await store.search(Query("port of the staging database"))
    assert result.hits[0].text == TEXT
    assert result.hits[0].path == "memory/2026-02-16.md"
    assert (await store.search(Query("天气"))).hits[0].text == "天气不错"
    return result.level


@pytest.mark.accept("V3-03")
async def test_words_are_found_while_the_model_is_being_loaded(
    workspace: Workspace, open_store: OpenStore, builtin_model: Path
):
    remember(workspace)
    store = await open_store(embedding_provider="fastembed")
    assert await answers(store) in (Level.FULL_TEXT, Level.HYBRID)
    await store.flush()
    await store.vectors_complete(lambda status, report: None)
    assert await answers(store) is Level.HYBRID
