"""A reranker reads the best passages once more, in the time that it has, and changes nothing where there is none."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from nanobot_memory_plugins.storage.embedding.reranker import Reranker

from nanobot_memory_plugins.core import Query
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.embedding.conftest import TinyModel

# Log-odds of a text: padding, [CLS], unknown, red, green, blue.
ODDS = [[0.0], [0.0], [0.0], [3.0], [-1.0], [9.0]]
SAID = "### 2026-02-16 10:00\ntype: fact\n\nThe boat is {}.\n"


@pytest.fixture
def cross_encoder(tmp_path: Path, tiny_model: TinyModel) -> Path:
    return tiny_model(tmp_path / "cross", ODDS, tokens=False)


def opened(name: str, seconds: float = 60.0) -> Reranker:
    reranker = Reranker(name, seconds=seconds)
    reranker.start()
    reranker.wait(60)
    return reranker


def test_it_says_how_well_each_passage_answers(cross_encoder: Path):
    reranker = opened(str(cross_encoder))
    assert reranker.read("which boat", ["green boat", "a blue one", "nothing", "red", "red blue"]) == [-1, 9, 0, 3, 12]
    reranker.close()
    assert reranker.read("which boat", ["red"]) == []


def test_it_reads_no_longer_than_it_may(cross_encoder: Path):
    reranker = opened(str(cross_encoder), seconds=0.0)
    passages = ["red"] * 20
    assert 0 < len(reranker.read("which boat", passages)) < len(passages)
    reranker.close()


@pytest.mark.parametrize(
    ("name", "why"),
    [("nowhere/such-a-model", "There is no cross-encoder 'nowhere/such-a-model'."), ("", "holds no cross-encoder")],
)
def test_what_cannot_be_loaded_says_why_and_reads_nothing(tmp_path: Path, name: str, why: str):
    reranker = opened(name or str(tmp_path))
    assert why in reranker.reason
    assert reranker.read("which boat", ["red"]) == []


async def ranked(folder: Path, options: StorageOptions) -> Sequence[str]:
    memory = folder / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    for day, colour in enumerate(("green", "red", "blue"), start=1):
        (memory / f"2026-02-1{day}.md").write_text(SAID.format(colour), encoding="utf-8")
    store = await SqliteStore.open(folder, options, SystemClock())
    try:
        await store.flush()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            result = await store.search(Query(text="which boat", explain=True))
            assert result.explanation is not None
            names = {part.name for one in result.explanation.candidates for part in one.parts}
            if ("reranker" in names) is bool(options.reranker):
                return [hit.text.split()[-1] for hit in result.hits]
        raise AssertionError("the reranker was not heard")
    finally:
        await store.close()


async def test_the_order_of_a_search_hears_it(tmp_path: Path, cross_encoder: Path):
    options = StorageOptions.model_validate(
        {"embeddingProvider": "none", "reranker": str(cross_encoder), "rerankerMs": 60_000}
    )
    assert await ranked(tmp_path / "w", options) == ["blue.", "red.", "green."]


async def test_without_one_the_order_is_that_of_the_search(tmp_path: Path):
    options = StorageOptions.model_validate({"embeddingProvider": "none"})
    assert set(await ranked(tmp_path / "w", options)) == {"blue.", "red.", "green."}
