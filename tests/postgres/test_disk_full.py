"""The server's disk is full: everything stays on the machine, and reaches the server once there is room again."""

import asyncio
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.neighbour import neighbour
from tests.postgres.opening import is_shared, open_shared, until
from tests.postgres.server_pair import can_mount, fill, small_disk

pytestmark = pytest.mark.slow


@pytest.fixture
def disk(short_folder: Path) -> Iterator[Path]:
    """A file system of 160 MB of its own."""
    if not can_mount():
        pytest.skip("only root can make a small disk")
    try:
        with small_disk(short_folder / "d", 160) as disk:
            yield disk
    except OSError as error:
        pytest.skip(str(error))


def left(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


async def test_what_is_told_while_it_is_full_arrives_later(binaries: Path, disk: Path, tmp_path: Path):
    server, tenant = OwnServer(disk / "s"), uuid.uuid4().hex
    workspace = MemoryWorkspace(tmp_path)
    with server.running():
        async with neighbour(server, tmp_path, "remark", machine="laptop"):
            store = await open_shared(tmp_path, server, tenant, machine="laptop")
            try:
                await store.flush()
                ballast = fill(disk)
                texts = [f"remark {number} " + os.urandom(400).hex() for number in range(2_000)]
                for number, text in enumerate(texts):
                    store.notify(workspace.note(Note(text), f"n{number}"))
                await until(lambda: not left(disk) // 65_536 or not is_shared(store), 60)
                await until(lambda: store.status().kept == "local", 60)
                await store.local.flush()  # its own index has the last of them, however busy the machine is
                hits = (await store.search(Query("remark 1999"))).hits
                assert any(hit.text.startswith("remark 1999 ") for hit in hits)
                ballast.unlink()
                await asyncio.to_thread(server.start)
                await until(lambda: is_shared(store), 120)
                await store.flush()
                assert store.status().kept == "shared"
            finally:
                await store.close()
        with psycopg.connect(server.dsn) as connection:
            found = [
                row[0]
                for row in connection.execute(
                    "SELECT c.text FROM nanobot_memory.chunk c JOIN nanobot_memory.tenant t USING (tenant) "
                    "WHERE t.name = %s",
                    [tenant],
                )
            ]
            counted = connection.execute(
                "SELECT documents FROM nanobot_memory.tenant WHERE name = %s", [tenant]
            ).fetchone()
    whole = {text for text in found if text.startswith("remark ")}
    assert {text.split(" ")[1] for text in whole} == {str(number) for number in range(2_000)}
    assert counted == (len(found),)
    assert len(found) == len(set(found))
