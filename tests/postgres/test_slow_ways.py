"""Over a slow way everything is sent, though no search waits for it; and a slow model is not the server's fault."""

import uuid
from dataclasses import replace
from statistics import median

import pytest
from psycopg import pq

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import connect
from nanobot_memory_plugins.postgres.database.shipping import Shipment
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.search.documents import FileChange, FileState
from tests.postgres.slow_way import slow_way
from tests.postgres.test_forgetting import asked
from tests.postgres.test_no_leaks import documents

# Both ways together, as each answer waits: 150 ms each, and a limit of a search that this is too slow for.
ROUND_TRIP, LIMIT = 0.3, 0.25


@pytest.mark.parametrize("large_from", [1, 20_000], ids=["large", "small"])
def test_a_message_takes_two_round_trips(server: OwnServer, large_from: int):
    name = uuid.uuid4().hex
    found = documents("garden", 1)
    with slow_way(server.dsn) as (way, dsn), connect(dsn) as connection:
        schema.prepare(connection, 16)
        shipment = Shipment(connection, TenantOwner(Tenant.named(name), name, "laptop"), large_from=large_from)
        state = FileState("memory/garden.md", 1, "", 1, 0)
        turns = []
        for one in found[:30]:
            before = way.turns
            shipment.apply(FileChange("memory/garden.md", state, (one,)))
            turns.append(way.turns - before)
    assert median(turns) == 2
    assert len(asked(server, name, "c.id", "chunk c")) == 30


def test_what_breaks_within_leaves_no_transaction_behind(server: OwnServer):
    name = uuid.uuid4().hex
    (one, other) = documents("garden", 1)[:2]
    state = FileState("memory/garden.md", 1, "", 1, 0)
    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)
        shipment = Shipment(connection, TenantOwner(Tenant.named(name), name, "laptop"), large_from=200)
        broken = replace(state, size=2**70)  # what the server refuses, at the end of all
        with pytest.raises(StoreError):
            shipment.apply(FileChange("memory/garden.md", broken, (one,)))
        assert connection.info.transaction_status == pq.TransactionStatus.IDLE
        assert asked(server, name, "c.id", "chunk c") == []
        shipment.apply(FileChange("memory/garden.md", state, (other,)))
        assert len(asked(server, name, "c.id", "chunk c")) == 1
