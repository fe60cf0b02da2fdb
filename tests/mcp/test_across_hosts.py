"""One memory in nanobot and in MCP clients: what one is told the other knows."""

import asyncio
import sys

import pytest

from nanobot_memory_plugins.core.testing.scripted_server import ScriptedServer
from tests.support.mcp_clients import ServedWorkspace
from tests.support.nanobot import OFFLINE, Installation

PORT = "our staging database listens on port 5433"
SHARED = {"storage": {"embeddingProvider": "none"}, "core": {"messageLimit": 20}}


@pytest.fixture
def nanobot(tmp_path, monkeypatch):
    with ScriptedServer() as server:
        made = Installation(tmp_path / "nanobot", server, SHARED)
        for name, value in {**OFFLINE, "HOME": str(made.home)}.items():
            monkeypatch.setenv(name, value)
        made.server = server
        yield made


@pytest.fixture
def served_for_nanobot(tmp_path, nanobot) -> ServedWorkspace:
    served = ServedWorkspace(tmp_path)
    served.workspace, served.config, served.home = nanobot.workspace, nanobot.config_file, nanobot.home
    served.environment["HOME"] = str(nanobot.home)
    return served


@pytest.mark.host
@pytest.mark.slow
async def test_what_nanobot_is_told_an_mcp_client_finds_and_back(nanobot, served_for_nanobot):
    loop = nanobot.loop()
    await loop.process_direct(f"Remember that {PORT}.", session_key="cli:direct")
    async with served_for_nanobot.client() as client:  # another process, while nanobot runs
        for _ in range(100):
            if "5433" in (found := await client.text("memory_search", query="port of the staging database")):
                break
            await asyncio.sleep(0.1)
        assert "5433" in found
        assert "5433" in await client.text("memory_search")
        await client.text("remember", text="The review of the quarter takes place in Lisbon", kind="decision")
    await loop.process_direct("Where does the review of the quarter take place?", session_key="cli:another")
    await loop.aclose()
    asked = next(one for one in reversed(nanobot.server.requests) if one.tool_names)
    assert "Lisbon" in asked.text
    assert "Lisbon" not in asked.system  # a model's note is recalled in its fence, and is nobody's word yet


@pytest.mark.host
async def test_nanobots_own_client_lists_and_calls_the_tools(nanobot, served_for_nanobot):
    from nanobot.agent.tools.mcp import connect_mcp_servers
    from nanobot.agent.tools.registry import ToolRegistry
    from nanobot.config.schema import MCPServerConfig

    registry = ToolRegistry()
    server = MCPServerConfig(
        command=sys.executable, args=served_for_nanobot.arguments(), env=served_for_nanobot.environment
    )
    connections = await connect_mcp_servers({"memory": server}, registry)
    try:
        assert {"mcp_memory_memory_search", "mcp_memory_remember"} <= set(registry.tool_names)
        kept = await registry.get("mcp_memory_remember").execute(text="The user's boat is called Wanda")
        found = await registry.get("mcp_memory_memory_search").execute(query="what is the boat called?")
    finally:
        for connection in connections.values():
            await connection.aclose()
    assert "Written to" in str(kept)
    assert "Wanda" in str(found)
