"""A framework's own hooks, and each call of a hook as its author may look at it."""

from types import ModuleType, SimpleNamespace

import pytest

from nanobot_memory_plugins.core import InputError, MemoryHost, Note, PluginError, hookimpl, hookspec, load_config
from nanobot_memory_plugins.core.testing import run_hook
from tests.behaviour.kit.life import KEY, Life

MENU = ModuleType("menu")


def on_menu_shown(dishes: tuple[str, ...], context: object) -> object:
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


@pytest.mark.accept("PL-09")
async def test_a_frameworks_own_hook_is_held_as_ours_are(life_without_model: Life, install, monkeypatch, capsys):
    monkeypatch.setenv("NANOBOT_MEMORY_TRACE", "1")
    for name, answer in {
        "waiter": 'return Note(f"{context.plugin_name} shows {dishes[0]}")',
        "broken": "raise SystemExit",
        "garbage": "return 3",
    }.items():
        install(name, PLUGIN.format(answer=answer), alone=True)
    config, _ = load_config()
    async with MemoryHost(life_without_model.workspace, config=config, hookspecs=[MENU]) as memory:
        answers = await memory.call_hook("on_menu_shown", {"dishes": ("soup",)}, accept=(Note,))
        assert answers == {"waiter": (Note("waiter shows soup"),)}
        hooks = {one.name: one.hooks for one in memory.plugins.reports() if one.enabled}
        assert "on_menu_shown" in hooks["waiter"]
        secret = "sk-ant-api03-" + "Zq7Rk2Lm9Xc4" * 4
        assert (await memory.message_received(session_key=KEY, text=f"hello {secret}")).block
        with pytest.raises(PluginError, match="no hook"):
            await memory.call_hook("on_bill_paid", {})
    traced = capsys.readouterr().err
    assert "waiter.on_menu_shown(dishes=" in traced
    assert "broken.on_menu_shown(dishes=('soup',)) -> failed: SystemExit" in traced
    assert "text='hello" in traced
    assert "-> ContextBlock(text='hello back'" in traced
    assert secret not in traced


async def test_without_the_frameworks_hooks_a_plugin_that_needs_one_costs_itself(life_without_model: Life, install):
    install("waiter", PLUGIN.format(answer="return None"), alone=True)
    async with life_without_model.host() as memory:
        (told,) = [one for one in await memory.diagnose() if one.subject == "plugin waiter"]
        assert "on_menu_shown" in told.state


def test_the_kit_calls_a_frameworks_own_hook():
    @hookimpl
    def on_menu_shown(dishes, context):
        return Note(f"{context.plugin_name} shows {dishes[0]}")

    waiter = SimpleNamespace(on_menu_shown=on_menu_shown)
    assert run_hook(waiter, "on_menu_shown", hookspecs=[MENU], dishes=("soup",)) == [Note("plugin shows soup")]
    with pytest.raises(InputError, match="dishes"):
        run_hook(waiter, "on_menu_shown", hookspecs=[MENU])
    with pytest.raises(InputError, match="no hook"):
        run_hook(waiter, "on_menu_shown", dishes=("soup",))
