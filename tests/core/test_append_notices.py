"""The index hears of a message once it is answered: two runs of the same life recall the same."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30},
        "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recallTimeout": 20}},
    }
)


async def test_the_index_hears_of_a_message_after_the_search_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    happened: list[str] = []
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        store = memory.store
        notify, search = store.notify, store.search

        def hear(path: Path) -> None:
            if path.suffix == ".jsonl":
                happened.append("heard")
            notify(path)

        async def look(query: Any) -> Any:
            await asyncio.sleep(0.05)  # the message is in its file by now
            found = await search(query)
            happened.append("searched")
            return found

        monkeypatch.setattr(store, "notify", hear)
        monkeypatch.setattr(store, "search", look)
        await memory.message_received(session_key="cli:a", text="Where did I put the blue bicycle pump?")
        await memory.flush_index()
        assert happened.count("heard") == 1
        assert "searched" in happened
        assert happened[-1] == "heard"
        assert (await memory.message_sent(session_key="cli:a", text="In the cellar.")).stored
        assert happened[-1] == "heard"
