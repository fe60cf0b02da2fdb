"""No plugin of the zoo changes what the host gets from the others, whatever the hook."""

import asyncio
import copy
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.plugin_host import PluginHost
from tests import hostile
from tests.plugin_host.conftest import ACCEPT, arguments_for, good, texts

BASELINE = [("after", "after"), ("before", "before")]
ROOT = Path(__file__).parents[2]


def host_around(make_host: Callable[..., PluginHost], context, name: str, hook: str) -> PluginHost:
    host = make_host(limit=0.06)
    host.register("before", good(hook, "before"), context("before"))
    host.register("hostile", hostile.HOSTILE[name](hook), context("hostile"))
    host.register("after", good(hook, "after"), context("after"))
    return host


@pytest.mark.accept("PL-04", "V3-09")
@pytest.mark.parametrize("hook", hostile.HOOKS)
@pytest.mark.parametrize("name", hostile.HOSTILE)
async def test_the_others_answer_as_if_it_were_not_there(make_host, context, log, name: str, hook: str):
    host = host_around(make_host, context, name, hook)
    arguments = arguments_for(hook)
    before = copy.copy(arguments)
    factory = asyncio.get_running_loop().get_task_factory()

    started = time.monotonic()
    answers = await host.call(hook, arguments, accept=ACCEPT)
    assert time.monotonic() - started < 3.0

    assert texts(answers) == BASELINE
    assert arguments == before
    assert hostile.LEAKING_VARIABLE.get() == "untouched"
    assert asyncio.get_running_loop().get_task_factory() is factory
    assert not threading.current_thread().daemon
    assert hostile.SECRET not in "".join(log)
    assert asyncio.current_task().cancelling() == 0


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("name", hostile.HOSTILE)
async def test_the_first_answer_comes_from_a_good_plugin(make_host, context, name: str):
    host = host_around(make_host, context, name, "open_store")
    host.unregister("after")  # now the hostile one is asked first
    answer = await host.call_first("open_store", {}, accept=ACCEPT)
    assert texts([answer]) == [("before", "before")]


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("name", hostile.HOSTILE)
async def test_one_after_the_other_is_as_safe(make_host, context, name: str):
    host = host_around(make_host, context, name, "before_compaction")
    arguments = arguments_for("before_compaction")
    assert texts(await host.call("before_compaction", arguments, accept=ACCEPT, sequential=True)) == BASELINE


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("hook", hostile.HOOKS)
@pytest.mark.parametrize("name", sorted(hostile.SYNC))
async def test_a_synchronous_call_is_as_safe(make_host, context, log, name: str, hook: str):
    host = make_host(limit=0.06)
    host.register("before", good(hook, "before", sync=True), context("before"))
    host.register("hostile", hostile.HOSTILE[name](hook), context("hostile"))
    host.register("after", good(hook, "after", sync=True), context("after"))
    assert texts(host.call_sync(hook, arguments_for(hook), accept=ACCEPT)) == BASELINE
    assert hostile.LEAKING_VARIABLE.get() == "untouched"
    assert hostile.SECRET not in "".join(log)
    await asyncio.sleep(0)
    assert asyncio.current_task().cancelling() == 0


@pytest.mark.parametrize("name", hostile.HOSTILE)
async def test_nothing_is_left_running_on_the_loop(make_host, context, caplog, name: str):
    mine = asyncio.all_tasks()
    host = host_around(make_host, context, name, "on_tool_executed")
    with caplog.at_level(logging.DEBUG, "asyncio"):
        await host.call("on_tool_executed", arguments_for("on_tool_executed"), accept=ACCEPT)
        await host.close()
    assert asyncio.all_tasks() <= mine
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("close", ["close", "leave open"])
def test_the_process_ends_by_itself(tmp_path: Path, close: str):
    script = tmp_path / "everything_at_once.py"
    script.write_text(
        """
import asyncio, sys, pathlib
from loguru import logger
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.plugin_host import PluginHost
from tests import hostile
from tests.plugin_host.conftest import ACCEPT, arguments_for, good, make_context, texts

logger.remove()

async def main():
    host = PluginHost(time_limits={}, default_limit=0.2, grace_seconds=0.1)
    context = make_context("any", pathlib.Path(), SystemClock())
    hook = "on_message_received"
    for name, build in hostile.HOSTILE.items():
        host.register(name, build(hook), context)
    host.register("good", good(hook, "good"), context)
    for _ in range(2):
        assert texts(await host.call(hook, arguments_for(hook), accept=ACCEPT)) == [("good", "good")]
    if sys.argv[1] == "close":
        await host.close()
    print("the host has done its work")

asyncio.run(main())
""",
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    ended = subprocess.run(
        [sys.executable, str(script), close],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "the host has done its work\n", "")
