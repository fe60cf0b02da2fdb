"""A name that is not known opens nothing: after a restart, after many other sessions, without a key."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query, Scope

ALPHA = {"agent": "alpha", "user": "ana", "channel": "web", "session": "alpha:1"}
BETA = {"agent": "beta", "user": "bob", "channel": "web", "session": "beta:1"}
WORD = "quillwort"


def config(share: str = "agent") -> MemoryConfig:
    return MemoryConfig.model_validate(
        {
            "core": {"share": share, "message_limit": 20, "tool_limit": 20},
            "plugins": {"storage": {"embedding_provider": "none"}, "consolidation": {"consolidation_schedule": False}},
        }
    )


async def remember(workspace: Path) -> None:
    """Let alpha's user have something remembered, and beta's say something."""
    async with MemoryHost(workspace, config=config()) as memory:
        await memory.message_received(
            session_key="alpha:1", text=f"Remember that the code of the vault is {WORD}.", scope=ALPHA
        )
        await memory.message_received(session_key="beta:1", text="Good morning to you all.", scope=BETA)
        await memory.flush_index()
    assert WORD in "".join(entry.content for entry in EntryRepository(workspace).load().entries.values())


async def shown(memory: MemoryHost, session: str) -> str:
    """Return all that the tools and the prompt of a session show, none of which is told whose it is."""
    tools = {tool.name: tool for tool in memory.tools()}
    hits = (await memory.search(Query(WORD))).hits
    assert hits
    read = [await tools["memory_get"].run({"id": hit.id}, session_key=session) for hit in hits]
    found = await tools["memory_search"].run({"query": "the code of the vault"}, session_key=session)
    known = memory.prompt_entries(memory.base_context(), session_key=session)
    forgotten = await tools["forget"].run({"query": "the code of the vault"}, session_key=session)
    return "\n".join((*read, found, known.text, known.long_term, forgotten))


@pytest.fixture
async def restarted(tmp_path: Path) -> AsyncIterator[MemoryHost]:
    await remember(tmp_path)
    async with MemoryHost(tmp_path, config=config()) as memory:
        yield memory


@pytest.mark.parametrize("session", ["beta:1", "never seen", "", " "])
async def test_another_agents_memory_is_not_seen_after_a_restart(restarted: MemoryHost, session: str):
    assert WORD not in await shown(restarted, session)
    assert len(EntryRepository(restarted.workspace).load().entries) == 1


async def test_it_is_not_seen_after_a_thousand_other_sessions(restarted: MemoryHost):
    await restarted.message_received(session_key="beta:1", text="Hello again.", scope=BETA)
    for number in range(1_001):
        restarted.visible_scope(Scope("gamma", "eve", "web", f"gamma:{number}"))
        restarted._scopes.of(f"gamma:{number}", {"agent": "gamma", "user": "eve"})
    assert WORD not in await shown(restarted, "beta:1")


async def test_the_session_that_said_it_still_sees_it_after_a_restart(restarted: MemoryHost):
    assert (await shown(restarted, "alpha:1")).count(WORD) > 1


@pytest.mark.parametrize("name", ["ana\u00a0", "\u3000ana", "ana ", "\tana", "ana\n", "ana\u2028"])
async def test_names_that_differ_by_white_space_are_two(tmp_path: Path, name: str):
    other = {"user": name, "channel": "web"}
    async with MemoryHost(tmp_path, config=config("user")) as memory:
        text = f"Remember that the code of the vault is {WORD}."
        await memory.message_received(session_key="other", text=text, scope=other)
        await memory.tool("remember").run({"text": f"the vault opens with {WORD}"}, session_key="other")
        await memory.flush_index()
        await memory.message_received(session_key="ana:1", text="Good morning.", scope={"user": "ana"})
        assert WORD not in await shown(memory, "ana:1")
        assert (await shown(memory, "other")).count(WORD) > 1
