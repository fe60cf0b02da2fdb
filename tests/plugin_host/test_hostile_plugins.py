"""No plugin of the zoo changes what the host gets from the others, whatever the hook."""

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginAnswer, PluginHost
from tests import hostile
from tests.plugin_host.conftest import ACCEPT, arguments_for, good, texts

# Seconds; a good plugin needs well below a thousandth of one.
LIMIT = 0.3
ROOT = Path(__file__).parents[2]


def surround(host: PluginHost, context, name: str, *, sync: bool = False) -> None:
    """Register, for every hook, a hostile plugin between two good ones, each of which is one for all hooks."""
    host.register("before", good_at_all_hooks("before", sync=sync), context("before"))
    for hook in hostile.HOOKS:
        host.register(f"hostile {hook}", hostile.HOSTILE[name](hook), context("hostile"))
    host.register("after", good_at_all_hooks("after", sync=sync), context("after"))


def good_at_all_hooks(text: str, *, sync: bool) -> object:
    """Build a plugin that answers every hook with one note."""
    return SimpleNamespace(**{hook: getattr(good(hook, text, sync=sync), hook) for hook in hostile.HOOKS})


async def ask_every_hook(ask: Callable[..., Awaitable[list[PluginAnswer]]]) -> dict[str, list[str]]:
    """Call all hooks at a time and return the notes that came back for each."""
    answers = await asyncio.gather(*(ask(hook, arguments_for(hook), accept=ACCEPT) for hook in hostile.HOOKS))
    return {hook: [text for _, text in texts(of_hook)] for hook, of_hook in zip(hostile.HOOKS, answers, strict=True)}


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("name", hostile.HOSTILE)
async def test_the_others_answer_as_if_it_were_not_there(make_host, context, log, caplog, name: str):
    host = make_host(limit=LIMIT)
    surround(host, context, name)
    mine = asyncio.all_tasks()
    factory = asyncio.get_running_loop().get_task_factory()

    with caplog.at_level(logging.DEBUG, "asyncio"):
        started = time.monotonic()
        assert await ask_every_hook(host.call) == {hook: ["after", "before"] for hook in hostile.HOOKS}
        assert time.monotonic() - started < 10 * LIMIT
        await host.close()

    assert asyncio.all_tasks() <= mine
    assert asyncio.current_task().cancelling() == 0
    assert asyncio.get_running_loop().get_task_factory() is factory
    assert not threading.current_thread().daemon
    assert hostile.LEAKING_VARIABLE.get() == "untouched"
    assert hostile.SECRET not in "".join(log)
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []


@pytest.mark.accept("PL-04")
async def test_a_plugin_cannot_change_the_arguments(make_host, context):
    host = make_host()
    surround(host, context, "changes_arguments")
    for hook in hostile.HOOKS:
        arguments = arguments_for(hook)
        await host.call(hook, arguments, accept=ACCEPT)
        assert arguments == arguments_for(hook)


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("name", hostile.HOSTILE)
async def test_one_after_the_other_is_as_safe(make_host, context, name: str):
    host = make_host(limit=LIMIT)
    surround(host, context, name)
    hook = "open_store"
    *answers, first = await asyncio.gather(
        *(host.call(hook, arguments_for(hook), accept=ACCEPT, sequential=True) for hook in hostile.HOOKS),
        _first_of_the_rest(make_host(limit=LIMIT), context, name, hook),
    )
    assert [[text for _, text in texts(of_hook)] for of_hook in answers] == [["after", "before"]] * len(answers)
    assert texts([first]) == [("before", "before")]


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("name", sorted(hostile.HOSTILE.keys() - hostile.SYNC))
async def test_what_a_host_builds_its_prompt_with_is_as_safe(make_host, context, name: str):
    """Those that would block the caller: each is left behind at its limit, or refused."""
    host = make_host(limit=LIMIT)
    surround(host, context, name, sync=True)
    started = time.monotonic()
    for hook in ("trim_bootstrap", "prompt_entries"):
        answers = host.call_sync(hook, arguments_for(hook), accept=ACCEPT)
        assert [text for _, text in texts(answers)] == ["after", "before"]
    assert time.monotonic() - started < 10 * LIMIT
    await asyncio.sleep(0)
    assert asyncio.current_task().cancelling() == 0


async def _first_of_the_rest(host: PluginHost, context, name: str, hook: str) -> PluginAnswer | None:
    """Ask a hostile plugin first."""
    host.register("before", good(hook, "before"), context("before"))
    host.register("hostile", hostile.HOSTILE[name](hook), context("hostile"))
    return await host.call_first(hook, arguments_for(hook), accept=ACCEPT)


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("name", sorted(hostile.SYNC))
async def test_a_synchronous_call_is_as_safe(make_host, context, log, name: str):
    host = make_host(limit=10 * LIMIT)  # none of these hangs
    surround(host, context, name, sync=True)
    for hook in hostile.HOOKS:
        answers = host.call_sync(hook, arguments_for(hook), accept=ACCEPT)
        assert [text for _, text in texts(answers)] == ["after", "before"]
    assert hostile.LEAKING_VARIABLE.get() == "untouched"
    assert hostile.SECRET not in "".join(log)
    await asyncio.sleep(0)
    assert asyncio.current_task().cancelling() == 0


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("close", ["close", "leave open"])
def test_the_process_ends_by_itself(tmp_path: Path, close: str):
    script = tmp_path / "everything_at_once.py"
    script.write_text(
        """
import asyncio, sys, pathlib
from loguru import logger
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost
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
