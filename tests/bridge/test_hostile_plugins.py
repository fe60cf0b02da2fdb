"""Plugins that do harm, in a stock nanobot: its user sees what he would see without them."""

import asyncio
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP as GROUP
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, ScriptedServer, ToolCall, after_tool
from tests import hostile
from tests.support.nanobot import Installation

ROOT = Path(__file__).parents[2]
HOOKS = tuple(sorted(hostile.HOOKS))
# Short limits, so that those that hang cost little time; the failures are the same.
LIMITS = {"messageLimit": 0.15, "toolLimit": 0.15, "compactionLimit": 0.1, "idleLimit": 0.1, "startLimit": 0.2}


def install_zoo(folder: Path, names: list[str]) -> None:
    """Put every plugin of the zoo on the import path, each implementing all the hooks."""
    folder.mkdir()
    entries = []
    for name in names:
        source = (
            f"from tests.hostile import HOSTILE\n"
            f"for _hook in {HOOKS!r}:\n    globals().update(vars(HOSTILE[{name!r}](_hook)))\n"
        )
        (folder / f"zoo_{name}.py").write_text(source, encoding="utf-8")
        entries.append(f"{name} = zoo_{name}")
    info = folder / "zoo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zoo\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n" + "\n".join(entries), encoding="utf-8")


def replies(tmp_path: Path, name: str, site: Path | None, selected: str) -> tuple[list[str], list[str]]:
    """Run the turns; return what the user saw, and what stood in the model's requests as user messages."""
    rules = [ReplyRule(after_tool, Reply("The port is 7071.")), ReplyRule(lambda _: True, Reply(tools=_READ), times=1)]
    folder = tmp_path / name
    with ScriptedServer(rules) as server:
        nanobot = Installation(folder, server, {"core": LIMITS})
        (nanobot.workspace / "port.txt").write_text("port: 7071", encoding="utf-8")
        path = os.pathsep.join(map(str, [*([site] if site else []), ROOT]))
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.hostile_turns", str(nanobot.config_file)],
            env={**nanobot.environment, "PYTHONPATH": path, "NANOBOT_MEMORY_PLUGINS": selected},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        assert hostile.SECRET not in done.stdout + done.stderr
        asked = [request.last_user for request in server.requests]
    return json.loads(done.stdout.splitlines()[-1]), asked


_READ = (ToolCall("read_file", {"path": "port.txt"}),)


@pytest.mark.slow
@pytest.mark.accept("PL-04", "V3-09")
def test_a_zoo_of_hostile_plugins_changes_nothing_of_what_the_user_sees(tmp_path):
    # Every fourth of the zoo in the ordinary run.
    names = sorted(hostile.HOSTILE)[:: 1 if os.environ.get("NANOBOT_MEMORY_TRUST") == "full" else 4]
    install_zoo(tmp_path / "site", names)
    with ThreadPoolExecutor(2) as pool:
        without = pool.submit(replies, tmp_path, "alone", None, "nanobot")
        with_zoo = pool.submit(replies, tmp_path, "beside", tmp_path / "site", ",".join(["nanobot", *names]))
    (alone, asked_alone), (beside, asked_beside) = without.result(), with_zoo.result()
    assert alone[0] == "The port is 7071."
    assert json.dumps(beside) == json.dumps(alone)
    assert sorted(asked_beside) == sorted(asked_alone)  # /new archives in the background, whenever that is done


@pytest.mark.accept("PL-04")
async def test_a_plugin_that_blocks_its_event_loop_does_not_block_nanobots(install, plugins, server):
    plugins(
        "blocker",
        """
        import time
        from nanobot_memory_plugins.core.hookspecs import hookimpl

        @hookimpl
        async def on_message_received():
            time.sleep(12)
        """,
    )
    loop = install({"core": {"messageLimit": 0.2}, "nanobot": {"startLimit": 0.5}}).loop()
    lags: list[float] = []

    async def measure_lag() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.01)
            lags.append(time.perf_counter() - began - 0.01)

    measuring = asyncio.create_task(measure_lag())
    began = time.perf_counter()
    response = await loop.process_direct("hello")
    answered = time.perf_counter() - began
    await loop.aclose()
    closed = time.perf_counter() - began - answered
    measuring.cancel()
    assert response.content == "Understood."
    assert answered < 10  # the first turn waits for the start as well, and never for the plugin
    assert closed < 10  # 2 s, and a margin
    assert max(lags) < 8  # a blocked loop would show all 12 s
