"""While an embedding model works, no connection is held for it, and no transaction is open."""

import threading
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from psycopg.pq import TransactionStatus

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Level, Note, Query
from nanobot_memory_plugins.postgres.reaching import Lease, Server
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.store import SharedStore
from tests.postgres.opening import open_shared
from tests.support.indexed_workspace import HashEmbedder

USE = Server.use


class Looking(HashEmbedder):
    """A model that looks what is held for it while it works: by this thread, whatever others do meanwhile."""

    store: SharedStore | None = None
    fails = False

    def __init__(self) -> None:
        super().__init__()
        self.held: list[tuple[object, object]] = []
        self._using = threading.local()

    def use(self, server: Server, function: Callable[[Any], Any], lease: Lease) -> Any:
        """Use a server, and know of it in this thread."""
        self._using.lease = lease
        try:
            return USE(server, function, lease)
        finally:
            self._using.lease = None

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        if (lease := getattr(self._using, "lease", None)) is not None:
            self.held.append((texts, lease))
        if self.store is not None and threading.current_thread() is self.store._sender._thread:
            connection = self.store._lease._connection
            if connection.info.transaction_status is not TransactionStatus.IDLE:
                self.held.append((texts, connection))
        made = super().encode(texts)
        if self.fails:
            raise RuntimeError("no memory")
        return made


@pytest.mark.parametrize("rls", [False, True], ids=["plain", "walled"])
async def test_no_connection_is_held_while_a_model_works(
    server: OwnServer,
    walled: OwnServer,
    agents_dsn: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rls: bool,
):
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), "a1")
    used = walled if rls else server
    options: dict[str, Any] = {"dsn": agents_dsn, "rls": True} if rls else {}
    model = Looking()
    monkeypatch.setattr(Server, "use", lambda *given: model.use(*given))
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
    finally:
        await store.close()
    assert model.held == []
