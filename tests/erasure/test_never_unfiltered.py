"""What was forgotten on an order is not brought up while nobody can say what it was, and no other session waits."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations import Said, forget, remember
from nanobot_memory_plugins.consolidation.repository import EntryRepository
from nanobot_memory_plugins.consolidation.withheld import WithheldTexts
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.erasure.fingerprints import Fingerprints
from nanobot_memory_plugins.core.erasure.history_filter import HistoryFilter
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.values import Visibility, Whose

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
        secret = remember(repository, Said(SECRET), who="user").entry.id
        await host.message_received(session_key="cli:a", text=f"{SECRET}.")
        await host.flush_index()
        forget(repository, [secret], who="user")
        search = next(tool for tool in host.tools() if tool.name == "memory_search")

        async def found() -> str:
            return str(await search.run({"query": "where does my dentist live"}, session_key="cli:b"))

        def fail(_self: WithheldTexts, _visible: Visibility) -> None:
            raise MemoryFileError("The file cannot be read.")

        with monkeypatch.context() as patched:
            patched.setattr(WithheldTexts, "texts", fail)
            assert "Zebulon" not in await found()
        assert "Zebulon" not in await found()


def test_what_is_withheld_is_known_again_soon_after_a_change_of_many_entries(tmp_path: Path):
    repository = EntryRepository(tmp_path)
    secret = remember(repository, Said(SECRET), who="user").entry
    many = {
        f"{number:08x}": replace(secret, id=f"{number:08x}", content=f"Colleague {number} keeps the amber key {number}")
        for number in range(300)
    }
    EntryRepository(tmp_path, redact=str).update(lambda entries: {**entries, **many}, who="user", why="remember")
    withheld = WithheldTexts(repository)
    forget(repository, [secret.id], who="user")
    visible = Visibility(whose=(Whose(),))
    assert [one.text for one in withheld.texts(visible)] == [SECRET]
    forget(repository, ["00000001"], who="user")
    begun = time.process_time()
    assert SECRET in [one.text for one in withheld.texts(visible)]
    assert time.process_time() - begun < 0.5


async def test_what_is_said_in_one_session_does_not_wait_for_the_history_of_another(tmp_path: Path):
    filter_ = HistoryFilter(Fingerprints(MemoryPaths.of(tmp_path)), clock=SystemClock(), redact=str)
    with filter_._lock:  # as a thread does that looks through a long history
        done = asyncio.create_task(asyncio.to_thread(lambda: [filter_.hear("b", "user", "hello"), filter_.end("c")]))
        await asyncio.wait_for(done, 30)
    filter_.hear("b", "user", "again")
    assert [one.text for one in filter_._sessions["b"].heard] == ["hello", "again"]
