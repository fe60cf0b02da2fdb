"""With every installed plugin at once, the system prompt of a real nanobot stays the same to the byte."""

import os

import pytest
from platformdirs import user_cache_dir

from nanobot_memory_plugins.bridge.attach import bridge_of
from nanobot_memory_plugins.bridge.demo.evidence import recalled_blocks
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, ToolCall, after_tool

TURNS = 20
SAID = (
    "The staging database runs on host Brunhilde, port {number}.",
    "On which host does the staging database run?",
    "我喜欢喝乌龙茶，第 {number} 泡最好。",
    "我上次说喜欢喝什么茶？",
    "Write a poem about rain, number {number}.",
)


@pytest.fixture
def whole_set(monkeypatch):
    """Load every installed plugin, as a user's process does."""
    monkeypatch.delenv("NANOBOT_MEMORY_PLUGINS", raising=False)
    monkeypatch.setenv("NANOBOT_MEMORY_CACHE", os.environ.get("NANOBOT_MEMORY_CACHE", user_cache_dir("nanobot-memory")))


def user_said(part: str):
    return lambda request: part in request.last_user and not after_tool(request)


@pytest.mark.slow
@pytest.mark.accept("V3-14")
async def test_twenty_turns_with_everything_installed_have_one_system_prompt(install, server, whole_set):
    server.rules += [
        ReplyRule(
            user_said("The staging database"),
            Reply(tools=(ToolCall("remember", {"text": "Staging runs on Brunhilde.", "kind": "note"}),)),
        ),
        ReplyRule(user_said("poem"), Reply(tools=(ToolCall("read_file", {"path": "port.txt"}),))),
    ]
    nanobot = install({"storage": {"embeddingProvider": "none"}, "core": {"messageLimit": 30, "idleSeconds": 0.2}})
    (nanobot.workspace / "port.txt").write_text("port: 7071", encoding="utf-8")
    (nanobot.workspace / "AGENTS.md").write_text("- Answer briefly.\n" * 2_000, encoding="utf-8")
    (nanobot.workspace / "USER.md").write_text("用户喜欢简短的回答。\n", encoding="utf-8")
    (nanobot.workspace / "memory").mkdir()
    (nanobot.workspace / "memory" / "MEMORY.md").write_text("- 用户住在苏州。\n" * 2_000, encoding="utf-8")
    loop = nanobot.loop()
    for number in range(TURNS):
        session = "cli:one" if number % 4 else "cli:two"
        await loop.process_direct(SAID[number % len(SAID)].format(number=number), session_key=session)
    states = {report.name: report.state for report in bridge_of(loop).thread.started.plugins.reports()}
    await loop.aclose()
    turns = [request for request in server.requests if request.tool_names]  # the others are the plugins' own
    prompts = {request.system for request in turns}
    assert len(turns) > TURNS  # tools were called and their results sent
    assert any(recalled_blocks(request) for request in turns)
    assert {"bootstrap", "recall", "storage", "observation"} <= {
        name for name, state in states.items() if state == "active"
    }
    assert len(prompts) == 1
    (prompt,) = prompts
    assert "read AGENTS.md for full content" in prompt
    assert "完整内容见 memory/MEMORY.md" in prompt
