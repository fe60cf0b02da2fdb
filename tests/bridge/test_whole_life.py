"""The whole life of what a user says, on a real nanobot: written, in the next prompt, faded, archived, gone."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.bridge.demo.evidence import recalled_blocks
from nanobot_memory_plugins.consolidation.model.entry import Section
from nanobot_memory_plugins.consolidation.operations.undo import restore
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host import memory_host
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request

BEGIN = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
EXTRACTED = "The user's daughter is named Ida"
LEARNT = [{"content": EXTRACTED, "category": "fact", "importance": "medium"}]
SHARED = {
    "storage": {"embeddingProvider": "none"},
    "consolidation": {"consolidationDelay": 0},
    "core": {"messageLimit": 20, "idleSeconds": 0.3},
}


class Life:
    """One user's nanobot, through the years."""

    def __init__(self, nanobot, server, clock: ManualClock) -> None:
        self.nanobot, self.server, self.clock = nanobot, server, clock

    def entries(self):
        return EntryRepository(self.nanobot.workspace, clock=self.clock).load().entries

    def texts(self) -> set[str]:
        return {entry.content for entry in self.entries().values()}

    async def session(self, *texts: str, until=lambda: True, name: str = "cli:direct") -> list[Request]:
        """Talk in a process of its own, wait for what happens in the background, and return the turns' requests."""
        first = len(self.server.requests)
        loop = self.nanobot.loop()
        for text in texts:
            await loop.process_direct(text, session_key=name)
        for _ in range(600):
            if await asyncio.to_thread(until):
                break
            await asyncio.sleep(0.05)
        else:
            pytest.fail("what was waited for did not happen")
        await loop.aclose()
        return [request for request in self.server.requests[first:] if request.tool_names]

    async def after(self, days: float, name: str, *, until) -> Request:
        """Let time pass until ``days`` after the beginning, start twice, and return the last turn's request."""
        self.clock.set(BEGIN + timedelta(days=days))
        await self.session("Hello there, my friend", until=until, name=f"{name}-1")
        return (await self.session("How are you today?", name=f"{name}-2"))[-1]


@pytest.fixture
def life(install, server, monkeypatch) -> Life:
    clock = ManualClock(BEGIN)
    monkeypatch.setattr(memory_host, "SystemClock", lambda: clock)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,bootstrap,storage,recall,consolidation")
    server.rules += [
        # What the plugins ask offers no tools; only the session about Ida has anything to learn from.
        ReplyRule(lambda r: not r.tool_names and "daughter" in r.text, Reply(json.dumps(LEARNT)), times=1),
        ReplyRule(lambda r: not r.tool_names, Reply("[]")),
    ]
    return Life(install(SHARED), server, clock)


@pytest.mark.slow
@pytest.mark.accept("EB-23", "EB-16")
async def test_said_remembered_in_the_next_prompt_faded_archived_gone(life: Life, tmp_path: Path):
    # Said: one thing is asked for, another is only mentioned, and learnt when the session is quiet.
    asked, mentioned = await life.session(
        "Please remember that I'm allergic to peanuts.",
        "My daughter is named Ida, and she starts school in autumn.",
        until=lambda: EXTRACTED in life.texts(),
    )
    (block,) = recalled_blocks(asked)
    (peanuts,) = [one for one in life.entries().values() if one.content == "I'm allergic to peanuts"]
    assert f"was written to memory/ENTRIES.md (id {peanuts.id})" in block
    assert "\n- I'm allergic to peanuts" in asked.system  # it is written before the prompt is built
    assert "Ida" not in mentioned.system
    ids = {one.content: one.id for one in life.entries().values()}
    assert set(ids) == {"I'm allergic to peanuts", EXTRACTED}

    # In the next session's system prompt, the same in every turn.
    requests = await life.session("Hello my friend", "How are you today?", name="cli:next")
    for text in ids:
        assert all(f"\n- {text}" in request.system for request in requests)
    assert len({request.system for request in requests}) == 1
    assert "Key facts about the user:" in requests[0].system

    # After two months what was mentioned has faded below what the prompt takes; what was asked for has not.
    ida = ids[EXTRACTED]
    request = await life.after(60, "cli:spring", until=lambda: 0.2 < life.entries()[ida].score < 0.5)
    assert "peanuts" in request.system
    assert "Ida" not in request.system
    assert life.entries()[ida].section is Section.ACTIVE

    # After five months it is archived.
    archived = lambda: life.entries()[ida].section is Section.ARCHIVED  # noqa: E731
    request = await life.after(155, "cli:summer", until=archived)
    assert "peanuts" in request.system

    # After ten months it is gone from the file; the journal brings it back for whoever asks.
    request = await life.after(300, "cli:winter", until=lambda: ida not in life.entries())
    assert "peanuts" in request.system
    file = life.nanobot.workspace / "memory" / "ENTRIES.md"
    assert "Ida" not in file.read_text(encoding="utf-8")
    restore(EntryRepository(life.nanobot.workspace, clock=life.clock), ida, now=life.clock.now(), who="user")
    assert life.texts() == {"I'm allergic to peanuts", EXTRACTED}
