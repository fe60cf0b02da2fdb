"""A framework's own hooks, and the trace of hook calls."""

from types import ModuleType, SimpleNamespace

import pytest

from nanobot_memory_plugins.core import (
    MemoryHost,
    MemoryService,
    Note,
    PluginError,
    hookimpl,
    hookspec,
    load_config,
)
from nanobot_memory_plugins.core.testing import run_hook
from tests.behaviour.kit.life import KEY, Life

MENU = ModuleType("menu")


def on_menu_shown(dishes: tuple[str, ...]) -> Note | None:
    """Answer a menu."""


MENU.on_menu_shown = hookspec(on_menu_shown)
PLUGIN = """
from nanobot_memory_plugins.core import ContextBlock, Note, hookimpl

@hookimpl
def on_menu_shown(dishes, context):
    {answer}

@hookimpl
def on_message_received(text):
    return ContextBlock("hello back")
"""
WAITING = """
from nanobot_memory_plugins.core import hookimpl

@hookimpl(optionalhook=True)
def on_menu_shown(dishes):
    return None
"""


@pytest.mark.accept("PL-09")
async def test_a_frameworks_own_hook_is_isolated_and_traced(life_without_model: Life, install, monkeypatch, capsys):
    monkeypatch.setenv("NANOBOT_MEMORY_TRACE", "1")
    for name, answer in {
        "waiter": 'return Note(f"{context.plugin_name} shows {dishes[0]}")',
        "broken": "raise SystemExit",
        "garbage": "return 3",
    }.items():
        install(name, PLUGIN.format(answer=answer), alone=True)
    config = load_config()
    async with MemoryHost(life_without_model.workspace, config=config, hookspecs=[MENU]) as memory:
        answers = await memory.call_hook("on_menu_shown", {"dishes": ("soup",)})
        assert answers == {"waiter": (Note("waiter shows soup"),)}
        hooks = {one.name: one.hooks or () for one in memory.plugins.discovered}
        assert "on_menu_shown" in hooks["waiter"]
        secret = "sk-ant-api03-" + "Zq7Rk2Lm9Xc4" * 4
        assert (await memory.message_received(session_key=KEY, text=f"hello {secret}")).block
        with pytest.raises(PluginError, match="no hook"):
            await memory.call_hook("on_bill_paid", {})
        with pytest.raises(PluginError, match=r"on_menu_shown was called with wines\. The hook has: dishes\."):
            await memory.call_hook("on_menu_shown", {"wines": ()})
    traced = capsys.readouterr().err
    assert "waiter.on_menu_shown(dishes=" in traced
    assert "broken.on_menu_shown(dishes=('soup',)) -> failed: SystemExit" in traced
    assert "text='hello" in traced
    assert "-> ContextBlock(text='hello back'" in traced
    assert secret not in traced


async def test_a_plugin_that_needs_a_missing_framework_hook_is_not_loaded(life_without_model: Life, install):
    install("waiter", PLUGIN.format(answer="return None"), alone=True)
    async with life_without_model.host() as memory:
        (told,) = [one for one in await memory.diagnose() if one.subject == "plugin waiter"]
        assert "on_menu_shown" in told.state


def test_run_hook_calls_a_frameworks_own_hook():
    @hookimpl
    def on_menu_shown(dishes, context):
        return Note(f"{context.plugin_name} shows {dishes[0]}")

    waiter = SimpleNamespace(on_menu_shown=on_menu_shown)
    assert run_hook(waiter, "on_menu_shown", hookspecs=[MENU], dishes=("soup",)) == [Note("plugin shows soup")]
    with pytest.raises(PluginError, match="dishes"):
        run_hook(waiter, "on_menu_shown", hookspecs=[MENU])
    with pytest.raises(PluginError, match="no hook"):
        run_hook(waiter, "on_menu_shown", dishes=("soup",))


async def test_a_plugin_with_only_optional_hooks_is_accepted_without_their_host(life_without_model: Life, install):
    install("waiter", WAITING, alone=True)
    async with life_without_model.host() as memory:
        assert [(one.name, one.hooks) for one in memory.plugins.discovered if one.hooks is not None] == [("waiter", ())]
    config = load_config()
    async with MemoryHost(life_without_model.workspace, config=config, hookspecs=[MENU]) as memory:
        assert [one.hooks for one in memory.plugins.discovered if one.hooks is not None] == [("on_menu_shown",)]


async def test_a_host_sets_the_time_limit_of_its_own_hook(life_without_model: Life, install):
    install("waiter", PLUGIN.format(answer="time.sleep(60)").replace("\n", "\nimport time\n", 1), alone=True)
    config = load_config()
    async with MemoryHost(life_without_model.workspace, config=config, hookspecs=[MENU]) as memory:
        assert await memory.call_hook("on_menu_shown", {"dishes": ()}, limit=0.05) == {}
        assert "no answer within 0.05 s" in str(memory.plugins.failing_plugins("on_menu_shown"))


def test_a_service_accepts_the_hooks_of_a_framework(life_without_model: Life, install):
    install("waiter", PLUGIN.format(answer='return Note(f"{dishes[0]} is on")'), alone=True)
    with MemoryService(life_without_model.workspace, hookspecs=[MENU]) as memory:
        called = memory.call(lambda host: host.call_hook("on_menu_shown", {"dishes": ("soup",)})).now()
        assert called == {"waiter": (Note("soup is on"),)}
