"""No vector stays, or comes, of a passage that was forgotten while a model was making it: it would tell of the text."""

import threading
import uuid

import pytest

from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres.database import forgetting, schema
from nanobot_memory_plugins.postgres.database.connection import Connection, connect
from nanobot_memory_plugins.postgres.database.shipping import Shipment
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.search.documents import FileChange, FileState
from tests.postgres.test_forgetting import asked
from tests.postgres.test_no_leaks import documents

SPACE, VECTOR = "a model", [0.6, 0.8]


class Sender:
    """A machine that has sent some passages, and is about to store their vectors."""

    def __init__(self, connection: Connection) -> None:
        self.name = uuid.uuid4().hex
        self.whose = TenantOwner(Tenant.named(self.name), self.name, "laptop")
        schema.prepare(connection, 16)
        self.shipment = Shipment(connection, self.whose, large_from=200)
        self.documents = documents("cabin", 1)[:5]
        state = FileState("memory/cabin.md", 1, "", 1, 0)
        self.shipment.apply(FileChange("memory/cabin.md", state, tuple(self.documents)))
        self.wanted = self.shipment.documents_without_vector(SPACE, 100)
        self.gone = self.documents[0]

    def store(self) -> None:
        self.shipment.put_vectors(SPACE, [(one.id, VECTOR) for one in self.wanted])

    def forget(self, connection: Connection) -> None:
        forgetting.order(connection, self.whose, Erasure(texts=(self.gone.text,)))

    def orphans(self, server: OwnServer) -> int:
        held = {row[0] for row in asked(server, self.name, "c.id", "chunk c")}
        vectors = {row[0] for row in asked(server, self.name, "e.id", "embedding e")}
        assert len(held) < len(self.documents)
        return len(vectors - held)


def test_it_is_forgotten_before_its_vector_comes(server: OwnServer):
    with connect(server.dsn) as one, connect(server.dsn) as other:
        sender = Sender(one)
        sender.forget(other)
        sender.store()
        assert sender.orphans(server) == 0
        sender.store()  # again, as after a break
        assert sender.orphans(server) == 0


@pytest.mark.parametrize("first", ["forgetting", "storing"])
def test_both_happen_at_once(server: OwnServer, first: str):
    with connect(server.dsn) as one, connect(server.dsn) as other:
        sender = Sender(one)
        begin, then = (lambda: sender.forget(other)), sender.store
        holder = other
        if first == "storing":
            begin, then, holder = then, begin, one
        with holder.transaction():
            begin()
            second = threading.Thread(target=then)
            second.start()
            second.join(0.5)
            assert second.is_alive()  # it waits for the first one's end
        second.join(20)
        assert not second.is_alive()
        assert sender.orphans(server) == 0
