"""Two real nanobots with a home, a workspace and processes each, and one memory."""

import uuid
from pathlib import Path

import pytest

from nanobot_memory_plugins.tools.demo.scenario import recalled_blocks
from nanobot_memory_plugins.tools.postgres_server.server import OwnServer
from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.support.nanobot import Installation

pytestmark = [pytest.mark.host, pytest.mark.slow]


def test_told_on_one_machine_and_asked_on_the_other(server: OwnServer, tmp_path: Path):
    shared = {"dsn": server.dsn, "tenant": uuid.uuid4().hex, "searchSeconds": 5}
    memory = {
        "storage": {"embeddingProvider": "none"},
        "core": {"messageLimit": 20},
        "recall": {"probeMs": 10_000, "lightMs": 10_000, "heavyMs": 10_000},
        "postgres": shared,
    }
    with ScriptedServer() as model:
        laptop = Installation(tmp_path / "laptop", model, memory)
        desktop = Installation(tmp_path / "desktop", model, memory)
        laptop.agent("The staging database listens on port 6543.")
        told = len(model.requests)
        desktop.agent("Which port does the staging database listen on?")
        asked = [request for request in model.requests[told:] if request.tool_names]
        blocks = "\n".join(block for request in asked for block in recalled_blocks(request))
        assert "port 6543" in blocks
        assert "6543" not in desktop.stored()
        stranger = {**memory, "postgres": {**shared, "tenant": uuid.uuid4().hex}}
        other = Installation(tmp_path / "stranger", model, stranger)
        begun = len(model.requests)
        other.agent("Which port does the staging database listen on?")
        assert not any("6543" in str(request.body) for request in model.requests[begun:])
