"""A German order on a real nanobot: kept, and found the next day by a German question."""

from datetime import UTC, datetime, timedelta

from nanobot_memory_plugins.bridge.demo.evidence import recalled_blocks
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host import memory_host

BEGIN = datetime(2026, 12, 31, 12, 0, tzinfo=UTC)
KEPT = "mein Fahrrad im Keller der Lindenstraße 12 steht"


async def said(nanobot, text: str, session: str) -> None:
    loop = nanobot.loop()
    await loop.process_direct(text, session_key=session)
    await loop.aclose()


async def test_a_german_order_is_kept_and_found_the_next_day(install, server, monkeypatch):
    clock = ManualClock(BEGIN)
    monkeypatch.setattr(memory_host, "SystemClock", lambda: clock)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,storage,recall,consolidation")
    # No entry stands in the prompt: what comes back is what recall has found.
    memory = {
        "core": {"messageLimit": 20, "tools": "off"},
        "consolidation": {"promptEntries": 0, "extract": False},
        "recall": {"recallTimeout": 20},
        "storage": {"embeddingProvider": "none"},
    }
    nanobot = install(memory)
    await said(nanobot, f"Merk dir bitte, dass {KEPT}.", "cli:old")
    (entry,) = EntryRepository(nanobot.workspace, clock=clock).load().entries.values()
    assert entry.content == KEPT
    (block,) = recalled_blocks(server.requests[-1])
    assert f"was written to memory/ENTRIES.md (id {entry.id})" in block

    clock.set(BEGIN + timedelta(days=1))
    await said(nanobot, "Weißt du noch, wo mein Fahrrad steht?", "cli:new")
    (block,) = recalled_blocks(server.requests[-1])
    assert KEPT in block

    await said(nanobot, "Guten Morgen, danke dir!", "cli:small-talk")
    assert recalled_blocks(server.requests[-1]) == []
