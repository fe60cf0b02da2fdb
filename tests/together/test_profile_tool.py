"""memory_search without words returns everything that is known, by kind; with only a name, what is known about them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.text.fence import is_fenced

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
PLUGINS = {"storage": {"embedding_provider": "none"}}
PATIENT = {"message_limit": 30, "start_limit": 30}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,consolidation")


def host(workspace: Path, **core: object) -> MemoryHost:
    config = MemoryConfig.model_validate({"core": {**PATIENT, **core}, "plugins": PLUGINS})
    return MemoryHost(workspace, config=config, clock=ManualClock(NOW))


async def said(memory: MemoryHost, text: str, session: str = "cli:old", **more: object) -> None:
    await memory.message_received(session_key=session, text=text, **more)
    await memory.message_sent(session_key=session, text="Noted.", **more)


async def keep(memory: MemoryHost, text: str, session: str = "cli:old", **more: object) -> None:
    assert "memory/ENTRIES.md" in await memory.tool("remember").run({"text": text, **more}, session_key=session)


async def search(memory: MemoryHost, session: str = "cli:new", **arguments: object) -> str:
    await memory.flush_index()
    return await memory.tool("memory_search").run(arguments, session_key=session)


async def test_without_words_all_is_told_by_kind_with_when_and_from_which_words(tmp_path: Path):
    async with host(tmp_path) as memory:
        assert "Nothing is remembered of the user for long." in await search(memory)
        await said(memory, "I moved to Leipzig in spring, and I like oolong tea.")
        await keep(memory, "The user lives in Leipzig", importance="high")
        await keep(memory, "The user likes oolong tea", kind="preference", said="I like oolong tea")
        await keep(memory, "Pay the rent", kind="todo", valid_until=f"{NOW - timedelta(days=1):%Y-%m-%d}")
        await keep(memory, "The user may like chess")
        told = await search(memory)
        days = await search(memory, since="2026-03-01")
    assert is_fenced(told)
    assert (
        'The user likes oolong tea (since 2026-03-10; said: "I moved to Leipzig in spring, and I like oolong tea.")'
        in told
    )
    assert "The user may like chess (since 2026-03-10; not said by the user, but from: summary)" in told
    # What matters most says which kind comes first.
    assert told.index("fact:") < told.index("lives in Leipzig") < told.index("preference:")
    assert told.index("over, replaced or faded:") < told.index("Pay the rent")
    # With days and no words it is a timeline: what was said, and no entry.
    assert "I moved to Leipzig in spring" in days
    assert "The user may like chess" not in days


async def test_what_is_forgotten_or_of_somebody_else_is_not_told(tmp_path: Path):
    ana, bob = {"user": "ana"}, {"user": "bob"}
    async with host(tmp_path) as memory:
        await said(memory, "My cat is called Momo in Lund where I live.", "tg:ana", scope=ana)
        await said(memory, "My dog is called Rex.", "tg:bob", scope=bob)
        await keep(memory, "The user's cat is called Momo", "tg:ana", said="My cat is called Momo")
        await keep(memory, "The user lives in Lund", "tg:ana", said="Lund where I live")
        assert 'The user lives in Lund (since 2026-03-10; said: "My cat is called Momo' in await search(
            memory, "tg:ana"
        )
        await keep(memory, "The user's dog is called Rex", "tg:bob")
        assert "Momo" in await search(memory, "tg:ana")
        assert "Rex" not in await search(memory, "tg:ana") + await search(memory, "tg:ana", query="Rex")
        assert "Removed" in await memory.tool("forget").run({"query": "the user's cat Momo"}, session_key="tg:ana")
        assert "Momo" not in await search(memory, "tg:ana") + await search(memory, "tg:ana", query="the animal")
        assert "The user lives in Lund (since 2026-03-10)\n" in await search(memory, "tg:ana")
        assert "Rex" in await search(memory, "tg:bob")
