"""A hanging server blocks nobody."""

import os
import signal
import time
import uuid
from pathlib import Path

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note, Query
from tests.postgres.machines import open_shared, processes_of
from tests.support.postgres_server import OwnServer

# Seconds for ten searches, and for closing: a busy machine takes its time.
LONGEST = 40.0


async def test_a_hanging_server_blocks_neither_a_search_nor_close(own_server: OwnServer, tmp_path: Path):
    MemoryWorkspace(tmp_path).note(Note("the garden gate is green"), str(uuid.uuid4()))
    store = await open_shared(tmp_path, own_server, uuid.uuid4().hex, search_seconds=0.25)
    try:
        await store.flush()
        stopped = processes_of(own_server)
        for one in stopped:
            os.kill(one, signal.SIGSTOP)
        begun = time.monotonic()
        for _ in range(10):
            assert (await store.search(Query("garden gate"))).hits
        assert time.monotonic() - begun < LONGEST
        for one in stopped:
            os.kill(one, signal.SIGCONT)
        assert (await store.search(Query("garden gate"))).hits
        for one in (stopped := processes_of(own_server)):
            os.kill(one, signal.SIGSTOP)
        await store.search(Query("garden gate"))
        begun = time.monotonic()
        await store.close()
        assert time.monotonic() - begun < LONGEST
    finally:
        for one in stopped:
            os.kill(one, signal.SIGCONT)
        await store.close()
