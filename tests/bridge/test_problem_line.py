"""Wrong options are told in one line where the user of nanobot looks."""

import subprocess
import sys

import pytest

WRONG = {
    "storage": {"embeddingProvider": "none"},
    "recall": {"recallTopKK": 3},
    "core": {"messageLimit": 0},
    "storge": {},
}


@pytest.mark.slow
def test_nanobot_agent_says_wrong_options_in_one_line(install, server):
    installation = install(WRONG)
    command = [sys.executable, "-m", "nanobot", "agent", "-m", "hello", "-s", "cli:direct", "--no-markdown"]
    done = subprocess.run(
        command, env=installation.environment, capture_output=True, text=True, timeout=120, check=True
    )
    (line,) = [line for line in done.stderr.splitlines() if "memory" in line]
    assert line.startswith("nanobot-memory: channels.memoryPlugins.core.messageLimit: ")
    assert line.endswith(" (the first of 3 problems; `nanobot-memory doctor` says what helps)")
    assert "memoryPlugins" not in done.stdout
