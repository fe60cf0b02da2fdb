"""What was forgotten on an order is not brought up while nobody can say what it was, and no other session waits."""

import asyncio
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.operations.withheld import WithheldTexts
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.erasure.fingerprints import Fingerprints
from nanobot_memory_plugins.core.erasure.history_filter import HistoryFilter
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.values import Visibility

pytestmark = pytest.mark.leaving

SECRET = "My dentist Zebulon Krieger lives in Marzipan Street"
CONFIG = MemoryConfig.model_validate(
    {"plugins": {"nanobot": {"enabled": False}, "storage": {"embeddingProvider": "none"}}}
)


async def test_while_it_cannot_be_told_what_is_withheld_nothing_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,consolidation")
    repository = EntryRepository(tmp_path)
    async with MemoryHost(tmp_path, config=CONFIG) as host:
        secret = remember(repository, NewEntry(SECRET), who="user").entry.id
        await host.message_received(session_key="cli:a", text=f"{SECRET}.")
        await host.flush_index()
        forget(repository, [secret], who="user")
        search = next(tool for tool in host.tools() if tool.name == "memory_search")

        async def found() -> str:
            return str(await search.run({"query": "where does my dentist live"}, session_key="cli:b"))

        def fail(_self: WithheldTexts, _visible: Visibility) -> None:
            raise MemoryFileError("The file cannot be read.")

        assert "Zebulon" not in await found()
        with monkeypatch.context() as patched:
            patched.setattr(WithheldTexts, "texts", fail)
            assert "Zebulon" not in await found()
        assert "Zebulon" not in await found()


async def test_what_is_said_in_one_session_does_not_wait_for_the_history_of_another(tmp_path: Path):
    filter_ = HistoryFilter(Fingerprints(MemoryPaths.of(tmp_path)), clock=SystemClock(), redact=str)
    with filter_._lock:  # as a thread does that looks through a long history
        done = asyncio.create_task(asyncio.to_thread(lambda: [filter_.hear("b", "user", "hello"), filter_.end("c")]))
        await asyncio.wait_for(done, 30)
    filter_.hear("b", "user", "again")
    assert [one.text for one in filter_._sessions["b"].heard] == ["hello", "again"]
