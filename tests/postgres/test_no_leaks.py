"""No question finds what is another's: tenants, agents, people, channels, sessions and groups, many times over."""

import os
import random
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import psycopg
import pytest

from nanobot_memory_plugins.core.values import Origin, Query, Scope, Tier, Visibility
from nanobot_memory_plugins.core.values import Whose as Way
from nanobot_memory_plugins.postgres.database.connection import Connection, connect, together
from nanobot_memory_plugins.postgres.database.shipping import Shipment
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.search import ServerRows, ServerVectors, ServerWords
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from nanobot_memory_plugins.search.documents import Document, FileChange, FileState
from nanobot_memory_plugins.search.filters import passes
from nanobot_memory_plugins.search.segmentation import query_terms
from tests.postgres.bouncer import pooling

# How many questions each run asks; `NANOBOT_MEMORY_CASES=10000` asks as many as the figures say.
CASES = int(os.environ.get("NANOBOT_MEMORY_CASES", "120"))
DOCUMENTS, DIMENSION, SPACE = 120, 16, "scopes"
WORDS = ("harbour", "coffee", "garden", "gate", "winter", "ticket", "港口", "咖啡", "花园", "冬天")
# Names that a careless comparison takes for each other.
USERS = ("", "ana", "an", "ana%", "an_", "Ana", "ana'; --")
CHANNELS, SESSIONS, GROUPS = ("", "cli", "telegram"), ("", "cli:direct", "cli:direct2"), ("", "team", "team2")
AGENTS, TAGS = ("", "helper"), ("home", "home/garden", "homestead")
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Memory:
    """What one tenant holds on the server, and how it is asked over one connection."""

    whose: TenantOwner
    connection: Connection
    documents: dict[int, Document]
    vectors: dict[int, list[float]]
    strangers: frozenset[int] = frozenset()  # ids of the other tenant's


def scope_of(chance: random.Random) -> Scope:
    return Scope(
        agent=chance.choice(AGENTS),
        user=chance.choice(USERS),
        channel=chance.choice(CHANNELS),
        session=chance.choice(SESSIONS),
        group_chat=chance.choice(GROUPS),
    )


def visibility_of(chance: random.Random) -> Visibility:
    def maybe(names: tuple[str, ...]) -> str | None:
        return chance.choice((None, *names))

    ways = [
        Way(user=maybe(USERS), channel=maybe(CHANNELS), session=maybe(SESSIONS), group_chat=maybe(GROUPS))
        for _ in range(chance.randint(0, 3))
    ]
    return Visibility(agent=chance.choice(AGENTS), whose=tuple(ways))


def query_of(chance: random.Random) -> Query:
    filters = {
        "since": BEGINNING + timedelta(hours=chance.randint(0, DOCUMENTS)),
        "until": BEGINNING + timedelta(hours=chance.randint(0, DOCUMENTS)),
        "tags": frozenset({chance.choice(TAGS)}),
        "origins": frozenset({chance.choice((Origin.USER, Origin.TOOL))}),
        "sources": frozenset({chance.choice(("note", "summary"))}),
    }
    chosen = {name: value for name, value in filters.items() if chance.random() < 0.1}
    scope = scope_of(chance) if chance.random() < 0.3 else visibility_of(chance)
    tier = Tier.LIGHT if chance.random() < 0.2 else Tier.HEAVY
    return Query(" ".join(chance.choices(WORDS, k=2)), scope=scope, tier=tier, **chosen)


def documents(name: str, seed: int) -> list[Document]:
    chance = random.Random(seed)
    return [
        Document(
            key=f"memory/{name}.md:{number}",
            path=f"memory/{name}.md",
            line=number + 1,
            offset=number,
            ordinal=number,
            source=chance.choice(("note", "summary")),
            text=f"{' '.join(chance.choices(WORDS, k=4))} of {name}",
            content_hash="",
            origin=chance.choice((Origin.USER, Origin.TOOL)),
            scope=scope_of(chance),
            tldr=chance.choice(WORDS),
            tags=tuple(chance.sample(TAGS, k=chance.randint(0, 2))),
            time=BEGINNING + timedelta(hours=number),
        )
        for number in range(DOCUMENTS)
    ]


def sent(connection: Connection, name: str, tenant: str, seed: int, large_from: int) -> Memory:
    """Bring what somebody has to the server."""
    whose = TenantOwner(Tenant.named(tenant), name, "laptop")
    shipment = Shipment(connection, whose, large_from=large_from)
    found = documents(name, seed)
    path = f"memory/{name}.md"
    shipment.apply(FileChange(path, FileState(path, 1, "", 1, 0), tuple(found)))
    generator = np.random.default_rng(seed)
    vectors = {whose.tenant.chunk("laptop", one.key): generator.standard_normal(DIMENSION).tolist() for one in found}
    shipment.put_vectors(SPACE, list(vectors.items()))
    shipment.set_active_space(SPACE)
    return Memory(whose, connection, {whose.tenant.chunk("laptop", one.key): one for one in found}, vectors)


def ask(memory: Memory, chance: random.Random) -> int:
    """Ask one question in every way there is, compare it with what may be seen; return how much was."""
    query = query_of(chance)
    allowed = {number for number, one in memory.documents.items() if passes(one, query)}
    terms = query_terms(query.text)
    with together(memory.connection):
        words = ServerWords(memory.connection, memory.whose)
        by_words = set(words.candidates(terms, query, 2 * DOCUMENTS))
        rows = ServerRows(memory.connection, memory.whose)
        newest = {row.id for row in rows.newest(query, 2 * DOCUMENTS)}
        vectors = ServerVectors(memory.connection, memory.whose)
        space = vectors.space(SPACE, DIMENSION)
        assert space is not None
        asked = np.asarray(memory.vectors[chance.choice(list(memory.vectors))], dtype=np.float32)
        near = set(vectors.nearest(space, asked, query, 2 * DOCUMENTS))
        read = {row.id for row in rows.by_ids([*allowed, *memory.strangers])}
    looked_at = {
        number
        for number in allowed
        for one in [memory.documents[number]]
        for text in [one.tldr + " " + " ".join(one.tags) if query.tier is Tier.LIGHT else f"{one.text} {one.tldr}"]
        if any(word in text for word in query.text.split())
    }
    assert by_words <= allowed, query
    assert looked_at <= by_words, query
    assert newest == allowed, query
    assert near == allowed, query
    assert read == allowed, query
    return len(allowed)


def ask_many(connections: list[tuple[Memory, ...]], cases: int) -> int:
    """Ask, each thread over connections of its own to both tenants in turns; return how much was seen."""

    def one_of(place: int) -> int:
        chance = random.Random(f"{place}")
        return sum(ask(chance.choice(connections[place]), chance) for _ in range(cases // len(connections)))

    with ThreadPoolExecutor(len(connections)) as threads:
        return sum(threads.map(one_of, range(len(connections))))


@pytest.fixture(params=[1, 20_000], ids=["large", "small"])
def large_from(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def two(walled: OwnServer, large_from: int) -> Iterator[tuple[Memory, Memory]]:
    """Two tenants with the same words and names, filled by the owner."""
    with ExitStack() as opened:
        connections = [opened.enter_context(connect(walled.dsn)) for _ in range(2)]
        ana, bob = (
            sent(connection, name, uuid.uuid4().hex, seed, large_from)
            for connection, name, seed in zip(connections, ("ana", "bob"), (1, 2), strict=True)
        )
        yield (
            replace(ana, strangers=frozenset(bob.documents)),
            replace(bob, strangers=frozenset(ana.documents)),
        )


def again(memory: Memory, dsn: str, opened: ExitStack, *, rls: bool, pooler: bool = False) -> Memory:
    tenant = memory.whose.tenant.id if rls else None
    connection = opened.enter_context(connect(dsn, pooler=pooler, tenant=tenant))
    return replace(memory, connection=connection)


@pytest.mark.parametrize("rls", [False, True], ids=["conditions alone", "row-level security"])
def test_no_question_finds_what_is_anothers(two: tuple[Memory, Memory], walled: OwnServer, agents_dsn: str, rls: bool):
    with ExitStack() as opened:
        memories = [tuple(again(one, agents_dsn if rls else walled.dsn, opened, rls=rls) for one in two)]
        assert ask_many(memories, CASES) > CASES  # much is allowed: it is not that nothing is found


def test_no_question_does_so_through_a_pooler_that_gives_each_transaction_to_another(
    two: tuple[Memory, Memory], agents_dsn: str, short_folder: Path
):
    with pooling(agents_dsn, short_folder / "b", connections=2) as way, ExitStack() as opened:
        memories = [tuple(again(one, way, opened, rls=True, pooler=True) for one in two) for _ in range(4)]
        assert ask_many(memories, CASES) > CASES
        # Who comes after, over the same connections to the server, is nobody.
        stranger = opened.enter_context(psycopg.connect(way, autocommit=True, prepare_threshold=None))
        for _ in range(20):
            assert stranger.execute("SELECT count(*) FROM nanobot_memory.chunk").fetchone() == (0,)


def test_what_is_sent_through_a_pooler_arrives_with_its_tenant(agents_dsn: str, short_folder: Path, large_from: int):
    names = [uuid.uuid4().hex for _ in range(4)]
    with pooling(agents_dsn, short_folder / "b", connections=2) as way, ExitStack() as opened:

        def one_of(place: int) -> Memory:
            tenant = Tenant.named(names[place]).id
            connection = opened.enter_context(connect(way, pooler=True, tenant=tenant))
            return sent(connection, f"n{place}", names[place], place, large_from)

        with ThreadPoolExecutor(4) as threads:
            memories = list(threads.map(one_of, range(4)))
        for place, memory in enumerate(memories):
            ask(memory, random.Random(place))
