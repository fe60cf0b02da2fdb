"""Hosts of other kinds: without an event loop, with several, thirty lines long; a plugin of a third party; MCP."""

import asyncio
import importlib
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp
import pytest
from mcp.client.stdio import stdio_client

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, MemoryService, load_config
from nanobot_memory_plugins.core.testing import plugin_context, run_hook
from tests.behaviour.kit.life import Conversation, Life
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
    return load_config(file)[0]


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


def test_several_event_loops_and_threads_share_one_memory_and_lose_nothing(
    service: Callable[[], MemoryService], life: Life
):
    memory = service()
    for number in range(3):
        assert asyncio.run(memory.call(tell(f"Loop {number} says so."), limit=60)).receipt.stored
    stored: list[bool] = []

    def in_thread(number: int) -> None:
        use = tell(f"Thread {number} says so.")
        answer = asyncio.run(memory.call(use, limit=60)) if number % 2 else memory.call(use, limit=60).now()
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


PLUGIN = '''
"""Keeps a note of every deadline that the user mentions."""
import re
from pydantic import BaseModel
from nanobot_memory_plugins.core import Note, Origin, PluginContext, hookimpl

DEADLINE = re.compile(r"\\bdue (?:\\w+ )?\\d{1,2}\\b")

class Options(BaseModel):
    tags: tuple[str, ...] = ("deadline",)

@hookimpl
def on_message_received(text: str, context: PluginContext[Options]) -> list[Note]:
    found, tags = [one[0] for one in DEADLINE.finditer(text)], context.options.tags
    return [Note(tldr=f"Deadline: {one}", tags=tags, origin=Origin.USER) for one in found]
'''


@pytest.mark.accept("PL-05")
async def test_a_plugin_of_twenty_lines_is_discovered_given_its_options_and_called(
    life: Life, install: Callable[..., None]
):
    install("deadline", PLUGIN)
    async with life.host(deadline={"tags": ["work"]}) as memory:
        await Conversation(memory).turn("The report is due Friday 7.")
    note = "".join(file.read_text(encoding="utf-8") for file in life.memory.glob("????-??-??.md"))
    assert "Deadline: due Friday 7" in note
    assert "work" in note
    plugins = {one["name"]: one for one in life.command("plugins", "--json").json["plugins"]}
    assert (plugins["deadline"]["state"], plugins["deadline"]["hooks"]) == ("active", ["on_message_received"])


def test_the_kit_calls_a_plugins_hook_without_any_host(install: Callable[..., None]):
    install("kit_deadline", PLUGIN, alone=True)
    module = importlib.import_module("third_party_kit_deadline")
    context = plugin_context(options=module.Options(tags=("a",)))
    (note,) = run_hook(module, "on_message_received", text="It is due May 3.", context=context)
    assert (note.tldr, note.tags) == ("Deadline: due May 3", ("a",))


async def test_a_host_of_thirty_lines_runs(life: Life):
    history: list[dict[str, Any]] = []

    async def complete(messages: list[dict[str, Any]], *, max_tokens: int, purpose: str) -> str:
        return "NO_REPLY" if purpose == "flush" else "[]"

    async def turn(memory: MemoryHost, text: str) -> str:
        context = await memory.message_received(session_key="cli", text=text, history=list(history))
        beside = context.block or ""
        history.append({"role": "user", "content": text})
        reply = f"I heard {len(beside)} letters more."
        await memory.message_sent(session_key="cli", text=reply)
        history.append({"role": "assistant", "content": reply})
        return beside

    config = config_of(life)
    async with MemoryHost(life.workspace, config=config, llm=complete) as memory:
        await turn(memory, FACT)
        tools = {tool.name: tool for tool in memory.tools()}
        assert {"remember", "forget", "memory_search"} <= set(tools)
        await tools["remember"].run({"text": "The harbour is Port Brunhilde.", "said": FACT}, session_key="cli")
        assert "Port Brunhilde" in memory.prompt_entries(session_key="cli").text
        assert memory.trim_bootstrap({"AGENTS.md": "Be brief."})
        assert "Port Brunhilde" in str(memory.base_context())
        await memory.session_idle(session_key="cli", history=list(history), ended=True)
    async with MemoryHost(life.workspace, config=config, llm=complete) as memory:
        await memory.flush_index()
        assert next(iter(memory.history("cli", limit=2)))["content"] == FACT
        history.clear()
        found = await memory.message_received(session_key="new", text="Do you remember the harbour's name?")
        assert "Port Brunhilde" in (found.block or "")


async def test_a_client_of_mcp_remembers_searches_and_forgets_over_standard_input(life: Life, tmp_path: Path):
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
