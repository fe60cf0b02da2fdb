"""The whole set in a stock nanobot-ai that was only installed: command line, server, SDK; real recall, no help."""

import http.client
import json
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
from platformdirs import user_cache_dir

from nanobot_memory_plugins.bridge.attach import bridge_of
from nanobot_memory_plugins.bridge.demo.evidence import recalled_blocks
from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.testing.scripted_server import ScriptedServer
from tests.support.nanobot import Installation, serving

FACT = "The staging database runs on host Brunhilde, port 6543."
QUESTION = "On which host does the staging database run?"
# Search by words alone: these tests are about the way through nanobot, and a model would have to be built first.
# With time enough for a busy machine.
WORDS_ALONE = {
    "storage": {"embeddingProvider": "none"},
    "recall": {"recallTimeout": 5},
    "core": {"messageLimit": 6},
}


@pytest.fixture
def whole_set(monkeypatch):
    """Load every installed plugin, as a user's process does."""
    monkeypatch.delenv("NANOBOT_MEMORY_PLUGINS", raising=False)
    monkeypatch.setenv("NANOBOT_MEMORY_CACHE", os.environ.get("NANOBOT_MEMORY_CACHE", user_cache_dir("nanobot-memory")))


@pytest.mark.slow
@pytest.mark.accept("PL-06", "NC-14")
def test_the_command_line_recalls_in_one_process_what_was_said_in_another(tmp_path, server, whole_set):
    nanobot = Installation(tmp_path, server, WORDS_ALONE)
    server.default = "Noted."
    assert "Noted." in nanobot.agent(FACT, session="cli:monday")
    nanobot.agent(QUESTION, session="cli:tuesday")
    (block,) = recalled_blocks(server.requests[-1])
    assert FACT in block
    assert server.requests[-1].last_user.startswith(QUESTION)
    history = MemoryHost(nanobot.workspace).history("cli:monday", limit=5)
    assert [(one["role"], one["content"]) for one in history] == [("user", FACT), ("assistant", "Noted.")]


@pytest.mark.slow
def test_the_command_line_prints_what_it_prints_without_the_set(tmp_path, whole_set):
    def output(name: str, memory: dict[str, Any]) -> str:
        with ScriptedServer(default="A plain answer.") as server:
            return Installation(tmp_path / name, server, memory).agent(QUESTION)

    with ThreadPoolExecutor(2) as pool:
        beside = pool.submit(output, "with", WORDS_ALONE)
        alone = pool.submit(output, "without", {"nanobot": {"enabled": False}})
    assert "A plain answer." in alone.result()
    assert beside.result() == alone.result()


@pytest.mark.accept("PL-06")
async def test_the_sdk_recalls_from_one_instance_to_the_next(install, server, whole_set):
    from nanobot.nanobot import Nanobot

    nanobot = install(WORDS_ALONE)
    async with Nanobot.from_config(nanobot.config_file) as bot:
        await bot.run(FACT, session_key="sdk:one")
    async with Nanobot.from_config(nanobot.config_file) as bot:
        result = await bot.run(QUESTION, session_key="sdk:two")
    assert result.content == "Understood."
    (block,) = recalled_blocks(server.requests[-1])
    assert FACT in block


def test_an_sdk_user_may_use_one_event_loop_after_another(install, server, whole_set):
    import asyncio

    from nanobot.nanobot import Nanobot

    nanobot = install(WORDS_ALONE)
    bot = Nanobot.from_config(nanobot.config_file)
    asyncio.run(bot.run(FACT, session_key="sdk:one"))
    asyncio.run(bot.run(QUESTION, session_key="sdk:two"))
    bridge_of(bot._loop).thread.close(5)
    assert FACT in "".join(recalled_blocks(server.requests[-1]))


@pytest.mark.slow
@pytest.mark.accept("PL-06")
def test_the_server_recalls(tmp_path, server, whole_set):
    nanobot = Installation(tmp_path, server, WORDS_ALONE)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = nanobot.command("serve", "--port", str(port), "--host", "127.0.0.1")
    with serving(command, nanobot.environment):
        base = f"http://127.0.0.1:{port}"
        assert ask(base, FACT, session="one")["choices"][0]["message"]["content"] == "Understood."
        ask(base, QUESTION, session="two")
    assert FACT in "".join(recalled_blocks(server.requests[-1]))


def ask(base: str, text: str, *, session: str) -> dict:
    """Ask nanobot's own OpenAI-compatible server, waiting until it is up."""
    body = json.dumps({"model": "scripted", "session_id": session, "messages": [{"role": "user", "content": text}]})
    for _ in range(200):
        connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=60)
        try:
            connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.status == 200, response.read()
            return json.loads(response.read())
        except ConnectionRefusedError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise AssertionError("nanobot's server has not come up")
