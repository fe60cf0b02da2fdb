"""``nanobot-memory demo`` works, and counts only recalled blocks."""

import json
import os
import subprocess
import sys

import pytest

from nanobot_memory_plugins.core.text.fence import fence
from nanobot_memory_plugins.tools.demo.scenario import STAGES, recalled_blocks
from nanobot_memory_plugins.tools.scripted_model import Request


@pytest.mark.slow
def test_the_demonstration_works_and_leaves_nothing_behind(tmp_path, builtin_model):
    done = subprocess.run(
        [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "demo", "--json"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["ok"] is True, done.stderr
    assert answer["stages"] == dict.fromkeys(STAGES, True)
    assert done.returncode == 0
    assert list(tmp_path.glob("nanobot-memory-*")) == []


def test_only_what_stands_in_the_fence_of_the_last_message_counts():
    block = fence(["the fact"], language="en")
    old = {"role": "user", "content": f"before\n\n{block}"}
    assert recalled_blocks(Request({"messages": [old, {"role": "user", "content": "the fact"}]})) == []
    asked = Request({"messages": [{"role": "user", "content": f"question\n\n{block}"}]})
    (found,) = recalled_blocks(asked)
    assert "the fact" in found
    assert "question" not in found
