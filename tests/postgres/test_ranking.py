"""Words and vectors of the server put passages in the order of the SQLite store."""

import random
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query, Tier
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.database.shipping import Shipment
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.search import ServerVectors, ServerWords
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.store import SharedStore
from nanobot_memory_plugins.search.segmentation import match_expression, query_terms
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.search.full_text import FullText
from nanobot_memory_plugins.tools.bench import made_up
from tests.postgres.opening import open_shared

WORDS = [
    "harbour",
    "coffee",
    "staging",
    "database",
    "port",
    "cabin",
    "key",
    "garden",
    "gate",
    "winter",
    "ticket",
    "Berlin",
]
WORDS += ["Berlin", "港口", "咖啡", "数据库", "花园", "车票", "冬天"]
NOTES = 600


def told(path: Path) -> MemoryWorkspace:
    """Return a workspace with notes of common and rare words, the same each time."""
    chance, workspace = random.Random(7), MemoryWorkspace(path)
    for number in range(NOTES):
        words = chance.choices(WORDS, weights=[1 / (place + 1) for place in range(len(WORDS))], k=chance.randint(3, 14))
        workspace.note(Note(" ".join([*words, f"item{number % 97}"])), f"n{number}")
    return workspace


QUESTIONS = [
    "coffee at the harbour",
    "数据库 端口 港口",
    "garden gate in winter",
    "which ticket to Berlin item41",
    "花园 车票",
]


@pytest.fixture(params=[20_000, 1], ids=["small", "large"])
async def store(request: pytest.FixtureRequest, server: OwnServer, tmp_path: Path) -> AsyncIterator[SharedStore]:
    workspace = told(tmp_path)
    opened = await open_shared(workspace.path, server, uuid.uuid4().hex, large_from=request.param)
    await opened.flush()
    yield opened
    await opened.close()


async def test_the_best_hundred_by_words_are_those_of_fts5(store: SharedStore, server: OwnServer, tmp_path: Path):
    shares = []
    with connect(server.dsn) as connection:
        theirs = ServerWords(connection, store._whose)
        database = Database.open(tmp_path / ".storage" / "memory.db", read_only=True)
        ours = FullText(database.connection)
        ids = {store._whose.tenant.chunk(store._whose.machine, one.key): one.key for one in database.documents()}
        keys = dict(database.connection.execute("SELECT id, key FROM docs"))
        average = connection.execute(
            "SELECT average FROM nanobot_memory.tenant WHERE tenant = %s", [store._whose.tenant.id]
        )
        assert average.fetchone()[0] < 45  # weighed anew: fifty is what nobody has measured
        assert theirs.documents() == ours.documents() == NOTES
        for question in QUESTIONS:
            terms = query_terms(question)
            assert theirs.frequencies(terms) == ours.frequencies(terms)
            sql = "SELECT rowid, rank FROM docs_fts WHERE docs_fts MATCH ? ORDER BY rank"
            ranks = {
                keys[number]: rank for number, rank in database.connection.execute(sql, (match_expression(terms),))
            }
            hundredth = sorted(ranks.values())[:100][-1]
            found = [ids[number] for number in theirs.candidates(terms, Query(question), 100)]
            # Of those that share the hundredth place, either is right.
            shares.append(sum(ranks[key] <= hundredth + 1e-4 for key in found) / min(100, len(ranks)))
        database.close()
    assert min(shares) >= 0.99, shares


@pytest.mark.parametrize("tier", list(Tier))
async def test_a_search_answers_in_the_order_of_this_machines_index(store: SharedStore, tier: Tier):
    for question in QUESTIONS:
        query = Query(question, limit=10, tier=tier)
        shared, own = await store.search(query), await store.local.search(query)
        assert [hit.score for hit in shared.hits] == pytest.approx([hit.score for hit in own.hits], abs=0.005)


def test_many_vectors_are_looked_for_by_an_index_of_their_tenant_alone(server: OwnServer):
    whose = TenantOwner(Tenant.named(uuid.uuid4().hex), "many", "laptop")
    other = TenantOwner(Tenant.named(uuid.uuid4().hex), "other", "laptop")
    generator = np.random.default_rng(5)
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)
        for one in (whose, other):
            shipment = Shipment(connection, one, large_from=1, nearest_from=1)
            for change in made_up.documents(made_up.english(), 400):
                shipment.apply(change)
            while waiting := shipment.documents_without_vector("model", 500):
                vectors = made_up.unit_vectors(len(waiting), 32, generator)
                shipment.put_vectors(
                    "model", [(text.id, list(vector)) for text, vector in zip(waiting, vectors, strict=True)]
                )
            shipment.set_active_space("model")
            shipment.set_active_space("model")  # it is made once
        connection.execute("ANALYZE")
        exact, indexed = ServerVectors(connection, whose), ServerVectors(connection, whose, nearest_from=1)
        shares = []
        for vector in made_up.unit_vectors(10, 32, generator):
            right = exact.nearest(exact.space("model", 32), vector, Query("x"), 100)
            found = indexed.nearest(indexed.space("model", 32), vector, Query("x"), 100)
            assert len(right) == len(found) == 100
            shares.append(len(set(right) & set(found)) / 100)
        assert sum(shares) / len(shares) > 0.95
        valid = "SELECT count(*) FROM pg_indexes WHERE indexname LIKE %s AND indexdef LIKE %s"
        pattern = [f"embedding_{whose.tenant.id.hex[:16]}%", "%hnsw%"]
        assert connection.execute(valid, pattern).fetchone() == (1,)
