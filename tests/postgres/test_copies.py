"""An entry that stands in the files of many machines is one hit, and takes nobody else's place among the best."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.database.shipping import Shipment
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.moving.comparing import pieces
from nanobot_memory_plugins.postgres.search import ServerVectors
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.search.documents import FileChange, FileState
from nanobot_memory_plugins.search.sources.pieces import Chunking
from nanobot_memory_plugins.search.sources.places import Places
from tests.postgres.opening import open_shared

MACHINES, ENTRIES = 20, 8
FILE = "memory/ENTRIES.md"


@dataclass
class OneWayModel:
    """A model for which all texts on gardens are near, the entries nearer than the note."""

    name: str = "gardens"
    dimension: int = 3

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.2 if "garden" in one else 3.0, 0.6 if "far end" in one else 0.01]
                for one in ([texts] if isinstance(texts, str) else texts)]  # fmt: skip


@pytest.mark.parametrize(("large_from", "lent"), [(200, None), (20_000, OneWayModel())], ids=["words", "meaning"])
async def test_copies_crowd_nothing_out(server: OwnServer, tmp_path: Path, large_from: int, lent: OneWayModel | None):
    tenant, workspace = uuid.uuid4().hex, MemoryWorkspace(tmp_path)
    entries = EntryRepository(tmp_path)
    for number in range(ENTRIES):
        remember(entries, NewEntry(f"The garden has bed number {number} of the garden"), who="user")
    far = "At the far end somebody left a rusty bicycle, two crates, a ladder and a tin of paint beside the garden wall"
    workspace.note(Note(far), str(uuid.uuid4()))
    options = {"lent": lent, "machine": "laptop", "large_from": large_from}
    store = await open_shared(tmp_path, server, tenant, **options)
    try:
        await store.flush()
        if lent is not None:
            await store.vectors_complete(lambda _status, _report: None)
        assert await store.entries.settle(RepositoryAccess(entries)) == 0
        copies = [one for some, _ in pieces(Places(MemoryPaths.of(tmp_path)), Chunking()) for one in some]
        copies = [one for one in copies if one.path == FILE]
        assert len(copies) == ENTRIES
        with connect(server.dsn) as connection:
            for number in range(MACHINES):
                other = TenantOwner(store._whose.tenant, tenant, f"machine{number}")
                shipment = Shipment(connection, other, large_from=large_from)
                shipment.apply(FileChange(FILE, FileState(FILE, 1, "", 1, 0), tuple(copies)))
                if lent is not None:
                    vectors = [(one.id, lent.encode(one.text)[0]) for one in
                               shipment.documents_without_vector(lent.name, 100)]  # fmt: skip
                    shipment.put_vectors(lent.name, vectors)
            if lent is not None:  # by an index of the tenant's, too, which knows nothing of copies
                Shipment(connection, store._whose, large_from=large_from, nearest_from=1).set_active_space(lent.name)
                vectors = ServerVectors(connection, store._whose, nearest_from=1)
                asked_for = np.array(lent.encode("garden")[0], np.float32)
                space = vectors.space(lent.name, lent.dimension)
                assert len(vectors.nearest(space, asked_for, Query("garden"), ENTRIES + 1)) == ENTRIES + 1
        hits = (await store.search(Query("garden", limit=20))).hits
        assert sum(hit.path.endswith(FILE) for hit in hits) == ENTRIES
        assert {hit.path for hit in hits if hit.path.endswith(FILE)} == {FILE}
        assert any("rusty bicycle" in hit.text for hit in hits)
    finally:
        await store.close()
