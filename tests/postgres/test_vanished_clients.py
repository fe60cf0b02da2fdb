"""What a client leaves that vanishes in the middle: nothing that others wait for, and no half a name."""

import threading
import uuid
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryPaths, Note
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.postgres.database import connection as connections
from nanobot_memory_plugins.postgres.database.connection import bounded_transaction, connect, run
from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.postgres.machine import machine_name
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import open_shared


async def test_others_send_once_the_server_has_ended_what_it_began(
    server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = uuid.uuid4().hex
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), "a1")
    store = await open_shared(tmp_path, server, name, machine="desktop")
    await store.flush()
    monkeypatch.setattr(connections, "_LIMITS", connections._LIMITS.replace(b"20s", b"500ms"))
    vanished = connect(server.dsn)
    begun = bounded_transaction(vanished)
    begun.__enter__()  # and never ended: the lid of that laptop is closed
    sql = "UPDATE nanobot_memory.tenant SET version = version + 1 WHERE tenant = %s"
    run(vanished, sql, (Tenant.named(name).id,))
    store.notify(workspace.note(Note("the cabin key is under the mat"), "a2"))
    await store.flush()
    assert store.status().unsent_bytes == 0
    await store.close()
    vanished.close()


@pytest.mark.parametrize("number", range(20))
def test_of_two_that_start_at_once_both_have_the_name_that_one_has_made(tmp_path: Path, number: int) -> None:
    names: list[str] = []
    both = threading.Barrier(2)

    def start() -> None:
        both.wait()
        names.append(machine_name(MemoryPaths.of(tmp_path)))

    starting = [threading.Thread(target=start) for _ in range(2)]
    for thread in starting:
        thread.start()
    for thread in starting:
        thread.join()
    assert len(names) == 2
    assert len(set(names)) == 1
    assert [file.name for file in (tmp_path / ".storage").iterdir()] == ["machine"]
