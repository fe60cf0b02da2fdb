"""A process that answers one message and ends recalls by meaning for that message."""

import os
import subprocess
import sys

import pytest

from nanobot_memory_plugins.bridge.demo.evidence import recalled_blocks
from tests.support.nanobot import Installation

SAID = "My daughter is allergic to peanuts."
# It shares no word with what was said.
MEANT = "我女儿对什么过敏？"
PATIENT = {"recall": {"recallTimeout": 20}, "core": {"messageLimit": 25}}


@pytest.mark.slow
def test_the_first_message_of_a_process_is_recalled_by_meaning(tmp_path, server, monkeypatch, builtin_model):
    monkeypatch.delenv("NANOBOT_MEMORY_PLUGINS", raising=False)
    cache = str(builtin_model.parents[1])
    monkeypatch.setenv("NANOBOT_MEMORY_CACHE", cache)
    server.default = "Noted."
    nanobot = Installation(tmp_path, server, PATIENT)
    nanobot.agent(SAID, session="cli:monday")
    index = ["-m", "nanobot_memory_plugins.core.cli", "index", "--workspace", str(nanobot.workspace)]
    subprocess.run([sys.executable, *index], check=True, capture_output=True, env=dict(os.environ))
    nanobot.agent(MEANT, session="cli:tuesday")
    (block,) = recalled_blocks(server.requests[-1])
    assert SAID in block
