"""Hosts of other kinds: without an event loop, with several, and clients of MCP."""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, MemoryService, load_config
from tests.behaviour.kit.life import Life
from tests.behaviour.kit.waiting import until_now

FACT = "The harbour is called Port Brunhilde."


@pytest.fixture
def service(life: Life) -> Callable[[], MemoryService]:
    config = config_of(life)
    return lambda: MemoryService(life.workspace, config=config)


def config_of(life: Life) -> MemoryConfig:
    life.workspace.mkdir()
    file = life.folder / "options.json"
    file.write_text(json.dumps({"memoryPlugins": life.configuration()}), encoding="utf-8")
    return load_config(file)


def tell(text: str, session: str = "s") -> Callable[[MemoryHost], Any]:
    return lambda memory: memory.message_received(session_key=session, text=text)


def test_a_host_without_an_event_loop_remembers_and_is_told(service: Callable[[], MemoryService], life: Life):
    with service() as memory:
        assert memory.call(tell(FACT)).now().receipt.stored
        memory.call(lambda host: host.message_sent(session_key="s", text="Noted.")).now()
    with service() as memory:
        memory.call(lambda host: host.flush_index()).now()
        context = memory.call(tell("Do you remember how the harbour is called?", "other")).now()
        assert "Port Brunhilde" in (context.block or "")
    assert [record["text"] for record in life.transcript("s")] == [FACT, "Noted."]


def in_loop(answer: Awaitable[Any]) -> Any:
    """Wait for an answer in an event loop of its own."""
    return asyncio.run(asyncio.wait_for(answer, 60))


def test_several_event_loops_and_threads_share_one_memory_and_lose_nothing(
    service: Callable[[], MemoryService], life: Life
):
    memory = service()
    for number in range(3):
        assert in_loop(memory.call(tell(f"Loop {number} says so."), limit=60)).receipt.stored
    stored: list[bool] = []

    def in_thread(number: int) -> None:
        use = tell(f"Thread {number} says so.")
        answer = in_loop(memory.call(use, limit=60)) if number % 2 else memory.call(use, limit=60).now()
        stored.append(answer.receipt.stored)

    threads = [threading.Thread(target=in_thread, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asyncio.run(memory.aclose())
    assert stored == [True] * 4
    texts = {record["text"] for record in life.transcript("s")}
    assert texts == {f"{what} {n} says so." for what, most in (("Loop", 3), ("Thread", 4)) for n in range(most)}
    # The thread says that it has ended, and then ends.
    until_now(lambda: "nanobot-memory" not in {thread.name for thread in threading.enumerate()}, "its end")


def test_one_host_may_be_used_from_one_event_loop_after_another(life: Life):
    memory = MemoryHost(life.workspace, config=config_of(life))
    for number in range(3):
        asyncio.run(memory.message_received(session_key="s", text=f"Loop {number} is over."))
    asyncio.run(asyncio.wait_for(memory.close(), 60))
    assert [record["text"] for record in life.transcript("s")] == [f"Loop {number} is over." for number in range(3)]


async def test_a_client_of_mcp_remembers_searches_and_forgets_over_standard_input(life: Life, tmp_path: Path):
    import mcp
    from mcp.client.stdio import stdio_client

    life.workspace.mkdir()
    file = tmp_path / "options.json"
    file.write_text(json.dumps({"memoryPlugins": life.configuration()}), encoding="utf-8")
    words = ["-m", "nanobot_memory_plugins.core.cli", "mcp", "--workspace", str(life.workspace), "--config", str(file)]
    server = mcp.StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))

    async with stdio_client(server) as streams, mcp.ClientSession(*streams) as client:

        async def call(name: str, **arguments: Any) -> str:
            answer = await client.call_tool(name, arguments)
            assert not answer.isError, answer
            return str(answer.content[0].text)

        hello = await client.initialize()
        assert "remember" in (hello.instructions or "")
        assert {"remember", "forget", "memory_search"} <= {tool.name for tool in (await client.list_tools()).tools}
        await call("remember", text="The user's gate is green.")
        assert "gate is green" in await call("memory_search", query="what colour is the gate?")
        (entry,) = life.entries()
        assert entry["content"] == "The user's gate is green."
        await call("forget", query=entry["id"])
        assert (await client.call_tool("no_such_tool", {})).isError
    assert life.command("entries", "list", "--json").json["entries"] == []
