"""Where nobody keeps files (``keepFiles: false``) they go once everybody has what they hold, and nothing is lost."""

import os
import uuid
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Query, SystemClock
from nanobot_memory_plugins.core.config import config_from_mapping
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.postgres.spool import KEPT, Spool
from tests.postgres.neighbour import neighbour
from tests.postgres.opening import open_shared
from tests.postgres.test_forgetting import asked, configured, sent

SESSION = "cli:direct"
FIRST, SECOND = "The harbour is closed on Monday.", "The garden gate is green."


@pytest.fixture
def tenant() -> str:
    return uuid.uuid4().hex


@pytest.fixture
async def memory(server: OwnServer, tenant: str, tmp_path: Path) -> AsyncIterator[MemoryHost]:
    shared = {"dsn": server.dsn, "tenant": tenant, "machine": "one", "searchSeconds": 10, "keepFiles": False}
    config, problems = config_from_mapping(
        {"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "postgres": shared}}
    )
    assert not problems
    async with MemoryHost(tmp_path / "one", config=config) as host:
        yield host


def spool_of(memory: MemoryHost, kept: timedelta = timedelta(0)) -> Spool:
    store = memory.store
    return Spool(store._whose, MemoryPaths.of(memory.workspace), SystemClock(), store._ask_long, kept=kept)


async def say(memory: MemoryHost, text: str) -> None:
    await memory.message_sent(session_key=SESSION, text=text)
    await sent(memory)


async def found(memory: MemoryHost, question: str) -> list[str]:
    return [hit.text for hit in (await memory.search(Query(question))).hits]


async def test_what_everybody_has_goes_and_is_found_all_the_same(
    memory: MemoryHost, server: OwnServer, tenant: str, tmp_path: Path
):
    transcript = MemoryPaths.of(memory.workspace).transcript(SESSION)
    await say(memory, FIRST)
    assert await spool_of(memory).clear() == [transcript]
    assert not transcript.exists()
    memory.store.notify(transcript)
    await sent(memory)
    assert await found(memory, "harbour") == [FIRST]
    await say(memory, SECOND)  # the file is a new one
    assert await found(memory, "garden gate") == [SECOND]
    assert await found(memory, "harbour") == [FIRST]
    assert await spool_of(memory).clear() == [transcript]
    assert len(asked(server, tenant, "e.id", "record e", "AND e.body IS NOT NULL")) == 2
    assert asked(server, tenant, "t.documents", "machine m") == [(2,)]
    hit = (await memory.search(Query("harbour"))).hits[0]
    assert (await memory.store.read(hit.id)).text == FIRST
    async with MemoryHost(tmp_path / "two", config=configured(server, tenant, "two")) as other:
        assert await found(other, "harbour") == [FIRST]
        assert await found(other, "garden gate") == [SECOND]


async def test_what_is_young_stays_to_be_sent_again_after_a_failover(memory: MemoryHost):
    transcript = MemoryPaths.of(memory.workspace).transcript(SESSION)
    await say(memory, FIRST)
    assert await spool_of(memory, KEPT).clear() == []
    long_ago = transcript.stat().st_mtime - KEPT.total_seconds() - 1
    os.utime(transcript, (long_ago, long_ago))
    await sent(memory)
    assert await spool_of(memory, KEPT).clear() == [transcript]


async def test_what_was_not_sent_stays(memory: MemoryHost):
    transcript = MemoryPaths.of(memory.workspace).transcript(SESSION)
    await say(memory, FIRST)
    memory.store._sender.stop(0)
    await memory.message_sent(session_key=SESSION, text=SECOND)
    assert await spool_of(memory).clear() == []
    assert transcript.exists()


async def test_a_break_before_the_file_is_gone_sends_it_once_more(memory: MemoryHost, server: OwnServer, tenant: str):
    transcript = MemoryPaths.of(memory.workspace).transcript(SESSION)
    await say(memory, FIRST)
    before = transcript.read_bytes()
    await spool_of(memory).clear()
    await memory.close()
    transcript.write_bytes(before)
    async with MemoryHost(memory.workspace, config=memory.config) as again:
        await sent(again)
        assert await found(again, "harbour") == [FIRST]
    assert asked(server, tenant, "e.path", "record e") == [("memory/sessions/" + transcript.name,)]
    assert asked(server, tenant, "t.documents", "machine m") == [(1,)]


async def test_without_a_server_nothing_goes(tmp_path: Path):
    store = await open_shared(tmp_path, None, "nobody", keep_files=False)
    try:
        note = tmp_path / "memory" / "2026-02-16.md"
        note.write_text("### 2026-02-16 14:20\ntl;dr: a note\nid: a1\n", encoding="utf-8")
        spool = Spool(store._whose, MemoryPaths.of(tmp_path), SystemClock(), store._ask_long, kept=timedelta(0))
        assert await spool.clear() == []
        assert note.exists()
    finally:
        await store.close()


async def test_a_neighbour_finds_nothing_of_what_went_and_his_own_stays(
    memory: MemoryHost, server: OwnServer, tmp_path: Path
):
    async with neighbour(server, tmp_path, "harbour", machine="one"):
        await say(memory, FIRST)
        assert await spool_of(memory).clear() == [MemoryPaths.of(memory.workspace).transcript(SESSION)]
        assert await found(memory, "harbour") == [FIRST]
        assert await found(memory, "Sigrid cat") == []
