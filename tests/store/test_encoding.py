"""The store encodes texts for callers that compare them by meaning."""

import asyncio
import threading

import pytest

from tests.store.conftest import OpenStore


async def test_a_slow_or_failing_model_harms_nobody(open_store: OpenStore, monkeypatch: pytest.MonkeyPatch):
    store = await open_store()
    go_on = threading.Event()

    class Slow:
        def encode(self, texts: list[str]) -> list[list[float]]:
            assert go_on.wait(20)
            raise OSError("the server has gone")

    monkeypatch.setattr(type(store.embedding), "embedder", property(lambda _: Slow()))
    asked = asyncio.create_task(store.encode(["tea"]))
    await asyncio.sleep(0.05)
    assert not asked.done()  # and the loop goes on
    go_on.set()
    assert await asked is None
