"""The example of a package for nanobot's Agent Plugins, in the installed nanobot."""

import os
import shutil
import subprocess
import sys

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ScriptedServer, ToolCall
from tests.support.hosts import ROOT
from tests.support.nanobot import Installation

pytestmark = [pytest.mark.host, pytest.mark.slow]

PREFIX = "mcp_nanobot-memory_"
FACT = "The staging database listens on port 5433."


def test_its_server_and_its_skill_reach_the_model(tmp_path):
    with ScriptedServer() as server:
        nanobot = Installation(tmp_path, server)
        shutil.copytree(ROOT / "examples" / "agent_plugin", nanobot.workspace / "plugins" / "nanobot-memory")
        enabling = (
            "from nanobot.agent.plugins import set_agent_plugin_enabled; import pathlib, sys; "
            "set_agent_plugin_enabled(pathlib.Path(sys.argv[1]), 'nanobot-memory', True)"
        )
        command = [sys.executable, "-c", enabling, str(nanobot.workspace)]
        subprocess.run(command, env={**os.environ, **nanobot.environment}, check=True, timeout=60)
        server.rules = [
            ReplyRule(lambda one: True, Reply(tools=(ToolCall(f"{PREFIX}remember", {"text": FACT}),)), 1),
            ReplyRule(lambda one: True, Reply(tools=(ToolCall(f"{PREFIX}memory_search", {"query": "port"}),)), 1),
        ]
        nanobot.agent("On which port does staging listen?")
    assert "long-term-memory" in server.requests[0].system
    assert server.requests[-1].last["name"] == f"{PREFIX}memory_search"
    assert FACT in server.requests[-1].last["content"]
    assert FACT in (nanobot.workspace / "memory" / "ENTRIES.md").read_text(encoding="utf-8")
