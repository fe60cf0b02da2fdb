"""The store lends its model: texts as vectors, for whoever compares them by meaning."""

import asyncio
import threading
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.protocols import EncodingStore
from tests.store.conftest import OpenStore


async def test_texts_become_vectors_of_unit_length(open_store: OpenStore, builtin_model: Path):
    store = await open_store(embedding_provider="fastembed")
    await store.vectors_complete(lambda *_: None)
    assert isinstance(store, EncodingStore)
    likes, drinks, port = await store.encode(["The user likes tea", "用户喜欢喝茶", "The port is 5433"]) or []
    assert sum(number * number for number in likes) == pytest.approx(1, abs=1e-3)

    def cosine(one: list[float], other: list[float]) -> float:
        return sum(a * b for a, b in zip(one, other, strict=True))

    assert cosine(likes, drinks) > cosine(likes, port) + 0.2
    assert await store.encode([]) == []


async def test_a_model_that_fails_or_takes_long_harms_nobody(open_store: OpenStore, monkeypatch: pytest.MonkeyPatch):
    store = await open_store()
    go_on = threading.Event()

    class Slow:
        def encode(self, texts: list[str]) -> list[list[float]]:
            assert go_on.wait(20)
            raise OSError("the server has gone")

    monkeypatch.setattr(type(store._index.embedding), "embedder", property(lambda _: Slow()))
    asked = asyncio.create_task(store.encode(["tea"]))
    await asyncio.sleep(0.05)
    assert not asked.done()  # and the loop goes on
    go_on.set()
    assert await asked is None
