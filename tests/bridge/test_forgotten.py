"""nanobot keeps its own sessions: what was purged here does not come back by way of them."""

import asyncio
from pathlib import Path

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule
from tests.support.files_of import holders_of

SAID = "my therapist is Doctor Zebulon Krieger in Marzipan Alley"
MEMORY = {"core": {"messageLimit": 60}, "storage": {"embeddingProvider": "none"}}


def holders(workspace: Path, needle: bytes) -> list[str]:
    return holders_of(workspace, needle)


async def test_after_a_compaction_and_a_restart_nothing_of_it_is_in_the_workspace(install, server, monkeypatch, capsys):
    monkeypatch.delenv("NANOBOT_MEMORY_PLUGINS", raising=False)
    repeats = Reply(f"You told me that {SAID}.")
    server.rules = [ReplyRule(lambda request: "Where do I go" in request.last_user, repeats)]
    nanobot = install(MEMORY)
    loop = nanobot.loop()
    await loop.process_direct(f"Remember that {SAID}.")
    await loop.process_direct("Remember that my dentist is Doctor Zelda Krueger.")
    entries = EntryRepository(nanobot.workspace).load().entries
    (id_,) = [id_ for id_, one in entries.items() if "Zebulon" in one.content]
    command = ["purge", id_, "--yes", "--workspace", str(nanobot.workspace), "--config", str(nanobot.config_file)]
    assert await asyncio.to_thread(run_command_line, command) == 0
    assert holders(nanobot.workspace, b"Zebulon") == []
    kept = [
        path for path in (nanobot.home / ".nanobot" / "sessions").rglob("*.jsonl") if b"Zebulon" in path.read_bytes()
    ]
    assert kept
    told = capsys.readouterr().out
    for path in kept:
        assert f"left in {path}" in told.replace("\n", "")

    await loop.process_direct("Where do I go on Monday?")
    await loop.process_direct("/compact")
    await loop.process_direct("Thank you.")
    await loop.aclose()
    assert holders(nanobot.workspace, b"Zebulon") == []
    # nanobot's own session still has it: that is not ours.
    assert holders(nanobot.home, b"Zebulon") != []

    again = nanobot.loop()
    await again.process_direct("Where do I go on Tuesday?")
    await again.process_direct("/new")
    await again.process_direct("Who is my therapist?")
    await again.aclose()
    assert holders(nanobot.workspace, b"Zebulon") == []
    assert "Zebulon" not in server.requests[-1].text
    assert "Zelda" in (nanobot.workspace / "memory" / "ENTRIES.md").read_text()
