"""What is counted of this machine's files that the server has not."""

import threading
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import Query
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.postgres.asking import Asking
from nanobot_memory_plugins.postgres.database import schema
from nanobot_memory_plugins.postgres.database.connection import Connection, connect
from nanobot_memory_plugins.postgres.database.shipping import states_of
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.unsent import Unsent
from nanobot_memory_plugins.search.documents import FileState
from nanobot_memory_plugins.search.sources.pieces import Chunking
from nanobot_memory_plugins.search.sources.places import Places


def test_a_count_that_began_before_a_file_was_sent_does_not_end_after_the_one_behind_it(tmp_path: Path) -> None:
    note = tmp_path / "memory" / "topic.md"
    note.parent.mkdir()
    note.write_text("The garden gate is green.\n", encoding="utf-8")
    found = note.stat()
    state = FileState("memory/topic.md", found.st_size, "", found.st_size, found.st_mtime_ns)
    asked, go_on = threading.Event(), threading.Event()
    answers: list[Mapping[str, FileState]] = [{"memory/topic.md": state}, {}]

    def sent() -> Mapping[str, FileState]:
        answer = answers.pop()
        if not answer:  # the count that begins first takes long
            asked.set()
            go_on.wait(30)
        return answer

    unsent = Unsent(Places(MemoryPaths.of(tmp_path)), sent, DaemonThreadPool(1, "test"))
    first, second = threading.Thread(target=unsent.count), threading.Thread(target=unsent.count)
    first.start()
    asked.wait(30)
    second.start()
    second.join(0.2)
    go_on.set()
    first.join()
    second.join()
    assert unsent.bytes == 0


def test_a_search_that_looked_before_a_file_was_sent_does_not_make_it_unsent_again(
    server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant = uuid.uuid4().hex
    whose = TenantOwner(Tenant.named(tenant), tenant, "laptop")
    places, options = Places(MemoryPaths.of(tmp_path)), PostgresOptions.model_validate({})
    asking = Asking(whose, places, Chunking(), options, SystemClock(), lambda: None)
    state = FileState("memory/topic.md", 1, "", 1, 1)

    def looked_and_sent_meanwhile(connection: Connection, whose: TenantOwner) -> dict[str, FileState]:
        found = states_of(connection, whose)
        asking.was_sent({"memory/topic.md": state})
        return found

    with connect(server.dsn) as connection:
        schema.prepare(connection, 16)
        monkeypatch.setattr("nanobot_memory_plugins.postgres.asking.states_of", looked_and_sent_meanwhile)
        asking.search(connection, Query("garden"))
        assert asking.sent == {"memory/topic.md": state}
        monkeypatch.setattr("nanobot_memory_plugins.postgres.asking.states_of", states_of)
        asking.search(connection, Query("garden"))
        assert asking.sent == {}  # what the server says later holds
