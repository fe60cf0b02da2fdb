"""What nanobot's history holds and the memory never saw: kept before it is cut, and nothing twice."""

import json
from collections import Counter
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.testing.scripted_server import Reply, Rule, ToolCall, after_tool


def said_in(workspace: Path) -> Counter[tuple[str, str]]:
    files = (workspace / "memory" / "sessions").glob("*.jsonl")
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return Counter((row["role"], row["text"]) for row in rows)


async def test_a_session_from_before_the_installation_is_kept_when_it_is_compacted(install, plugins, monkeypatch):
    nanobot = install({"nanobot": {"enabled": False}})
    loop = nanobot.loop()
    await loop.process_direct("My boat is called Mistral.")
    await loop.aclose()
    assert said_in(nanobot.workspace) == {}
    configured = nanobot.config_file.read_text(encoding="utf-8")
    nanobot.config_file.write_text(configured.replace('"enabled": false', '"enabled": true'), encoding="utf-8")
    loop = nanobot.loop()
    await loop.process_direct("And my dog is called Rex.")
    await loop.process_direct("/compact")
    await loop.process_direct("/compact")
    await loop.aclose()
    assert said_in(nanobot.workspace) == {
        ("user", "My boat is called Mistral."): 1,
        ("user", "And my dog is called Rex."): 1,
        ("assistant", "Understood."): 2,
    }


@pytest.mark.slow
async def test_nothing_that_was_said_live_is_kept_twice_however_often_it_is_compacted(install, recorder, server):
    recorder(summary="SHORT SUMMARY", keep=1, recall="A recalled fact.")
    nanobot = install(contextWindowTokens=50_000, maxTokens=2_048)
    (nanobot.workspace / "port.txt").write_text("the port is 7071", encoding="utf-8")
    read = ToolCall("read_file", {"path": "port.txt"})
    server.rules = [
        Rule(after_tool, Reply("Done.")),
        Rule(lambda request: "message 3" in request.last_user, Reply("I look.", tools=(read,)), times=1),
    ]
    loop = nanobot.loop()
    for number in range(8):
        await loop.process_direct(f"message {number}: " + "many words " * 400)
    await loop.process_direct("/compact")
    await loop.aclose()
    said = said_in(nanobot.workspace)
    users = [text.split(":")[0] for (role, text), times in said.items() if role == "user" for _ in range(times)]
    assert sorted(users) == [f"message {number}" for number in range(8)]
    assert {text for role, text in said if role == "assistant"} == {"Understood.", "Done."}
