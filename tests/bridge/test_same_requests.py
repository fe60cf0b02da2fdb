"""nanobot sends the same requests with the memory as without, except for our block and our tools."""

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.tools.scripted_model import (
    Reply,
    ReplyRule,
    Request,
    ScriptedServer,
    ToolCall,
    after_tool,
)
from tests.behaviour.kit.nanobot import be_user_of
from tests.support.nanobot import Installation

FACT = "The staging database runs on host Brunhilde, port 6543."
QUESTION = "On which host does the staging database run?"
# Without the plugins that send requests of their own or replace nanobot's summary.
WITH_MEMORY = {
    # A busy machine gets its time.
    "core": {
        "messageLimit": 20,
        "share": "agent",
    },  # the flows write under several names, of which each would have a memory of their own
    "recall": {"recallTimeout": 10},
    "storage": {"embeddingProvider": "none"},
    **{name: {"enabled": False} for name in ("compaction", "flush", "summary", "consolidation")},
}
WITHOUT_MEMORY = {"nanobot": {"enabled": False}}
OUR_TOOLS = {"memory_search", "memory_get", "remember", "forget", "off_record", "recall_memory"}
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: \(\w+\))?")

Flow = Callable[[Installation, ScriptedServer], Awaitable[None]]


async def a_tool_call(nanobot: Installation, server: ScriptedServer) -> None:
    (nanobot.workspace / "plan.md").write_text("Ship on Friday.", encoding="utf-8")
    server.rules = [
        ReplyRule(after_tool, Reply("It says Friday.")),
        ReplyRule(lambda one: "plan" in one.last_user, Reply(tools=(ToolCall("read_file", {"path": "plan.md"}),))),
    ]
    loop = nanobot.loop()
    await loop.process_direct("read the plan", session_key="cli:other")
    await loop.aclose()


async def a_compaction(nanobot: Installation, server: ScriptedServer) -> None:
    loop = nanobot.loop()
    for text in (QUESTION, "/compact", "what now?"):
        await loop.process_direct(text, session_key="cli:other")
    await loop.aclose()


FLOWS: dict[str, Flow] = {"tool call": a_tool_call, "/compact": a_compaction}


def original_request(request: Request, folder: Path) -> str:
    """Return a request without our block and tools, and with placeholders for times and the installation's folder."""
    body = json.loads(json.dumps(dict(request.body)).replace(str(folder), "FOLDER"))
    body["tools"] = [one for one in body.get("tools") or () if one["function"]["name"] not in OUR_TOOLS]
    for message in body["messages"]:
        content = message.get("content")
        if isinstance(content, list):
            parts = [{**part, "text": normalised_text(part["text"])} if "text" in part else part for part in content]
            message["content"] = [part for part in parts if part.get("text") != ""]
        elif isinstance(content, str):
            message["content"] = normalised_text(content)
    return json.dumps(body, ensure_ascii=False, sort_keys=True)


def normalised_text(text: str) -> str:
    return _CLOCK.sub("TIME", remove_fenced(text)).strip()


async def requests_of(folder: Path, memory: dict[str, Any], flow: Flow, monkeypatch) -> tuple[list[Request], Path]:
    """Run a flow in an installation that has a memory, and return the requests to the model."""
    with ScriptedServer() as server:
        nanobot = Installation(folder, server, memory)
        be_user_of(nanobot.home, monkeypatch)
        loop = nanobot.loop()
        await loop.process_direct(FACT, session_key="cli:before")
        await loop.aclose()
        await flow(nanobot, server)
        return list(server.requests), folder


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOWS)
async def test_the_model_is_asked_what_it_is_asked_without_the_set(tmp_path, monkeypatch, name):
    monkeypatch.delenv("NANOBOT_MEMORY_PLUGINS", raising=False)
    with_memory = await requests_of(tmp_path / "with_memory", WITH_MEMORY, FLOWS[name], monkeypatch)
    without_memory = await requests_of(tmp_path / "without", WITHOUT_MEMORY, FLOWS[name], monkeypatch)
    # Sorted, since nanobot summarises in the background after /new, before the next request or after it.
    assert sorted(original_request(one, with_memory[1]) for one in with_memory[0]) == sorted(
        original_request(one, without_memory[1]) for one in without_memory[0]
    )
    # Make sure that the memory was active in one run only.
    assert any(OUR_TOOLS & set(one.tool_names) for one in with_memory[0])
    assert not any(OUR_TOOLS & set(one.tool_names) for one in without_memory[0])
    if name != "tool call":
        assert any(FACT in one.text for one in with_memory[0][1:])
        assert not any(FACT in one.text for one in without_memory[0][1:])
