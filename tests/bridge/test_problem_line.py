"""Wrong options are reported in one line on standard error, where the user of nanobot sees it."""

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
@pytest.mark.parametrize(
    ("locale", "ending"),
    [
        ("C.UTF-8", " (the first of 3 problems; `nanobot-memory doctor` says what helps)"),
        ("zh_CN.UTF-8", "（共 3 个问题，这是第一个；`nanobot-memory doctor` 会说明怎么办）"),
    ],
)
def test_nanobot_agent_says_wrong_options_in_one_line(install, server, locale, ending):
    installation = install(WRONG)
    command = [sys.executable, "-m", "nanobot", "agent", "-m", "hello", "-s", "cli:direct", "--no-markdown"]
    done = subprocess.run(
        command,
        env={**installation.environment, "LC_ALL": locale},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    (line,) = [line for line in done.stderr.splitlines() if "memory" in line]
    assert "channels.memoryPlugins.core.messageLimit" in line.partition("(")[0]
    assert line.endswith(ending)
    assert "memoryPlugins" not in done.stdout
