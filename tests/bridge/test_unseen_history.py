"""Messages from before the memory was installed are stored once: at the session's first turn or before they are cut."""

import json
from collections import Counter
from pathlib import Path

from nanobot_memory_plugins.tools.demo.scenario import recalled_blocks
from tests.behaviour.kit.waiting import until
from tests.support.nanobot import Installation

WORDS = {"storage": {"embeddingProvider": "none"}, "core": {"messageLimit": 20}}
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"


def rows_in(workspace: Path) -> list[dict[str, str]]:
    """Return the rows of all transcripts, without an incomplete last line."""
    files = (workspace / "memory" / "sessions").glob("*.jsonl")
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines(keepends=True))
    return [json.loads(line) for line in lines if line.endswith("\n")]


def message_counts(workspace: Path) -> Counter[tuple[str, str]]:
    return Counter((row["role"], row["text"]) for row in rows_in(workspace))


def record(nanobot: Installation, messages: list[dict[str, object]], *, session: str = "cli:direct") -> None:
    """Have nanobot save a session as if it were from before the memory was installed."""
    loop = nanobot.loop()
    kept = loop.sessions.get_or_create(session)
    kept.messages.extend({"timestamp": "2026-03-01T10:00:00", **message} for message in messages)
    loop.sessions.save(kept)


async def test_a_fact_of_a_session_from_before_is_found_after_its_first_turn(install, plugins, monkeypatch, server):
    nanobot = install(WORDS)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
    record(
        nanobot,
        [
            {"role": "user", "content": "My boat is called Mistral.", "timestamp": "2026-02-03T09:30:00"},
            {"role": "assistant", "content": "A fine name.", "timestamp": "2026-02-03T09:30:05"},
            {"role": "user", "content": f"Its key is {KEY}."},
            {"role": "assistant", "content": "[Assistant reply unavailable due to model error.]"},
            {"role": "user", "content": "Scheduled cron job triggered: water", "_cron_turn": True},
            {"role": "assistant", "content": "I have watered the plants."},
            {"role": "user", "content": "/status", "_command": True},
            {"role": "assistant", "content": "All is well.", "_command": True},
        ],
    )
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,storage,recall")
    loop = nanobot.loop()
    await loop.process_direct("Good evening to you.")
    await until(lambda: any("Its key" in text for _, text in message_counts(nanobot.workspace)))
    await loop.aclose()
    said = {
        ("user", "My boat is called Mistral."): 1,
        ("assistant", "A fine name."): 1,
        ("user", "Its key is [API_KEY]."): 1,
        ("user", "Good evening to you."): 1,
        ("assistant", "Understood."): 1,
    }
    assert message_counts(nanobot.workspace) == said
    (boat,) = (row for row in rows_in(nanobot.workspace) if "Mistral" in row["text"])
    assert boat["time"].startswith("2026-02-03")
    loop = nanobot.loop()
    await loop.process_direct("And a good night.")
    await loop.process_direct("What is my boat called?", session_key="cli:another")
    await loop.aclose()
    assert "Mistral" in "".join(recalled_blocks(server.requests[-1]))
    said |= {("user", "And a good night."): 1, ("user", "What is my boat called?"): 1, ("assistant", "Understood."): 3}
    assert message_counts(nanobot.workspace) == said
