"""``nanobot-memory demo``: that it works, and that it can fail."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from platformdirs import user_cache_dir

from nanobot_memory_plugins.core.text.fence import fence
from nanobot_memory_plugins.tools.demo.scenario import STAGES, recalled_blocks
from nanobot_memory_plugins.tools.scripted_model import Request

pytestmark = pytest.mark.slow


def run_demo(folder, *options: str, **environment: str) -> tuple[int, dict, str]:
    cache = os.environ.get("NANOBOT_MEMORY_CACHE", user_cache_dir("nanobot-memory"))
    done = subprocess.run(
        [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "demo", "--json", *options],
        env={**os.environ, "NANOBOT_MEMORY_CACHE": cache, "TMPDIR": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    return done.returncode, json.loads(done.stdout.splitlines()[-1]), done.stderr


@pytest.fixture(scope="module")
def demonstrations(tmp_path_factory, builtin_model):
    """Run the demonstration with the whole set, and beside it with half of it."""
    whole, half = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("half")
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(run_demo, whole), pool.submit(run_demo, half, NANOBOT_MEMORY_PLUGINS="nanobot,storage")
    ended = [one.result() for one in running]
    assert list(whole.glob("nanobot-memory-*")) == []
    return ended


def test_the_demonstration_works_and_leaves_nothing_behind(demonstrations):
    code, answer, shown = demonstrations[0]
    assert answer["ok"] is True, shown
    assert answer["stages"] == dict.fromkeys(STAGES, True)
    assert code == 0


def test_the_demonstration_fails_where_recall_and_observation_are_missing(demonstrations):
    code, answer, _ = demonstrations[1]
    assert code == 1
    assert answer["ok"] is False
    assert answer["stages"] == {**dict.fromkeys(STAGES, False), "remember": True, "restart": True}


def test_only_what_stands_in_the_fence_of_the_last_message_counts():
    block = fence(["the fact"], language="en")
    old = {"role": "user", "content": f"before\n\n{block}"}
    assert recalled_blocks(Request({"messages": [old, {"role": "user", "content": "the fact"}]})) == []
    asked = Request({"messages": [{"role": "user", "content": f"question\n\n{block}"}]})
    (found,) = recalled_blocks(asked)
    assert "the fact" in found
    assert "question" not in found
