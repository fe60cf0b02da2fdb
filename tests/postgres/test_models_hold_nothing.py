"""While an embedding model works, no connection is held for it, and no transaction is open."""

import asyncio
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Level, Note, Query
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.store import SharedStore
from tests.postgres.opening import open_shared
from tests.support.indexed_workspace import HashEmbedder

# Seconds that the model takes: what is held at its begin and at its end is held for it.
WORKS = 0.3


class Looking(HashEmbedder):
    """A model that looks what is held while it works."""

    store: SharedStore | None = None
    fails = False

    def __init__(self, server: OwnServer) -> None:
        super().__init__()
        self._server = server
        self.held: list[tuple[object, object]] = []

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        before = self._look()
        time.sleep(WORKS)
        self.held += [(texts, one) for one in before & self._look()]
        made = super().encode(texts)
        if self.fails:
            raise RuntimeError("no memory")
        return made

    def _look(self) -> set[object]:
        with psycopg.connect(self._server.administrator_dsn) as admin:
            open_ = admin.execute(
                "SELECT pid, xact_start FROM pg_stat_activity WHERE application_name = 'nanobot-memory' "
                "AND xact_start IS NOT NULL"
            ).fetchall()
        store = self.store
        lent = [] if store is None else [one for one in list(store._server._lent) if one is not store._lease]
        # That of a sender that has begun anew is closed, and still listed.
        return {*open_, *(held for one in lent if (held := one._connection) is not None and not held.closed)}


@pytest.mark.parametrize("rls", [False, True], ids=["plain", "walled"])
async def test_no_connection_is_held_while_a_model_works(
    server: OwnServer, walled: OwnServer, agents_dsn: str, tmp_path: Path, rls: bool
):
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), "a1")
    used = walled if rls else server
    options: dict[str, Any] = {"dsn": agents_dsn, "rls": True} if rls else {}
    model = Looking(used)
    store = await open_shared(tmp_path, used, uuid.uuid4().hex, lent=model, **options)
    try:
        model.store = store
        await store.flush()
        await store.vectors_complete(lambda status, report: None)
        store._came_back(False)  # which has a first search made before anybody waits for one
        found = await store.search(Query("which gate is green"))
        assert [hit.text for hit in found.hits] == ["the garden gate is green"]
        assert found.level is Level.HYBRID
        encoded = list(model.encoded)
        assert "which gate is green" in encoded
        assert len(encoded) > 1  # the note as well
        await store.search(Query("which gate is green"))
        assert model.encoded == encoded
        model.fails = True
        failed = await store.search(Query("is the gate green"))
        assert model.encoded == [*encoded, "is the gate green"]  # once, and not again over a connection
        assert ([hit.text for hit in failed.hits], failed.level) == (["the garden gate is green"], Level.FULL_TEXT)
        await asyncio.sleep(WORKS)
    finally:
        await store.close()
    assert model.held == []
