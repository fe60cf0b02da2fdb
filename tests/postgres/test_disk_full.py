"""The server's disk is full: everything stays on the machine, and reaches the server once there is room again."""

import asyncio
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import is_shared, open_shared, until

pytestmark = pytest.mark.slow

_MEGABYTE = 1 << 20


@pytest.fixture
def small_disk(short_folder: Path) -> Iterator[Path]:
    """A file system of 160 MB of its own."""
    disk = short_folder / "d"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=160m,mode=0755", "tmpfs", str(disk)]
    if not hasattr(os, "geteuid") or os.geteuid() or not shutil.which("mount"):
        pytest.skip("only root can make a small disk")
    if subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def left(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


async def test_what_is_told_while_it_is_full_arrives_later(binaries: Path, small_disk: Path, tmp_path: Path):
    server, tenant = OwnServer(small_disk / "s"), uuid.uuid4().hex
    workspace, ballast = MemoryWorkspace(tmp_path), small_disk / "ballast"
    with server.running():
        store = await open_shared(tmp_path, server, tenant, machine="laptop", search_seconds=2)
        try:
            await store.flush()
            ballast.write_bytes(b"\0" * (left(small_disk) - _MEGABYTE))
            texts = [f"remark {number} " + os.urandom(400).hex() for number in range(2_000)]
            for number, text in enumerate(texts):
                store.notify(workspace.note(Note(text), f"n{number}"))
            await until(lambda: not left(small_disk) // 65_536 or not is_shared(store), 60)
            await until(lambda: store.status().kept == "local", 60)
            hits = (await store.search(Query("remark 1999"))).hits
            assert any(hit.text.startswith("remark 1999 ") for hit in hits)
            ballast.unlink()
            await asyncio.to_thread(server.start)
            await until(lambda: is_shared(store), 60)
            await store.flush()
            assert store.status().kept == "shared"
        finally:
            await store.close()
        with psycopg.connect(server.dsn) as connection:
            found = [row[0] for row in connection.execute("SELECT text FROM nanobot_memory.chunk")]
            counted = connection.execute("SELECT documents FROM nanobot_memory.tenant").fetchone()
    whole = {text for text in found if text.startswith("remark ")}
    assert {text.split(" ")[1] for text in whole} == {str(number) for number in range(2_000)}
    assert counted == (len(found),)
    assert len(found) == len(set(found))
