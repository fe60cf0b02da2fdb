"""Searches answer while something is missing, locked, broken or failing: each fault against the real store."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.core.values import Level, Query
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.store.conftest import OpenStore
from tests.support.indexed_workspace import HashEmbedder, Workspace, entry, message

# Seconds that a search may take: the limit of a heavy recall, 0.45 s, five times.
LONGEST = 5 * 0.45
# What row LR-11 asks for.
LEAST = 0.99
ENGLISH = (
    *("walnut", "harbour", "violin", "lantern", "cedar", "compass", "saddle", "orchard", "pepper", "glacier", "teapot"),
    *("anchor", "blanket", "camera", "dragon", "engine", "feather", "garden", "hammer", "island", "jacket", "kettle"),
)
CHINESE = (
    *("核桃", "港口", "提琴", "灯笼", "雪松", "罗盘", "马鞍", "果园", "胡椒", "冰川", "茶壶"),
    *("船锚", "毛毯", "相机", "风筝", "引擎", "羽毛", "花园", "锤子", "岛屿", "夹克", "水壶"),
)


@dataclass(frozen=True, slots=True)
class Fact:
    """What is planted, and the words by which it is asked for."""

    text: str
    asked: str


@dataclass(slots=True)
class Tally:
    """How the searches under a fault went."""

    answered: int = 0
    seconds: list[float] = field(default_factory=list)
    levels: set[Level] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.answered / len(self.seconds)

    def __str__(self) -> str:
        levels = ", ".join(level.name for level in sorted(self.levels))
        slowest = max(self.seconds)
        return f"{self.answered} of {len(self.seconds)} at {levels}, the slowest {slowest:.2f} s; {self.failures}"


def facts() -> list[Fact]:
    english = [
        Fact(f"the {word} is kept on shelf number {number + 10}", f"where is the {word}?")
        for number, word in enumerate(ENGLISH)
    ]
    chinese = [Fact(f"{word}放在第 {number + 40} 号架子上", f"{word}在哪里？") for number, word in enumerate(CHINESE)]
    return [fact for pair in zip(english, chinese, strict=True) for fact in pair]


FACTS = facts()


def plant(workspace: Workspace, planted: Sequence[Fact], *, name: str = "planted") -> None:
    """Keep half of the facts in notes and half in a transcript."""
    half = len(planted) // 2
    for number, fact in enumerate(planted[:half]):
        workspace.append("2026-02-16.md", entry(fact.text, f"{name}{number}"))
    for number, fact in enumerate(planted[half:]):
        workspace.append(f"sessions/{name}.jsonl", message(fact.text, f"{name}-m{number}"))


async def ask(
    store: SqliteStore, asked: Sequence[Fact] = FACTS, *, before: Callable[[int], None] = lambda number: None
) -> Tally:
    """Search for each fact, one after another; ``before`` is called with the number of the search that comes.

    A search has answered when it returned in time and with its fact.
    """
    tally = Tally()
    for number, fact in enumerate(asked):
        before(number)
        begun = time.monotonic()
        try:
            result = await asyncio.wait_for(store.search(Query(fact.asked)), 60)
        except Exception as error:  # counted, whatever it is
            tally.failures.append(f"{fact.asked}: {type(error).__name__}")
        else:
            tally.levels.add(result.level)
            took = time.monotonic() - begun
            if fact.text not in [hit.text for hit in result.hits]:
                tally.failures.append(f"{fact.asked}: not found")
            elif took > LONGEST:
                tally.failures.append(f"{fact.asked}: {took:.2f} s")
            else:
                tally.answered += 1
        tally.seconds.append(time.monotonic() - begun)
        await asyncio.sleep(0.02)
    assert len(tally.seconds) >= 40
    return tally


LOCK = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(20_000)
for statement in sys.argv[2:]:
    connection.execute(statement).fetchall()
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked_by_another_process(database: Path, *statements: str) -> Iterator[None]:
    """Run statements on the database in a process that then keeps its connection."""
    command = [sys.executable, "-c", LOCK, str(database), *statements]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"locked\n"
            yield
        finally:
            process.kill()


@pytest.mark.accept("LR-11")
async def test_searches_answer_while_another_process_writes_for_ever(workspace: Workspace, open_store: OpenStore):
    old, new = FACTS[::2], FACTS[1::2]
    plant(workspace, old, name="old")
    store = await open_store()
    await store.flush()
    with locked_by_another_process(workspace.paths.database, "BEGIN IMMEDIATE"):
        # What comes now cannot be indexed: it is found in the files.
        plant(workspace, new, name="new")
        tally = await ask(store)
        documents = (await store.refreshed_status()).documents
    assert tally.share > LEAST, str(tally)
    assert tally.levels == {Level.FULL_TEXT}
    assert documents == len(old)


class FaultyEmbedder(HashEmbedder):
    """Embeds what is indexed, and fails at every query in another way."""

    def __init__(self) -> None:
        super().__init__()
        self.queries = 0

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        if not isinstance(texts, str):
            return super().encode(texts)
        self.queries += 1
        faults: list[Callable[[], list[list[float]]]] = [
            self._raises,
            self._fails,
            list,
            lambda: [[float("nan")] * self.dimension],
            lambda: [[0.0] * self.dimension],
            lambda: [[1.0] * (self.dimension + 1)],
            lambda: [["no number"]],  # type: ignore[list-item]
        ]
        return faults[self.queries % len(faults)]()

    def _raises(self) -> list[list[float]]:
        raise RuntimeError("out of memory")

    def _fails(self) -> list[list[float]]:
        raise EmbeddingError("The service did not answer.")


@pytest.mark.accept("LR-11")
async def test_searches_answer_with_a_model_that_fails_at_every_query(
    workspace: Workspace, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
):
    faulty = FaultyEmbedder()
    monkeypatch.setattr(EmbeddingService, "embedder", property(lambda access: faulty))
    plant(workspace, FACTS)
    store = await open_store()
    await store.flush()
    end = time.monotonic() + 60
    while (await store.refreshed_status()).vectors < len(FACTS):
        assert time.monotonic() < end
        await asyncio.sleep(0.05)
    before = faulty.queries
    tally = await ask(store)
    assert tally.share > LEAST, str(tally)
    assert faulty.queries - before == len(FACTS)
    assert tally.levels == {Level.FULL_TEXT}
