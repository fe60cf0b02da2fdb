"""The scored entries in the system prompt of a real nanobot, as the model gets it over HTTP."""

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.values.entries import Entry

MEMORY_HEADING = "# Memory\n\n## Long-term Memory\n"


@pytest.fixture
def nanobot(install, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,bootstrap,consolidation")
    return install()


async def turns(nanobot, *texts: str, session: str = "cli:direct") -> None:
    loop = nanobot.loop()
    for text in texts:
        await loop.process_direct(text, session_key=session)
    await loop.aclose()


def keep(nanobot, *texts: str) -> list[Entry]:
    repository = EntryRepository(nanobot.workspace)
    return [remember(repository, NewEntry(text), who="test").entry for text in texts]


def memory_part(system: str) -> str:
    begin = system.index(MEMORY_HEADING) + len(MEMORY_HEADING)
    return system[begin:].partition("\n\n---\n\n")[0]


async def test_the_block_speaks_the_language_of_the_entries_whatever_a_turn_is_in(nanobot, server):
    keep(nanobot, "用户喜欢乌龙茶")
    await turns(nanobot, "你好，今天过得怎么样？", "please answer in English this time")
    await turns(nanobot, "thanks", session="cli:other")  # another process of the same user
    assert {memory_part(request.system) for request in server.requests} == {
        "# 历史记忆\n\n关于用户的关键信息：\n- 用户喜欢乌龙茶"
    }
