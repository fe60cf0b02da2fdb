"""The shared store fulfils the contract of stores on a real server, and separates tenants."""

import random
import uuid
from pathlib import Path

import numpy as np
import psycopg
import pytest

from nanobot_memory_plugins.core import Health, StoreError
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.testing import MemoryWorkspace, StoreContract
from nanobot_memory_plugins.core.values import Level, Note, Query, Tier
from nanobot_memory_plugins.postgres import schema
from nanobot_memory_plugins.postgres import store as store_module
from nanobot_memory_plugins.postgres.connection import connect
from tests.behaviour.kit.waiting import until
from tests.postgres.machines import Database, open_shared, rows

WORDS = ["harbour", "coffee", "staging", "database", "port", "cabin", "key", "garden", "gate", "winter", "ticket"]
WORDS += ["Berlin", "港口", "咖啡", "数据库", "花园", "车票", "冬天"]


class TestTheSharedStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _server(self, server: Database) -> None:
        self.server, self.tenant = server, uuid.uuid4().hex

    async def open(self, workspace: Path) -> Store:
        store = await open_shared(workspace, self.server, self.tenant)
        assert "own index" not in store.status().reason
        return store


async def test_while_the_server_is_away_the_local_index_answers_and_doctor_reports_it(tmp_path: Path):
    workspace = MemoryWorkspace(tmp_path)
    workspace.note(Note("the garden gate is green"), "a1")
    store = await open_shared(tmp_path, None, "nobody", dsn="host=db password=Quiet7harbor wrong")
    try:
        await store.flush()
        assert [hit.text for hit in (await store.search(Query("garden gate"))).hits] == ["the garden gate is green"]
        status, (finding,) = store.status(), await store.findings()
    finally:
        await store.close()
    assert "own index answers" in status.reason
    assert (finding.health, finding.state[:6]) == (Health.DEGRADED, "away: ")
    assert "not the address of a PostgreSQL server" in finding.state
    assert "Quiet7harbor" not in status.reason + status.hint + finding.state + finding.hint


class Model:
    """An embedding model whose vectors depend on the words of a text."""

    name, dimension = "words", 64

    def encode(self, texts: str | list[str]) -> list[list[float]]:
        made = []
        for text in [texts] if isinstance(texts, str) else texts:
            vector = sum(np.random.default_rng(abs(hash(word)) % 2**32).normal(size=64) for word in text.split())
            made.append((vector / np.linalg.norm(vector)).tolist())
        return made


async def test_retrieval_is_the_same_as_with_sqlite(server: Database, tmp_path: Path):
    chance, workspace, asked = random.Random(7), MemoryWorkspace(tmp_path), []
    for number in range(400):
        words = chance.choices(WORDS, weights=[1 / (place + 1) for place in range(len(WORDS))], k=chance.randint(4, 14))
        workspace.note(Note(" ".join([*words, f"item{number % 97}"])), f"n{number}")
        if number % 20 == 0:
            asked.append((" ".join(chance.sample(words, 3)) + f" item{number % 97}?", f"#n{number}"))
    store = await open_shared(tmp_path, server, uuid.uuid4().hex, lent=Model())
    ranks: dict[str, list[int]] = {"shared": [], "own": []}
    try:
        await store.flush()
        await store.vectors_complete()
        for question, answer in asked:
            for tier in Tier:
                query = Query(question, limit=10, tier=tier, use_vectors=False)
                for name, one in (("shared", store), ("own", store.local)):
                    result = await one.search(query)
                    assert result.level is Level.FULL_TEXT
                    places = [place for place, hit in enumerate(result.hits, 1) if hit.id.endswith(answer)]
                    ranks[name].append(*places or [0])
            by_meaning = await store.search(Query(question, limit=10))
            assert by_meaning.level is Level.HYBRID
            assert by_meaning.hits
    finally:
        await store.close()
    for measure in (bool, lambda rank: 1 / rank if rank else 0.0):
        shared, own = (sum(map(measure, ranks[name])) / len(ranks[name]) for name in ("shared", "own"))
        assert own > 0.3
        assert shared == pytest.approx(own, abs=5e-4)


async def test_each_machine_finds_the_memories_of_the_other(server: Database, tmp_path: Path):
    tenant = uuid.uuid4().hex
    laptop, desktop = MemoryWorkspace(tmp_path / "laptop"), MemoryWorkspace(tmp_path / "desktop")
    one = await open_shared(laptop.path, server, tenant, machine="laptop")
    two = await open_shared(desktop.path, server, tenant, machine="desktop")
    try:
        identity = str(uuid.uuid4())
        one.notify(laptop.note(Note("the staging database listens on port 6543"), identity))
        two.notify(desktop.note(Note("the cabin key is under the mat"), "a1"))
        await one.flush()
        await two.flush()
        assert rows(server, tenant, "count(*)", "passage", f"AND key LIKE '%%#{identity}'") == [(1,)]
        await one.local.close()  # from here on it could not answer
        (here,) = (await one.search(Query("cabin key"))).hits
        (there,) = (await two.search(Query("staging database"))).hits
        assert (here.text, here.path) == ("the cabin key is under the mat", "desktop:memory/2026-02-16.md")
        assert there.path == "laptop:memory/2026-02-16.md"
        read = await two.read(there.id)
        assert read is not None
        assert read.text == there.text
        assert await two.passages() == {"desktop": 1, "laptop": 1}
        found = {finding.subject: finding for finding in await two.findings()}
        assert "desktop (this one)" in found["shared memory: machines"].state
        # One machine at a time leads, until it resigns or is gone.
        assert [await store.lead() for store in (one, two, one)] == [True, False, True]
        await one.resign()
        assert await two.lead()
    finally:
        await one.close()
        await two.close()


def test_row_level_security_limits_every_statement_to_its_tenant_and_roles_that_bypass_it_are_refused(server: Database):
    with pytest.raises(StoreError, match="bypasses row-level security"), connect(server.administrator_dsn) as mighty:
        schema.prepare(mighty)
    with connect(server.dsn) as connection:
        schema.prepare(connection)
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'nanobot_memory'").fetchall()
        assert {name for (name,) in tables} == {*schema.TABLES, "meta"}
        for name in schema.TABLES:  # without a tenant there is nothing, and nothing can be written
            assert connection.execute(f"SELECT count(*) FROM nanobot_memory.{name}".encode()).fetchone() == (0,)
        with pytest.raises(psycopg.Error):
            connection.execute("INSERT INTO nanobot_memory.tenant (name) VALUES ('nobody')")
        connection.execute("ALTER TABLE nanobot_memory.entry NO FORCE ROW LEVEL SECURITY")
        with pytest.raises(StoreError, match="switched off for entry"):
            schema.prepare(connection)
        connection.execute("ALTER TABLE nanobot_memory.entry FORCE ROW LEVEL SECURITY")
        connection.execute("UPDATE nanobot_memory.meta SET value = '99'")
        with pytest.raises(StoreError, match="newer version"):
            schema.prepare(connection)
        connection.execute("UPDATE nanobot_memory.meta SET value = '1'")


async def test_passages_sent_twice_are_stored_once_and_lost_ones_are_sent_again(server: Database, tmp_path: Path):
    tenant, workspace = uuid.uuid4().hex, MemoryWorkspace(tmp_path)
    workspace.note(Note("the boat is moored at pier nine"), str(uuid.uuid4()))
    workspace.note(Note("the \0 harbour \ud800 is open"), str(uuid.uuid4()))
    losses = [
        "",
        "DELETE FROM nanobot_memory.file",
        "DELETE FROM nanobot_memory.passage; DELETE FROM nanobot_memory.posting; DELETE FROM nanobot_memory.file; "
        "UPDATE nanobot_memory.tenant SET passages = 0, terms = 0",
    ]
    for loss in losses:
        if loss:
            with psycopg.connect(server.administrator_dsn, autocommit=True) as connection:
                connection.execute(loss.encode())
        store = await open_shared(tmp_path, server, tenant)
        try:
            await store.flush()
            assert [hit.text for hit in (await store.search(Query("pier nine", limit=1))).hits] == [
                "the boat is moored at pier nine"
            ]
            assert store.status().unsent_bytes == 0
        finally:
            await store.close()
        assert rows(server, tenant, "passages", "tenant") == [(2,)]
        assert rows(server, tenant, "count(*)", "passage") == [(2,)]
        assert rows(server, tenant, "count(*)", "file") == [(1,)]
    # What goes from the file goes from the server, with its terms and its counts.
    store = await open_shared(tmp_path, server, tenant)
    try:
        (file,) = workspace.paths.memory.glob("*.md")
        text = file.read_text(encoding="utf-8")
        for left, count in ((text[text.rindex("### ") :], 1), ("", 0)):
            file.write_text(left, encoding="utf-8")
            store.notify(file)
            await store.flush()
            await until(lambda: rows(server, tenant, "passages", "tenant") == [(count,)])  # noqa: B023
            assert rows(server, tenant, "count(*)", "passage") == [(count,)]
        assert rows(server, tenant, "count(*)", "posting") == rows(server, tenant, "terms", "tenant") == [(0,)]
    finally:
        await store.close()


async def test_while_much_is_unsent_the_local_index_answers(server: Database, tmp_path: Path):
    workspace = MemoryWorkspace(tmp_path)
    for number in range(300):
        workspace.note(Note(f"marker{number} " + "the garden gate is green " * 40), f"n{number}")
    store = await open_shared(tmp_path, server, uuid.uuid4().hex)
    try:
        await store.local.flush()
        assert "marker7 " in (await store.search(Query("marker7"))).hits[0].text
        await store.flush()
        assert "marker7 " in (await store.search(Query("marker7"))).hits[0].text
        assert "being sent" not in store.status().reason
    finally:
        await store.close()


async def test_a_second_process_uses_the_server_once_all_is_sent(
    server: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(store_module, "TAIL_BYTES", 100)
    workspace, tenant = MemoryWorkspace(tmp_path), uuid.uuid4().hex
    for number in range(5):
        workspace.note(Note(f"the garden gate number {number} is green"), f"a{number}")
    sender = await open_shared(tmp_path, server, tenant)
    try:
        await sender.flush()
        other = await open_shared(tmp_path, server, tenant)
        try:
            assert len((await other.search(Query("garden gate"))).hits) == 5
            assert other.status().unsent_bytes == 0
            assert "own index" not in other.status().reason
        finally:
            await other.close()
    finally:
        await sender.close()
